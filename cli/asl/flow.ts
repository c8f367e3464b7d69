// The order of states as tasks. Without a loop, states follow each other and a choice is a SWITCH
// whose branches end where they meet again. With a loop, the machine is a DO_WHILE: each turn takes
// one state, whose name is in the variable `next`.
import { Failure } from '../shared/failure.js';
import type { JsonObject } from '../shared/json.js';
import { orderOf, statesMax, targetsOf, type Machine } from './machine.js';

/** Where a state leads; undefined: the machine has ended. */
export type Target = string | undefined;

export interface Branch {
  readonly tasks: readonly JsonObject[];
  readonly to: Target;
}

export type Exit =
  | { readonly kind: 'next'; readonly to: Target }
  /** The tasks have ended the execution. */
  | { readonly kind: 'over' }
  | {
      readonly kind: 'switch';
      /** SWITCH without its cases. */
      readonly task: JsonObject;
      readonly cases: Readonly<Record<string, Branch>>;
      readonly otherwise: readonly JsonObject[];
    };

export interface Step {
  readonly tasks: readonly JsonObject[];
  readonly exit: Exit;
}

export interface FlowParts {
  /** Tasks of a state; each call gives them new reference names. */
  readonly stepOf: (name: string) => Step;
  /** A reference name that is in use nowhere. */
  readonly nameOf: (wanted: string) => string;
  /** Ends the execution with what the machine has come to. */
  readonly ending: () => JsonObject;
}

export function flowOf(machine: Machine, parts: FlowParts): JsonObject[] {
  const order = orderOf(machine);
  return order === undefined ? loopOf(machine, parts) : new Straight(machine, order, parts).all();
}

class Straight {
  #count = 0;
  readonly #reach = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly machine: Machine,
    private readonly order: readonly string[],
    private readonly parts: FlowParts,
  ) {
    for (const name of [...order].reverse()) {
      const after = targetsOf(machine.states.get(name) ?? {});
      const reached = after.flatMap((each) => [...(this.#reach.get(each) ?? [])]);
      this.#reach.set(name, new Set([name, ...reached]));
    }
  }

  all(): JsonObject[] {
    return this.#sequence(this.machine.startAt, undefined, false);
  }

  /** Tasks from a state up to `stop`. `follows`: others come after these, so an end is a task. */
  #sequence(from: Target, stop: Target, follows: boolean): JsonObject[] {
    const tasks: JsonObject[] = [];
    let at = from;
    for (;;) {
      if (at !== undefined && at === stop) return tasks;
      if (at === undefined) return follows ? [...tasks, this.parts.ending()] : tasks;
      const { tasks: own, exit } = this.parts.stepOf(at);
      this.#count += own.length + 1;
      if (this.#count > statesMax)
        throw new Failure(`The machine becomes more than ${statesMax} tasks: split it.`, 2);
      tasks.push(...own);
      if (exit.kind === 'over') return tasks;
      if (exit.kind === 'next') {
        at = exit.to;
        continue;
      }
      const meeting = this.#meeting(Object.values(exit.cases), stop);
      const isLast = meeting === undefined && !follows;
      const cases = Object.entries(exit.cases).map(([name, { tasks: first, to }]) => [
        name,
        [...first, ...this.#sequence(to, meeting, !isLast)],
      ]);
      tasks.push({
        ...exit.task,
        decisionCases: Object.fromEntries(cases),
        defaultCase: exit.otherwise,
      });
      if (meeting === undefined) return tasks;
      at = meeting;
    }
  }

  /** The first state that all branches come to which go on to `stop`. */
  #meeting(branches: readonly Branch[], stop: Target): Target {
    const targets = branches
      .map(({ to }) => to)
      .filter((to) => to !== undefined)
      .filter((to) => stop === undefined || this.#reach.get(to)?.has(stop) === true);
    if (targets.length === 0) return undefined;
    return this.order.find((name) => targets.every((to) => this.#reach.get(to)?.has(name)));
  }
}

/** The machine as a loop over its states. */
function loopOf({ startAt, states }: Machine, { stepOf, nameOf }: FlowParts): JsonObject[] {
  const go = (to: Target): JsonObject => ({
    ...{ name: 'next_state', taskReferenceName: nameOf('next_state'), type: 'SET_VARIABLE' },
    inputParameters: { next: to ?? '' },
  });
  const decisionCases = Object.fromEntries(
    [...states.keys()].map((name) => {
      const { tasks, exit } = stepOf(name);
      if (exit.kind === 'over') return [name, tasks];
      if (exit.kind === 'next') return [name, [...tasks, go(exit.to)]];
      const cases = Object.entries(exit.cases).map(([each, branch]) => [
        each,
        [...branch.tasks, go(branch.to)],
      ]);
      const choice = {
        ...exit.task,
        decisionCases: Object.fromEntries(cases),
        defaultCase: exit.otherwise,
      };
      return [name, [...tasks, choice]];
    }),
  );
  const state = {
    ...{ name: 'state', taskReferenceName: nameOf('state'), type: 'SWITCH' },
    ...{ evaluatorType: 'value-param', expression: 'next' },
    inputParameters: { next: '${workflow.variables.next}' },
    decisionCases,
  };
  return [
    go(startAt),
    {
      ...{ name: 'states', taskReferenceName: nameOf('states'), type: 'DO_WHILE' },
      inputParameters: { next: '${workflow.variables.next}' },
      loopCondition: "$.next !== ''",
      loopOver: [state],
    },
  ];
}
