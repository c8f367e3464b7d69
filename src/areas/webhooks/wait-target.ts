// The target of a WAIT_FOR_WEBHOOK task, and whether an event meets it (contract-admin 12.5).
//
// `matches` maps JSON paths to expected values. A value that the definition names itself is
// compared trimmed and without case; one that an expression has given is compared trimmed. An event
// answers a shape of `matches` with the values at its paths: a missing one or null means no match,
// of a list the first element counts.
import { evaluatePath, rootOf } from '../../json-path/evaluate.js';
import { isMatchMap, matchesRule } from '../../engine/task-types/checks.js';
import { isServerTask, serverRunOf } from '../../engine/task-kinds.js';
import type { Task } from '../../model/execution.js';
import { holdsExpression } from '../../model/holds-expression.js';
import type { Json, JsonMap } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';
import { parseMatchPath } from '../../model/match-path.js';
import type { WaitShape, WaitTarget } from './wait-store.js';

/** Paths of one `matches`. */
export const matchPathsMax = 50;

export interface WaitingTask {
  readonly workflowName: string;
  readonly workflowVersion: number;
  /** With the suffix of a loop. */
  readonly ref: string;
  /** Evaluated. */
  readonly input: JsonMap;
  /** As the definition has it. */
  readonly parameters: JsonMap;
}

/** Whether the index of waiting tasks has to know this task. */
export function waitsForWebhook(task: Task): boolean {
  if (task.status !== 'IN_PROGRESS') return false;
  return isServerTask(task) && serverRunOf(task) === 'WAIT_FOR_WEBHOOK';
}

/** The event that the task waits for, or the reason why it can never be found. */
export function targetOf(task: WaitingTask): WaitTarget | { readonly refused: string } {
  if (!isMatchMap(task.input['matches'])) return { refused: matchesRule };
  const matches = matchesOf(task.input);
  const defined = matchesOf(task.parameters);
  const paths = Object.keys(matches).sort();
  if (paths.length === 0) return { refused: 'matches is empty: no event could be told apart' };
  if (paths.length > matchPathsMax) {
    return { refused: `matches may have ${matchPathsMax} paths at most` };
  }
  const malformed = paths.find((path) => parseMatchPath(path) === undefined);
  if (malformed !== undefined) {
    return { refused: `matches has a path that cannot be read: ${malformed.slice(0, 200)}` };
  }
  const isFixed = paths.map(
    (path) => Object.hasOwn(defined, path) && !holdsExpression(defined[path]),
  );
  const shape = { ref: task.ref.replace(/__\d+$/, ''), paths, isFixed };
  const values = paths.map((path, i) => canonical(matches[path] ?? null, isFixed[i] === true));
  const { workflowName, workflowVersion } = task;
  return { workflowName, workflowVersion, shape, values };
}

/** The values that an event has at the paths of a shape; undefined when it cannot match. */
export function valuesOf(shape: WaitShape, payload: JsonMap): string[] | undefined {
  const values: string[] = [];
  for (const [i, text] of shape.paths.entries()) {
    const path = parseMatchPath(text);
    if (path === undefined) return undefined;
    const found = evaluatePath(path, rootOf(payload));
    const value = Array.isArray(found) ? (found[0] ?? null) : found;
    if (value === null) return undefined;
    values.push(canonical(value, shape.isFixed[i] === true));
  }
  return values;
}

/** Clients also put the paths into the input itself. */
function matchesOf(input: JsonMap): JsonMap {
  const { matches } = input;
  if (matches === undefined || matches === null) return input;
  return typeof matches === 'object' && !Array.isArray(matches) ? matches : {};
}

function canonical(value: Json, isFixed: boolean): string {
  const text = typeof value === 'string' ? value.trim() : sortedText(value);
  return isFixed ? text.toLowerCase() : text;
}

/** JSON text with sorted keys. */
function sortedText(value: Json): string {
  if (value === null || typeof value !== 'object') return toJsonText(value);
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${sortedText(value[key] ?? null)}`).join(',')}}`;
}
