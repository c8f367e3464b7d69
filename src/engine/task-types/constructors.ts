// Builds task types. Each constructor stands for one way in which a record ends, and its parameter
// requires the members without which a record of that kind would never end: a type that leaves one
// out does not compile (test/engine/task-types/constructors.test.ts). Members that belong to
// another kind are refused. Everything else has a default here, which a type may replace.
import { evaluatedAttemptInput } from '../attempt-input.js';
import { plainInput } from '../mapping.js';
import { signalReason } from '../wait-reason.js';
import { beginInline, beginRunning } from './inline-run.js';
import type { RerunRule, RetryRule, TaskType } from './contract.js';

/** A new attempt, made by the definition's retry rule as well as by hand. */
export const retriedByRule: RetryRule = {
  isAutomatic: true,
  failed: 'new-attempt',
  cancelled: 'new-attempt',
  input: evaluatedAttemptInput,
};

/** A new attempt, made by hand only. */
export const retriedByHand: RetryRule = { ...retriedByRule, isAutomatic: false };

/** The second run gets the input of the first, or any that the caller gives. */
export const rerunAsItWas: RerunRule = {
  input: 'kept',
  refuseInput: () => undefined,
  renew: () => undefined,
};

/** The second run evaluates the parameters again. */
export const rerunEvaluated: RerunRule = { ...rerunAsItWas, input: 'parameters' };

/** The same, merged with the definition's input template. */
export const rerunWithTemplate: RerunRule = {
  ...rerunAsItWas,
  input: 'parameters-and-template',
};

/** Every type says these itself. */
type Named = 'names' | 'reaches' | 'map';
/** The engine runs the record, at once or when `isDue` says so. */
type Execution = 'execute' | 'isDue';
type Timer = 'timerAt' | 'timerFired';

/**
 * The members that a type declares: `Needed` of its kind, and any other member except those of the
 * kind `Foreign`. `isFollowed` follows from `closed`.
 */
type Declared<Needed extends keyof TaskType, Foreign extends keyof TaskType> = Pick<
  TaskType,
  Named | Needed
> &
  Partial<Omit<TaskType, Named | Needed | Foreign | 'isFollowed'>>;

/**
 * The record runs inside the transition that made it. Declares `execute`, which ends the record or
 * parks on a script.
 */
export function inlineType(declared: Declared<'execute', 'isDue' | Timer>): TaskType {
  return {
    ...{ ...ordinary, begin: beginInline, isDue: () => true },
    ...declared,
    ...followed(declared),
  };
}

/**
 * The record is complete when `map` has made it. Declares how its tasks follow: `settle` schedules
 * them, `begin` does so again after a reset.
 */
export function expandingType(
  declared: Declared<'begin' | 'settle' | 'role', Execution | Timer>,
): TaskType {
  return { ...ordinary, ...notExecuted, ...declared, ...followed(declared) };
}

/**
 * The record waits for something of its own execution, such as other records or messages. Declares
 * when it is due and what `execute` does then.
 */
export function conditionType(declared: Declared<Execution | 'whyWaits', Timer>): TaskType {
  return { ...ordinary, begin: beginInline, ...declared, ...followed(declared) };
}

/**
 * The record waits until somebody outside the engine ends it: a worker, the server, another
 * execution or a caller. Declares when that is so.
 */
export function outsideType(
  declared: Declared<'waitsForOutside' | 'whyWaits', Execution | Timer>,
): TaskType {
  return { ...ordinary, ...notExecuted, begin: beginRunning, ...declared, ...followed(declared) };
}

/**
 * As an outside type, but its own time moves the record as well. Declares that time and what
 * happens then.
 */
export function timedType(
  declared: Declared<Timer | 'waitsForOutside' | 'whyWaits', Execution>,
): TaskType {
  return { ...ordinary, ...notExecuted, begin: beginRunning, ...declared, ...followed(declared) };
}

/** The members of a type without a behaviour of its own. */
const ordinary: Omit<TaskType, Named | Execution | 'begin' | 'isFollowed'> = {
  carriedOutBy: 'engine',
  role: 'plain',
  check: () => [],
  nest: () => undefined,
  inputOf: (t, site) => plainInput(t, site, true),
  startDelayed: () => undefined,
  successor: (_t, _task, node) => node.next,
  settle: () => false,
  cancel: () => undefined,
  closed: () => undefined,
  waitsFor: () => [],
  timerAt: () => 0,
  timerFired: () => undefined,
  hasResponseTimeout: false,
  whilePaused: () => undefined,
  progressReported: () => undefined,
  takesSignals: false,
  takesMessages: false,
  blocksCallers: () => false,
  waitsForOutside: () => false,
  hasSchemas: false,
  retry: retriedByRule,
  rerun: rerunAsItWas,
  derivedInput: undefined,
  derivedOutput: undefined,
  whyWaits: signalReason,
  runByServer: undefined,
  enteredAs: undefined,
};

const notExecuted: Pick<TaskType, Execution> = { execute: () => 'done', isDue: () => false };

function followed({ closed }: Partial<Pick<TaskType, 'closed'>>): Pick<TaskType, 'isFollowed'> {
  return { isFollowed: closed !== undefined };
}
