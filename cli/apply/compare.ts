// Compares a file with the record on a server. A server fills in defaults and keeps records of its
// own, which no file has: those do not count, so that a file that was applied is unchanged at the
// next time.
import { isObject, type JsonObject } from '../shared/json.js';

export interface Rules {
  readonly defaults: Readonly<Record<string, readonly unknown[]>>;
  readonly uncompared: readonly string[];
}

/** `tasks[0].name: "a" -> "b"`, one per difference. */
export function differences(wanted: JsonObject, found: JsonObject, rules: Rules): string[] {
  return ofObjects(wanted, found, '', rules);
}

function ofObjects(wanted: JsonObject, found: JsonObject, path: string, rules: Rules): string[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...names].sort().flatMap((name) => {
    if (path === '' && rules.uncompared.includes(name)) return [];
    const at = path === '' ? name : `${path}.${name}`;
    return ofValues(wanted[name], found[name], at, name, rules);
  });
}

function ofValues(
  wanted: unknown,
  found: unknown,
  path: string,
  name: string,
  rules: Rules,
): string[] {
  if (isObject(wanted) && isObject(found)) return ofObjects(wanted, found, path, rules);
  if (Array.isArray(wanted) && Array.isArray(found)) return ofLists(wanted, found, path, rules);
  if (JSON.stringify(wanted) === JSON.stringify(found)) return [];
  if (isImplied(wanted, name, rules) && isImplied(found, name, rules)) return [];
  return [`${path}: ${shown(found)} -> ${shown(wanted)}`];
}

function ofLists(
  wanted: readonly unknown[],
  found: readonly unknown[],
  path: string,
  rules: Rules,
): string[] {
  const length = Math.max(wanted.length, found.length);
  return Array.from({ length }, (_, index) => index).flatMap((index) => {
    const at = `${path}[${index}]`;
    if (index >= wanted.length) return [`${at}: ${shown(found[index])} -> gone`];
    if (index >= found.length) return [`${at}: new ${shown(wanted[index])}`];
    return ofValues(wanted[index], found[index], at, '', rules);
  });
}

/** Whether a value says no more than its absence does. */
function isImplied(value: unknown, name: string, { defaults, uncompared }: Rules): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false)
    return true;
  if (defaults[name]?.includes(value) === true) return true;
  if (Array.isArray(value)) return value.length === 0;
  // An object of defaults alone, such as the task definition that a server embeds.
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([inner, each]) =>
        uncompared.includes(inner) || isImplied(each, inner, { defaults, uncompared }),
    )
  );
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** A file of what a server has: without what the server adds, and without what it would fill in. */
export function exported(found: JsonObject, rules: Rules, required: readonly string[]): JsonObject {
  const kept = Object.entries(found).filter(
    ([name, value]) =>
      required.includes(name) ||
      (!rules.uncompared.includes(name) && !isImplied(value, name, rules)),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, trimmed(value, rules)]));
}

/** The same inside, where only empty values and defaults of known fields go. */
function trimmed(value: unknown, rules: Rules): unknown {
  if (Array.isArray(value)) return value.map((each) => trimmed(each, rules));
  if (!isObject(value) || !('taskReferenceName' in value)) return value;
  const kept = Object.entries(value).filter(
    ([name, each]) => name === 'type' || !isImplied(each, name, rules),
  );
  return Object.fromEntries(kept.map(([name, each]) => [name, inside(name, each, rules)]));
}

const listsOfTasks = ['decisionCases', 'defaultCase', 'forkTasks', 'loopOver'];

function inside(name: string, value: unknown, rules: Rules): unknown {
  if (!listsOfTasks.includes(name)) return value;
  if (!isObject(value)) return trimmed(value, rules);
  return Object.fromEntries(
    Object.entries(value).map(([each, list]) => [each, trimmed(list, rules)]),
  );
}
