// An execution as a tree of lines: tasks in the order of the definition, what is inside of forks,
// decisions, loops and sub-workflows below them. Pure: made from what the server answers, so that a
// test can read it.
import {
  isObject,
  numberOf,
  objectOf,
  objectsOf,
  textOf,
  type JsonObject,
} from '../shared/json.js';
import type { Paint } from '../shared/output.js';

export interface TreeLine {
  readonly depth: number;
  readonly mark: string;
  readonly paint: Paint;
  readonly ref: string;
  readonly type: string;
  /** '' for a task that is not reached yet. */
  readonly status: string;
  /** Time, attempts, reason. */
  readonly about: string;
}

/** Executions of sub-workflows by id, as far as they have been read. */
export type Children = ReadonlyMap<string, JsonObject>;

const depthMax = 6;

const looks: Readonly<Record<string, readonly [mark: string, paint: Paint]>> = {
  COMPLETED: ['✓', 'green'],
  COMPLETED_WITH_ERRORS: ['!', 'yellow'],
  FAILED: ['✗', 'red'],
  FAILED_WITH_TERMINAL_ERROR: ['✗', 'red'],
  TIMED_OUT: ['✗', 'red'],
  TERMINATED: ['■', 'red'],
  CANCELED: ['■', 'yellow'],
  SKIPPED: ['↷', 'dim'],
  IN_PROGRESS: ['▶', 'blue'],
  RUNNING: ['▶', 'blue'],
  PAUSED: ['‖', 'yellow'],
  SCHEDULED: ['○', 'yellow'],
};

/** The tasks of an execution; `now`: epoch ms. */
export function treeOf(execution: JsonObject, children: Children, now: number): TreeLine[] {
  const lines: TreeLine[] = [];
  addExecution(lines, { execution, children, now }, 0);
  return lines;
}

/** One line for the execution as a whole. */
export function headOf(execution: JsonObject, now: number): TreeLine {
  const status = textOf(execution['status']);
  const [mark, paint] = looks[status] ?? ['?', 'dim'];
  const startAt = numberOf(execution['startTime']) || numberOf(execution['createTime']);
  const endAt = numberOf(execution['endTime']) || now;
  const reason = textOf(execution['reasonForIncompletion']);
  return {
    depth: 0,
    ...{ mark, paint, status },
    ref: nameOf(execution),
    type: textOf(execution['workflowId']),
    about: [startAt > 0 ? duration(endAt - startAt) : '', reason].filter(Boolean).join(', '),
  };
}

interface Seen {
  readonly execution: JsonObject;
  readonly children: Children;
  readonly now: number;
}

function addExecution(lines: TreeLine[], seen: Seen, depth: number): void {
  const attempts = new Map<string, JsonObject[]>();
  for (const task of objectsOf(seen.execution['tasks'])) {
    const ref = baseRef(textOf(task['referenceTaskName']), numberOf(task['iteration']));
    attempts.set(ref, [...(attempts.get(ref) ?? []), task]);
  }
  const isOpen = ['RUNNING', 'PAUSED'].includes(textOf(seen.execution['status']));
  const definition = objectOf(seen.execution['workflowDefinition']);
  addList(lines, objectsOf(definition['tasks']), { ...seen, attempts, isOpen }, depth);
  // Tasks that no line of the definition names, such as the branches of a dynamic fork.
  for (const [ref, tasks] of attempts) addTask(lines, { ref, tasks, type: '' }, seen, depth + 1);
}

interface Walk extends Seen {
  /** By reference name; what is shown is taken out. */
  readonly attempts: Map<string, JsonObject[]>;
  readonly isOpen: boolean;
}

function addList(
  lines: TreeLine[],
  configs: readonly JsonObject[],
  walk: Walk,
  depth: number,
): void {
  if (depth > depthMax) return;
  for (const config of configs) {
    const ref = textOf(config['taskReferenceName']);
    const type = textOf(config['type']) || 'SIMPLE';
    const tasks = walk.attempts.get(ref) ?? [];
    walk.attempts.delete(ref);
    // Tasks that a finished execution never reached are left out.
    if (tasks.length === 0 && !(walk.isOpen && depth === 0)) {
      if (!hasReached(config, walk.attempts)) continue;
    }
    addTask(lines, { ref, tasks, type }, walk, depth);
    for (const inner of innerLists(config)) addList(lines, inner, walk, depth + 1);
  }
}

/** The lists of configurations inside one. */
function innerLists(config: JsonObject): JsonObject[][] {
  const forks = config['forkTasks'];
  return [
    ...Object.values(objectOf(config['decisionCases'])).map(objectsOf),
    objectsOf(config['defaultCase']),
    ...(Array.isArray(forks) ? forks.map(objectsOf) : []),
    objectsOf(config['loopOver']),
  ];
}

function hasReached(config: JsonObject, attempts: ReadonlyMap<string, unknown>): boolean {
  return innerLists(config).some((list) =>
    list.some(
      (each) => attempts.has(textOf(each['taskReferenceName'])) || hasReached(each, attempts),
    ),
  );
}

function addTask(
  lines: TreeLine[],
  { ref, tasks, type }: { ref: string; tasks: readonly JsonObject[]; type: string },
  seen: Seen,
  depth: number,
): void {
  const last = tasks.at(-1);
  const status = textOf(last?.['status']);
  const [mark, paint] = looks[status] ?? ['·', 'dim'];
  lines.push({
    ...{ depth, mark, paint, ref, status },
    type: type || textOf(last?.['taskType']),
    about: last === undefined ? '' : aboutTask(tasks, last, seen.now),
  });
  const child = seen.children.get(textOf(last?.['subWorkflowId']));
  if (child !== undefined && depth < depthMax) {
    addExecution(lines, { ...seen, execution: child }, depth + 1);
  }
}

function aboutTask(tasks: readonly JsonObject[], last: JsonObject, now: number): string {
  const startAt = numberOf(last['startTime']) || numberOf(last['scheduledTime']);
  const endAt = numberOf(last['endTime']) || now;
  const rounds = new Set(tasks.map((task) => numberOf(task['iteration']))).size;
  const retries = numberOf(last['retryCount']);
  const worker = textOf(last['status']) === 'IN_PROGRESS' ? textOf(last['workerId']) : '';
  return [
    startAt > 0 ? duration(endAt - startAt) : '',
    rounds > 1 ? `round ${rounds}` : '',
    retries > 0 ? `attempt ${retries + 1}` : '',
    worker === '' ? '' : `with ${worker}`,
    textOf(last['reasonForIncompletion']),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** `charge__2` is the second round of `charge`. */
function baseRef(ref: string, iteration: number): string {
  const end = `__${iteration}`;
  return iteration > 0 && ref.endsWith(end) ? ref.slice(0, -end.length) : ref;
}

export function nameOf(execution: JsonObject): string {
  const name = textOf(execution['workflowName']) || textOf(execution['workflowType']);
  if (name !== '') return name;
  const definition = execution['workflowDefinition'];
  return isObject(definition) ? textOf(definition['name']) : '';
}

/** 12 ms, 3.4 s, 5 min 2 s, 3 h 4 min. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
