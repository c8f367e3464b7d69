// Follows an execution until it ends: a tree that is drawn again in place at a terminal, one line
// per change elsewhere. It asks again and again, soon while things change and once a second while
// they rest, so it works with every server of this API; a server that goes away is asked again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../shared/api-client.js';
import type { Context } from '../shared/context.js';
import { Failure, exitCodes } from '../shared/failure.js';
import { objectOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';
import type { Output } from '../shared/output.js';
import { headOf, treeOf, type Children, type TreeLine } from './tree.js';

const soonMs = 100;
const restMs = 1000;
/** Sub-workflows whose tasks are shown too. */
const childrenMax = 20;

const ended: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'TIMED_OUT', 'TERMINATED']);

export function hasEnded(execution: JsonObject): boolean {
  return ended.has(textOf(execution['status']));
}

export async function readExecution(client: ApiClient, id: string): Promise<JsonObject> {
  const path = `/api/workflow/${encodeURIComponent(id)}`;
  return objectOf(await client.get(path, { query: { includeTasks: true } }));
}

/** Resolves with the execution once it has ended. */
export async function follow(
  { out, client, interrupted }: Context,
  id: string,
): Promise<JsonObject> {
  const server = client();
  const progress = out.isLive ? new LiveTree(out) : new ChangedLines(out);
  const finished = new Map<string, JsonObject>();
  try {
    for (let waitMs = soonMs; ;) {
      const [execution, children] = await server.patiently(
        () => readAll(server, id, finished),
        (sentence) => progress.say(sentence),
      );
      const isNew = progress.show(execution, children);
      if (hasEnded(execution)) return execution;
      waitMs = isNew ? soonMs : Math.min(restMs, waitMs * 1.5);
      await sleep(waitMs, undefined, { signal: interrupted }).catch(() => undefined);
      if (interrupted.aborted) {
        throw new Failure(`${id} goes on; downbeat watch ${id} follows it again.`, 130);
      }
    }
  } finally {
    progress.end();
  }
}

/** The execution and what it has started, those that have ended only once. */
async function readAll(
  client: ApiClient,
  id: string,
  finished: Map<string, JsonObject>,
): Promise<[JsonObject, Children]> {
  const execution = await readExecution(client, id);
  const children = new Map<string, JsonObject>();
  const todo = [execution];
  for (let parent = todo.pop(); parent !== undefined; parent = todo.pop()) {
    for (const task of objectsOf(parent['tasks'])) {
      const childId = textOf(task['subWorkflowId']);
      if (childId === '' || children.has(childId) || children.size >= childrenMax) continue;
      const child = finished.get(childId) ?? (await childOf(client, childId));
      if (child === undefined) continue;
      if (hasEnded(child)) finished.set(childId, child);
      children.set(childId, child);
      todo.push(child);
    }
  }
  return [execution, children];
}

/** undefined: it is gone, or may not be read. */
async function childOf(client: ApiClient, id: string): Promise<JsonObject | undefined> {
  try {
    return await readExecution(client, id);
  } catch (error) {
    const isHidden =
      error instanceof Failure && [exitCodes.notFound, exitCodes.denied].includes(error.code as 5);
    if (isHidden) return undefined;
    throw error;
  }
}

export function lineText(out: Output, line: TreeLine, width: number): string {
  const { depth, mark, paint, ref, type, status, about } = line;
  const name = `${'  '.repeat(depth)}${mark} ${ref}`.padEnd(width);
  const kind = type === 'SIMPLE' || status === '' ? '' : out.painted('dim', ` ${type}`);
  const state = status === '' ? '' : ` ${out.painted(paint, status)}`;
  return `${status === '' ? out.painted('dim', name) : name}${state}${kind}${about === '' ? '' : out.painted('dim', `  ${about}`)}`;
}

/** The whole tree, as lines. */
export function treeText(
  out: Output,
  execution: JsonObject,
  children: Children,
  now: number,
): string[] {
  const head = headOf(execution, now);
  const lines = treeOf(execution, children, now);
  const width = Math.min(
    60,
    Math.max(...[...lines, head].map((it) => it.depth * 2 + it.ref.length + 4)),
  );
  const below = lines.map((line) => lineText(out, { ...line, depth: line.depth + 1 }, width));
  return [lineText(out, head, width), ...below];
}

class LiveTree {
  readonly #region;
  #seen = '';

  constructor(private readonly out: Output) {
    this.#region = out.liveRegion();
  }

  show(execution: JsonObject, children: Children): boolean {
    const now = Date.now();
    this.#region.draw(treeText(this.out, execution, children, now));
    const state = statesOf(execution, children, now);
    const isNew = state !== this.#seen;
    this.#seen = state;
    return isNew;
  }

  say(sentence: string): void {
    this.#region.end();
    this.out.note(sentence);
  }

  end(): void {
    this.#region.end();
  }
}

class ChangedLines {
  readonly #told = new Map<string, string>();

  constructor(private readonly out: Output) {}

  show(execution: JsonObject, children: Children): boolean {
    const now = Date.now();
    let isNew = false;
    const lines = treeOf(execution, children, now).filter(({ status }) => status !== '');
    for (const { depth, ref, type, status, about } of [...lines, headOf(execution, now)]) {
      const key = `${depth} ${ref}`;
      if (this.#told.get(key) === status) continue;
      this.#told.set(key, status);
      isNew = true;
      const time = new Date(now).toISOString();
      this.out.note([time, `${'  '.repeat(depth)}${ref}`, status, type, about].join(' ').trimEnd());
    }
    return isNew;
  }

  say(sentence: string): void {
    this.out.note(sentence);
  }

  end(): void {
    // Nothing is drawn in place.
  }
}

function statesOf(execution: JsonObject, children: Children, now: number): string {
  return treeOf(execution, children, now)
    .map(({ ref, status }) => `${ref} ${status}`)
    .join('\n');
}
