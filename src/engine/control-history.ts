// Writes the entry of a command into the history of an execution (model/history.ts). Commands of
// the server itself leave no entry, and reports only when a person gives them: what workers and
// programs do all the time stands in the tasks. An event that could not be told to its sink leaves
// one too.
import { taskIdOf } from '../std/ids.js';
import { systemCaller, type Control } from '../model/caller.js';
import type { Execution } from '../model/execution.js';
import type { HistoryEntry } from '../model/history.js';
import type { JsonMap } from '../model/json.js';
import { numberFrom } from '../model/json-text.js';
import type { Command, TaskSelector } from './command.js';
import type { CommandOf } from './command-handlers/contract.js';
import { plainId } from '../model/subject.js';

interface Told {
  readonly taskNumber?: number | undefined;
  readonly changes?: JsonMap;
}

interface Rule<Kind extends Command['kind']> {
  readonly by: 'anybody' | 'person';
  readonly tell: (command: CommandOf<Kind>) => Told;
}

const reasonCharsMax = 1000;
/** Names of one map. */
const namesMax = 50;
const nameCharsMax = 100;

const plain = { by: 'anybody', tell: (): Told => ({}) } as const;

/** `undefined`: nobody but the server sends it, or the record itself says who did it. */
const rules: { readonly [Kind in Command['kind']]: Rule<Kind> | undefined } = {
  start: undefined,
  import: undefined,
  'update-task': {
    by: 'person',
    tell: ({ task, result }) => told(task, { status: result.status, output: result.output.value }),
  },
  'claim-task': undefined,
  'restore-lease': undefined,
  'end-lease': undefined,
  'release-lease': undefined,
  wake: undefined,
  continue: undefined,
  evaluated: undefined,
  'system-task-started': undefined,
  'system-task-result': undefined,
  'place-given': undefined,
  'ask-place': undefined,
  'report-end-again': undefined,
  'message-delivered': undefined,
  'child-ended': undefined,
  'child-reopened': undefined,
  pause: plain,
  resume: plain,
  restart: {
    by: 'anybody',
    tell: ({ snapshot }) => ({ changes: { latestDefinitions: snapshot !== undefined } }),
  },
  retry: {
    by: 'anybody',
    tell: ({ resumeSubworkflowTasks, taskInputs }) => ({
      changes: { resumeSubworkflowTasks, ...inputNames(taskInputs) },
    }),
  },
  rerun: {
    by: 'anybody',
    tell: ({ taskNumber, generation: _, ...given }) => ({ taskNumber, changes: namesIn(given) }),
  },
  'rerun-below': { by: 'anybody', tell: (given) => ({ changes: namesIn(given) }) },
  'skip-task': { by: 'anybody', tell: ({ ref, reason: _, ...given }) => told({ ref }, given) },
  terminate: plain,
  abandon: undefined,
  'reset-callbacks': plain,
  decide: plain,
  upgrade: {
    by: 'anybody',
    tell: ({ snapshot, taskOutput, workflowInput }) => {
      const { name, version } = snapshot.def;
      return { changes: namesIn({ name, version, taskOutput, workflowInput }) };
    },
  },
  jump: { by: 'anybody', tell: ({ ref, taskInput }) => told({ ref }, { taskInput }) },
  'update-variables': {
    by: 'anybody',
    tell: ({ variables }) => ({ changes: namesIn({ variables }) }),
  },
  signal: {
    by: 'person',
    tell: ({ status, output }) => ({ changes: namesIn({ status, output: output.value }) }),
  },
  'push-message': undefined,
  'human-action': undefined,
};

function told(task: TaskSelector, given: object): Told {
  if ('taskNumber' in task) return { taskNumber: task.taskNumber, changes: namesIn(given) };
  return { changes: { ref: task.ref, ...namesIn(given) } };
}

/** Texts, numbers and flags as they are; of maps the names in them. */
function namesIn(given: object): JsonMap {
  const named: JsonMap = {};
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (name === 'kind') continue;
    if (typeof value === 'string') named[name] = value.slice(0, nameCharsMax);
    else if (typeof value === 'number' || typeof value === 'boolean') named[name] = value;
    else if (typeof value === 'object' && value !== null) named[name] = namesOf(value);
  }
  return named;
}

/** The names that each edited input has, as many as a map's in all. */
function inputNames(inputs: { [ref: string]: JsonMap } | undefined): JsonMap {
  if (inputs === undefined) return {};
  const taskInputs: JsonMap = {};
  let left = namesMax;
  for (const [ref, input] of Object.entries(inputs)) {
    if (left <= 0) break;
    const names = namesOf(input).slice(0, left);
    taskInputs[ref.slice(0, nameCharsMax)] = names;
    left -= Math.max(1, names.length);
  }
  return { taskInputs };
}

function namesOf(map: object): string[] {
  const names = Object.keys(map).slice(0, namesMax);
  return names.map((name) => name.slice(0, nameCharsMax));
}

/** Whether the history is to tell of a command that this caller sends. */
export function isTold(command: Command, { caller }: Control): boolean {
  const rule = rules[command.kind];
  if (rule === undefined || caller.kind === 'system') return false;
  return rule.by === 'anybody' || caller.kind === 'user';
}

/**
 * Adds that an event of the execution reached nobody, and why. One entry stands for all events of a
 * sink: it is about the newest and counts them, so that they do not displace what people did.
 */
export function addRefusedEvent(
  execution: Execution,
  { sink, reason }: { readonly sink: string; readonly reason: string },
  bound: { readonly now: number; readonly entriesMax: number },
): void {
  const shown = sink.slice(0, nameCharsMax);
  const known = (execution.history ?? []).find(
    ({ action, changes }) => action === eventRefused && changes?.['sink'] === shown,
  );
  const events = numberFrom(known?.changes?.['events'] ?? 0) + 1;
  const entry = {
    time: bound.now,
    reason: reason.slice(0, reasonCharsMax),
    changes: { sink: shown, events },
  };
  if (known !== undefined) Object.assign(known, entry);
  else {
    const { id: actor, kind: actorKind } = systemCaller;
    append(execution, { actor, actorKind, action: eventRefused, ...entry }, bound.entriesMax);
  }
}

const eventRefused = 'event-refused';

/** Adds that the server ended the execution, because what it decided could not be written. */
export function addAbandoned(
  execution: Execution,
  reason: string,
  bound: { readonly now: number; readonly entriesMax: number },
): void {
  const { id: actor, kind: actorKind } = systemCaller;
  const entry = { time: bound.now, reason: reason.slice(0, reasonCharsMax) };
  append(execution, { actor, actorKind, action: 'abandoned', ...entry }, bound.entriesMax);
}

/** Adds the entry of a command that has changed something. The oldest beyond the bound go. */
export function addToHistory(
  execution: Execution,
  command: Command,
  { caller, reason }: Control,
  bound: { readonly now: number; readonly entriesMax: number },
): void {
  const rule = rules[command.kind] as Rule<Command['kind']> | undefined;
  if (rule === undefined) return;
  const { taskNumber, changes = {} } = rule.tell(command as never);
  const entry: Omit<HistoryEntry, 'revision'> = {
    time: bound.now,
    actor: plainId(caller.id),
    actorKind: caller.kind,
    action: command.kind,
  };
  if (taskNumber !== undefined) entry.taskId = taskIdOf(execution.id, taskNumber);
  if (reason !== undefined && reason !== '') entry.reason = reason.slice(0, reasonCharsMax);
  if (Object.keys(changes).length > 0) entry.changes = changes;
  append(execution, entry, bound.entriesMax);
}

function append(
  execution: Execution,
  entry: Omit<HistoryEntry, 'revision'>,
  entriesMax: number,
): void {
  const history = (execution.history ??= []);
  history.push({ revision: (history.at(-1)?.revision ?? 0) + 1, ...entry });
  if (history.length > entriesMax) history.splice(0, history.length - entriesMax);
}
