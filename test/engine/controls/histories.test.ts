// Random definitions under random histories of reports, time and control operations, with children,
// against what must always hold:
//
//   replay     applying each decision's changes to the state before gives the state after
//   reopening  an execution opened from a copy of its records is the live one: same wake-up, same
//              open tasks, nothing left to do
//   absorbing  a terminal attempt stays as it is; a terminal execution moves only by the operations
//              that may reopen it
//   witness    whatever is RUNNING has something that can move it on, and `why` names it
//   queues     a SCHEDULED worker task was told to its queue, and one that is not wanted any more
//              was taken back
//   records    ordered by seq, numbered once, below the counters
//   ending     workers that complete everything bring every execution to an end, whatever was done
//              to it before
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/engine/command.js';
import { delayedStartAt } from '../../../src/engine/deadlines.js';
import { openExecution } from '../../../src/engine/load-execution.js';
import { nextWakeAt } from '../../../src/engine/wake-up.js';
import { step } from '../../../src/engine/step.js';
import { isWorkerTask } from '../../../src/engine/task-kinds.js';
import { why, type QueueFacts } from '../../../src/engine/why.js';
import type { Task } from '../../../src/model/execution.js';
import type { JsonMap } from '../../../src/model/json.js';
import { isTerminalTask, isTerminalWorkflow, type TaskStatus } from '../../../src/model/status.js';
import type { ExecutionId } from '../../../src/std/ids.js';
import { applyChanges, copyExecution, partsOf, type Parts } from '../support/shadow.js';
import { result, simple, taskOf, workflow, World } from '../support/world.js';

// ---- definitions ----

type Shape =
  | { kind: 'worker'; flags: JsonMap }
  | { kind: 'wait'; seconds: number }
  | { kind: 'human' }
  | { kind: 'inline' }
  | { kind: 'variable' }
  | { kind: 'child'; flags: JsonMap }
  | { kind: 'terminate'; status: string }
  | { kind: 'switch'; choice: string; cases: Shape[][] }
  | { kind: 'fork'; branches: Shape[][] }
  | { kind: 'dynamic-fork'; branches: number; children: boolean }
  | { kind: 'loop'; rounds: number; keep: number; body: Shape[] };

const flags = fc.constantFrom<JsonMap>(
  {},
  {},
  {},
  { optional: true },
  { permissive: true },
  { retryCount: 1 },
);

const leaf: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 6, arbitrary: flags.map((each) => ({ kind: 'worker' as const, flags: each })) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 60 })
      .map((seconds) => ({ kind: 'wait' as const, seconds })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'human' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'inline' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'variable' as const }) },
  { weight: 2, arbitrary: flags.map((each) => ({ kind: 'child' as const, flags: each })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('COMPLETED', 'FAILED', 'TERMINATED')
      .map((status) => ({ kind: 'terminate' as const, status })),
  },
);

function lists(of: fc.Arbitrary<Shape>, min: number, max: number): fc.Arbitrary<Shape[]> {
  return fc.array(of, { minLength: min, maxLength: max });
}

const inLoop: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: switchOf(leaf) },
  { weight: 1, arbitrary: forkOf(leaf) },
  { weight: 1, arbitrary: dynamicForks() },
);

const inner: fc.Arbitrary<Shape> = fc.oneof(
  { weight: 5, arbitrary: leaf },
  { weight: 1, arbitrary: switchOf(leaf) },
  { weight: 1, arbitrary: forkOf(inLoop) },
  { weight: 1, arbitrary: dynamicForks() },
  { weight: 1, arbitrary: loopOf(inLoop) },
);

const shapes: fc.Arbitrary<Shape[]> = lists(
  fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: switchOf(inner) },
    { weight: 2, arbitrary: forkOf(inner) },
    { weight: 1, arbitrary: dynamicForks() },
    { weight: 1, arbitrary: loopOf(inLoop) },
  ),
  1,
  4,
);

function switchOf(of: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> {
  return fc
    .tuple(fc.constantFrom('x', 'y', 'other'), lists(of, 0, 2), lists(of, 0, 2), lists(of, 0, 1))
    .map(([choice, ...cases]) => ({ kind: 'switch', choice, cases }));
}

function forkOf(of: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> {
  return fc
    .array(lists(of, 1, 2), { minLength: 1, maxLength: 3 })
    .map((branches) => ({ kind: 'fork', branches }));
}

function dynamicForks(): fc.Arbitrary<Shape> {
  return fc.record({
    kind: fc.constant('dynamic-fork' as const),
    branches: fc.integer({ min: 0, max: 3 }),
    children: fc.boolean(),
  });
}

function loopOf(of: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> {
  return fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 2 }), lists(of, 1, 2))
    .map(([rounds, keep, body]) => ({ kind: 'loop', rounds, keep, body }));
}

class DefinitionWriter {
  #count = 0;

  write(list: readonly Shape[]): JsonMap[] {
    return list.flatMap((shape) => this.#write(shape));
  }

  #ref(prefix: string): string {
    return `${prefix}${++this.#count}`;
  }

  #write(shape: Shape): JsonMap[] {
    switch (shape.kind) {
      case 'worker':
        return [simple(this.#ref('t'), { name: 'worker', ...shape.flags })];
      case 'wait':
        return [
          taskOf('WAIT', this.#ref('w'), {
            inputParameters: { duration: `${shape.seconds} seconds` },
          }),
        ];
      case 'human':
        return [taskOf('HUMAN', this.#ref('h'))];
      case 'inline':
        return [
          taskOf('INLINE', this.#ref('i'), {
            inputParameters: { evaluatorType: 'javascript', expression: '1 + 1' },
          }),
        ];
      case 'variable':
        return [taskOf('SET_VARIABLE', this.#ref('v'), { inputParameters: { k: 1 } })];
      case 'child':
        return [
          taskOf('SUB_WORKFLOW', this.#ref('c'), {
            subWorkflowParam: { name: 'child', version: 1 },
            ...shape.flags,
          }),
        ];
      case 'terminate':
        return [
          taskOf('TERMINATE', this.#ref('x'), {
            inputParameters: { terminationStatus: shape.status },
          }),
        ];
      case 'switch': {
        const [x = [], y = [], other = []] = shape.cases;
        return [
          taskOf('SWITCH', this.#ref('s'), {
            evaluatorType: 'value-param',
            expression: 'k',
            inputParameters: { k: shape.choice },
            decisionCases: { x: this.write(x), y: this.write(y) },
            defaultCase: this.write(other),
          }),
        ];
      }
      case 'fork':
        return this.#fork(shape.branches);
      case 'dynamic-fork': {
        const branches = Array.from({ length: shape.branches }, () =>
          shape.children
            ? taskOf('SUB_WORKFLOW', this.#ref('dc'), {
                subWorkflowParam: { name: 'child', version: 1 },
              })
            : simple(this.#ref('d'), { name: 'worker' }),
        );
        return [
          taskOf('FORK_JOIN_DYNAMIC', this.#ref('df'), {
            dynamicForkTasksParam: 'list',
            dynamicForkTasksInputParamName: 'inputs',
            inputParameters: { list: branches, inputs: {} },
          }),
          taskOf('JOIN', this.#ref('j')),
        ];
      }
      case 'loop': {
        const ref = this.#ref('l');
        return [
          taskOf('DO_WHILE', ref, {
            loopCondition: `$.${ref}['iteration'] < ${shape.rounds}`,
            loopOver: this.write(shape.body),
            ...(shape.keep > 0 ? { inputParameters: { keepLastN: shape.keep } } : {}),
          }),
        ];
      }
    }
  }

  /**
   * Branches that end in a TERMINATE or a SWITCH get a worker behind, so that a JOIN on their last
   * task can end.
   */
  #fork(branches: readonly Shape[][]): JsonMap[] {
    const ref = this.#ref('f');
    const forkTasks = branches.map((branch) => {
      const tasks = this.write(branch);
      const last = tasks.at(-1);
      if (last?.['type'] === 'SWITCH') tasks.push(simple(this.#ref('t'), { name: 'worker' }));
      return tasks;
    });
    const joinOn = forkTasks.map((tasks) => tasks.at(-1)?.['taskReferenceName'] as string);
    return [taskOf('FORK_JOIN', ref, { forkTasks }), taskOf('JOIN', this.#ref('j'), { joinOn })];
  }
}

const grandchildDef = { name: 'grandchild', version: 1, tasks: [simple('g', { name: 'worker' })] };
const childDef = {
  name: 'child',
  version: 1,
  tasks: [
    simple('k', { name: 'worker' }),
    taskOf('SUB_WORKFLOW', 'kk', { subWorkflowParam: { name: 'grandchild', version: 1 } }),
  ],
};

/** Rounds of work that bring any of these executions to an end. */
const roundsMax = 200;

const noFacts: QueueFacts = { lastPollAt: () => 0, attempt: () => undefined };

// ---- histories ----

const actionKinds = [
  'complete', 'complete', 'complete', 'complete', 'complete', 'fail', 'fail', 'fail-terminally', 'poll', 'state',
  'pass', 'pause', 'resume', 'terminate', 'retry', 'retry', 'retry-deep', 'restart', 'rerun', 'rerun-task',
  'rerun-task', 'skip', 'jump', 'reset', 'decide',
] as const; // prettier-ignore

interface Action {
  kind: (typeof actionKinds)[number];
  /** Picks the execution, the task, the reference. */
  who: number;
  which: number;
}

const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...actionKinds), who: fc.nat(1000), which: fc.nat(1000) }),
  { minLength: 3, maxLength: 30 },
);

class History {
  readonly world: World;
  readonly #parts = new Map<ExecutionId, Parts>();
  readonly #terminal = new Map<string, TaskStatus>();
  readonly #ended = new Map<ExecutionId, number>();
  readonly #queued = new Map<string, Set<string>>();

  constructor(itemsPerStepMax: number, reloads: boolean) {
    this.world = new World({
      reloads,
      limits: { itemsPerStepMax },
      taskDefs: [
        { name: 'worker', retryCount: 0, retryDelaySeconds: 5, responseTimeoutSeconds: 3600 },
      ],
      workflowDefs: [childDef, grandchildDef],
    });
    this.world.onDecision = (id, decision) => {
      const { execution } = this.world.open(id);
      const parts = this.#parts.get(id) ?? new Map<string, string>();
      this.#parts.set(id, parts);
      applyChanges(parts, execution, decision.changes);
      for (const output of decision.outputs) {
        if (output.kind === 'schedule')
          this.#attempts(id).add(`${output.task.number}:${output.task.reopenCount}`);
        if (output.kind === 'unschedule')
          this.#attempts(id).delete(`${output.task.number}:${output.reopenCount}`);
      }
    };
  }

  #attempts(id: ExecutionId): Set<string> {
    let attempts = this.#queued.get(id);
    if (attempts === undefined) this.#queued.set(id, (attempts = new Set()));
    return attempts;
  }

  act(action: Action): void {
    const ids = [...this.world.opens.keys()];
    const id = ids[action.who % ids.length] as ExecutionId;
    if (action.kind === 'pass') this.world.pass(1000 * (1 + (action.which % 90)));
    else {
      const command = this.#command(id, action);
      if (command !== undefined) this.world.command(id, command);
    }
    this.check();
  }

  #command(id: ExecutionId, { kind, which }: Action): Command | undefined {
    const { execution, openTasks, nodes } = this.world.open(id);
    const refs = [...nodes.graph.nodes.keys()];
    const ref = refs[which % refs.length] ?? '';
    switch (kind) {
      case 'complete':
        return this.#report(openTasks, which, 'COMPLETED');
      case 'fail':
        return this.#report(openTasks, which, 'FAILED');
      case 'fail-terminally':
        return this.#report(openTasks, which, 'FAILED_WITH_TERMINAL_ERROR');
      case 'state':
        return this.#report(openTasks, which, 'IN_PROGRESS');
      case 'poll': {
        const waiting = [...openTasks].filter(
          (task) => isWorkerTask(task) && task.status === 'SCHEDULED',
        );
        const task = waiting[which % Math.max(1, waiting.length)];
        return (
          task && {
            kind: 'claim-task',
            taskNumber: task.number,
            reopenCount: task.reopenCount,
            workerId: 'w',
            lease: { number: which },
          }
        );
      }
      case 'retry':
        return { kind: 'retry', resumeSubworkflowTasks: false };
      case 'retry-deep':
        return { kind: 'retry', resumeSubworkflowTasks: true };
      case 'rerun':
        return { kind: 'rerun' };
      case 'rerun-task': {
        const task = execution.tasks[which % Math.max(1, execution.tasks.length)];
        return task && { kind: 'rerun', taskNumber: task.number };
      }
      case 'skip':
        return { kind: 'skip-task', ref };
      case 'jump':
        return { kind: 'jump', ref, taskInput: {} };
      case 'reset':
        return { kind: 'reset-callbacks' };
      case 'terminate':
        return {
          kind: 'terminate',
          reason: 'enough',
          triggerFailureWorkflow: false,
          byParent: false,
        };
      case 'pause':
      case 'resume':
      case 'restart':
      case 'decide':
        return { kind };
      case 'pass':
        return undefined;
    }
  }

  #report(
    open: ReadonlySet<Task>,
    which: number,
    status: 'COMPLETED' | 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR' | 'IN_PROGRESS',
  ): Command | undefined {
    const reportable = [...open].filter((task) => isWorkerTask(task) || task.taskType === 'HUMAN');
    const task = reportable[which % Math.max(1, reportable.length)];
    if (task === undefined) return undefined;
    return {
      kind: 'update-task',
      task: { taskNumber: task.number },
      result: result(status, { by: which }),
      mergeOutput: false,
    };
  }

  /** Workers report and no control interferes: everything ends. */
  finish(): void {
    for (let rounds = 0; rounds < roundsMax; rounds++) {
      const id = [...this.world.opens.keys()].find(
        (each) => !isTerminalWorkflow(this.world.open(each).execution.state.status),
      );
      if (id === undefined) return;
      this.#work(id);
    }
    for (const id of this.world.opens.keys()) {
      if (isTerminalWorkflow(this.world.open(id).execution.state.status)) continue;
      expect.fail(`${id} does not come to an end:\n${this.world.list(id).join('\n')}`);
    }
  }

  #work(id: ExecutionId): void {
    const { openTasks, execution } = this.world.open(id);
    if (execution.state.status === 'PAUSED') this.world.command(id, { kind: 'resume' });
    for (const task of [...openTasks]) {
      if (!isWorkerTask(task) && task.taskType !== 'HUMAN') continue;
      const command = this.#report(new Set([task]), 0, 'COMPLETED');
      if (command !== undefined) this.world.command(id, command);
    }
    for (const task of openTasks) {
      if (task.taskType === 'SUB_WORKFLOW' && task.subWorkflowId !== undefined)
        this.#work(task.subWorkflowId);
    }
    this.world.pass(100_000);
  }

  check(): void {
    for (const id of this.world.opens.keys()) {
      this.#checkReplay(id);
      this.#checkReopening(id);
      this.#checkAbsorbing(id);
      this.#checkWitness(id);
      this.#checkQueues(id);
      this.#checkRecords(id);
    }
  }

  #checkReplay(id: ExecutionId): void {
    const { execution } = this.world.open(id);
    expect(this.#parts.get(id)).toEqual(partsOf(execution));
  }

  #checkReopening(id: ExecutionId): void {
    const live = this.world.open(id);
    const copy = openExecution(copyExecution(live.execution));
    expect([...copy.openTasks].map((task) => task.number).sort()).toEqual(
      [...live.openTasks].map((task) => task.number).sort(),
    );
    expect(nextWakeAt(copy)).toBe(nextWakeAt(live));
    if (live.execution.state.status === 'PAUSED') return;
    if (copy.isBusy) step(copy, { kind: 'continue' }, this.world.context);
    const before = partsOf(live.execution);
    const after = partsOf(copy.execution);
    before.delete('state');
    after.delete('state');
    expect(after).toEqual(before);
  }

  #checkAbsorbing(id: ExecutionId): void {
    const { state, tasks } = this.world.open(id).execution;
    for (const task of tasks) {
      const key = `${id}:${task.number}:${task.reopenCount}`;
      const before = this.#terminal.get(key);
      if (before !== undefined && before !== task.status)
        expect(task.status).toBe('COMPLETED_WITH_ERRORS');
      if (isTerminalTask(task.status)) this.#terminal.set(key, task.status);
    }
    const endedIn = this.#ended.get(id);
    if (isTerminalWorkflow(state.status)) this.#ended.set(id, state.generation);
    else if (endedIn !== undefined) expect(state.generation).toBeGreaterThan(endedIn);
  }

  #checkWitness(id: ExecutionId): void {
    const open = this.world.open(id);
    const { state, outbox } = open.execution;
    expect(outbox.size).toBe(0);
    if (isTerminalWorkflow(state.status)) expect(open.openTasks.size).toBe(0);
    if (state.status !== 'RUNNING') return;
    expect(open.isBusy).toBe(false);
    const movable = [...open.openTasks].some((task) => this.#isMovable(task));
    const reasons = why(open, noFacts, this.world.now).waitsFor.map(({ kind }) => kind);
    expect(reasons.some((kind) => kind !== 'branches' && kind !== 'loop')).toBe(movable);
    if (!movable) expect.fail(`${id} cannot move on:\n${this.world.list(id).join('\n')}`);
  }

  #isMovable(task: Task): boolean {
    if (delayedStartAt(task) > 0) return true;
    if (task.taskType === 'SUB_WORKFLOW') {
      const child = this.world.opens.get(task.subWorkflowId as ExecutionId);
      return child !== undefined && !isTerminalWorkflow(child.execution.state.status);
    }
    return isWorkerTask(task) || task.taskType === 'WAIT' || task.taskType === 'HUMAN';
  }

  #checkQueues(id: ExecutionId): void {
    const open = this.world.open(id);
    const attempts = this.#attempts(id);
    const wanted = new Set<string>();
    for (const task of open.openTasks) {
      if (!isWorkerTask(task)) continue;
      const key = `${task.number}:${task.reopenCount}`;
      if (task.status === 'SCHEDULED' && !attempts.has(key))
        expect.fail(`${task.ref} is in no queue`);
      wanted.add(key);
    }
    for (const key of attempts) {
      if (!wanted.has(key)) expect.fail(`Attempt ${key} of ${id} was left in its queue`);
    }
  }

  #checkRecords(id: ExecutionId): void {
    const { tasks, state } = this.world.open(id).execution;
    const numbers = new Set<number>();
    let seq = 0;
    for (const task of tasks) {
      expect(numbers.has(task.number)).toBe(false);
      numbers.add(task.number);
      expect(task.number).toBeLessThanOrEqual(state.taskCounter);
      if (task.seq > 0) expect(task.seq).toBeGreaterThan(seq);
      seq = Math.max(seq, task.seq);
    }
    expect(seq).toBeLessThanOrEqual(state.seqCounter);
  }
}

function play(
  list: readonly Shape[],
  acts: readonly Action[],
  options: { itemsPerStepMax: number; reloads: boolean },
): void {
  const history = new History(options.itemsPerStepMax, options.reloads);
  history.world.start(workflow(new DefinitionWriter().write(list)));
  history.check();
  for (const action of acts) history.act(action);
  history.finish();
  history.check();
}

/**
 * `reloads`: every execution is opened again from its records after each step, also in the middle
 * of a transition.
 */
const worlds = fc.record({
  itemsPerStepMax: fc.constantFrom(1, 7, 500),
  reloads: fc.boolean(),
});

describe('a random history of reports, time and control operations', () => {
  it('keeps every invariant', () => {
    fc.assert(
      fc.property(shapes, actions, worlds, (list, acts, options) => {
        play(list, acts, options);
      }),
      { numRuns: Number(process.env['HISTORY_RUNS'] ?? 150) },
    );
  }, 120_000);
});
