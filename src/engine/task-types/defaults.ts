// What a task type says when it has nothing of its own to say. A type names each of these constants
// itself or spreads one of the sets at the end, so that nothing is left out by accident.
import { evaluatedAttemptInput } from '../attempt-input.js';
import { plainInput } from '../mapping.js';
import { signalReason } from '../wait-reason.js';
import { beginInline, beginRunning } from './inline-run.js';
import type { RerunRule, RetryRule, TaskType } from './contract.js';

/** Every configuration of the type may be registered. */
export const noChecks: TaskType['check'] = () => [];

/** No configurations stand inside one of this type. */
export const nothingNested: TaskType['nest'] = () => undefined;

/** Nothing runs inside the transition. */
export const neverExecuted: Pick<TaskType, 'execute' | 'isDue'> = {
  execute: () => 'done',
  isDue: () => false,
};

/** The next node follows. */
export const nextFollows: TaskType['successor'] = (_t, _task, node) => node.next;

/** The rule of semantics 2.3.6 applies. */
export const settledByRule: TaskType['settle'] = () => false;

/** Nobody has to be told of the end. */
export const notFollowed: Pick<TaskType, 'isFollowed' | 'closed'> = {
  isFollowed: false,
  closed: () => undefined,
};

/** Nothing runs elsewhere. */
export const nothingToCancel: TaskType['cancel'] = () => undefined;

export const noTimer: Pick<TaskType, 'timerAt' | 'timerFired'> = {
  timerAt: () => 0,
  timerFired: () => undefined,
};

/** A pause holds everything back. */
export const restsWhilePaused: TaskType['whilePaused'] = () => undefined;

/** A report of progress changes nothing but what it says. */
export const progressKept: TaskType['progressReported'] = () => undefined;

/** No other record has to end first. */
export const waitsForNothing: TaskType['waitsFor'] = () => [];

/** The type knows no start delay (semantics 4.0.4). */
export const neverDelayed: TaskType['startDelayed'] = () => undefined;

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

/** What is shown is what is stored. */
export const nothingDerived: Pick<TaskType, 'derivedInput' | 'derivedOutput'> = {
  derivedInput: undefined,
  derivedOutput: undefined,
};

/** Nobody but the engine moves the record on. */
const takesNothing: Pick<
  TaskType,
  'takesSignals' | 'takesMessages' | 'blocksCallers' | 'waitsForOutside'
> = {
  takesSignals: false,
  takesMessages: false,
  blocksCallers: () => false,
  waitsForOutside: () => false,
};

type Own = 'names' | 'reaches' | 'map' | 'execute';

/**
 * A type that runs inside the transition that made its record. It adds its names, what it
 * reaches, `map` and `execute`.
 */
export const inlineType: Omit<TaskType, Own> = {
  carriedOutBy: 'engine',
  role: 'plain',
  check: noChecks,
  nest: nothingNested,
  inputOf: (t, site) => plainInput(t, site, true),
  begin: beginInline,
  isDue: () => true,
  startDelayed: neverDelayed,
  successor: nextFollows,
  settle: settledByRule,
  cancel: nothingToCancel,
  ...notFollowed,
  ...noTimer,
  hasResponseTimeout: false,
  whilePaused: restsWhilePaused,
  progressReported: progressKept,
  ...takesNothing,
  hasSchemas: false,
  waitsFor: waitsForNothing,
  retry: retriedByRule,
  rerun: rerunAsItWas,
  ...nothingDerived,
  whyWaits: signalReason,
};

/**
 * A type whose record is IN_PROGRESS from the start and waits for something. It adds its names,
 * what it reaches, `map`, and what it waits for.
 */
export const waitingType: Omit<TaskType, 'names' | 'reaches' | 'map'> = {
  ...inlineType,
  ...neverExecuted,
  begin: beginRunning,
};
