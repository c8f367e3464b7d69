// A state machine in the Amazon States Language, as far as its flow goes: states by name, and where
// each one leads. Throws a Failure that names the state and the field when it is none.
import { badInput } from '../shared/failure.js';
import { isObject, objectsOf, textOf, type JsonObject } from '../shared/json.js';

export interface Machine {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, JsonObject>;
  readonly body: JsonObject;
}

/** Something that the converted workflow does not do. */
export interface Note {
  readonly state: string;
  readonly field: string;
  readonly what: string;
}

/** A definition has no more tasks than that, and a state becomes one or more. */
export const statesMax = 2000;

const types = ['Task', 'Choice', 'Parallel', 'Map', 'Wait', 'Pass', 'Succeed', 'Fail'];

/** `place`: where the machine stands, for what is said of it. */
export function readMachine(given: unknown, place: string): Machine {
  if (!isObject(given)) throw badInput(`${place} must be an object with StartAt and States.`);
  const { StartAt: start, States: states } = given;
  if (!isObject(states) || Object.keys(states).length === 0)
    throw badInput(`${place} has no States.`);
  if (Object.keys(states).length > statesMax)
    throw badInput(`${place} has more than ${statesMax} states: split it.`);
  const found = new Map<string, JsonObject>();
  for (const [name, state] of Object.entries(states)) {
    if (!isObject(state) || !types.includes(textOf(state['Type'])))
      throw badInput(`${place}: the Type of state '${name}' must be one of ${types.join(', ')}.`);
    found.set(name, state);
  }
  const startAt = textOf(start);
  const machine = { startAt, states: found, body: given };
  checkTarget(machine, startAt, `${place}: StartAt`);
  for (const [name, state] of found) {
    for (const target of targetsOf(state))
      checkTarget(machine, target, `${place}: state '${name}'`);
    const isLast = ['Succeed', 'Fail', 'Choice'].includes(textOf(state['Type']));
    if (!isLast && state['End'] !== true && textOf(state['Next']) === '')
      throw badInput(`${place}: state '${name}' needs Next or End.`);
  }
  return machine;
}

function checkTarget({ states }: Machine, target: string, place: string): void {
  if (!states.has(target))
    throw badInput(`${place} names the state '${target}', which is not there.`);
}

/** Names of the states that may follow. */
export function targetsOf(state: JsonObject): string[] {
  const next = textOf(state['Next']);
  const targets = [
    ...(next === '' || state['End'] === true ? [] : [next]),
    ...objectsOf(state['Choices']).map((rule) => textOf(rule['Next'])),
    ...(textOf(state['Default']) === '' ? [] : [textOf(state['Default'])]),
    ...objectsOf(state['Catch']).map((each) => textOf(each['Next'])),
  ];
  return [...new Set(targets)];
}

/** States in an order in which each comes before those that follow it; undefined: a loop. */
export function orderOf({ startAt, states }: Machine): string[] | undefined {
  const order: string[] = [];
  const marks = new Map<string, 'open' | 'done'>();
  const visit = (name: string): boolean => {
    const mark = marks.get(name);
    if (mark !== undefined) return mark === 'done';
    marks.set(name, 'open');
    const isTree = targetsOf(states.get(name) ?? {}).every(visit);
    marks.set(name, 'done');
    order.unshift(name);
    return isTree;
  };
  return visit(startAt) ? order : undefined;
}
