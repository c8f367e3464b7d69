// Human tasks in Redis: a hash of entries, and for each value of a facet and each state a sorted
// set of task ids by their newest change. A task stands in four sets: its state alone, and its
// state with its assignee, its claimant and its definition. So a page of one facet is the merge of
// a few sets (six states at most per value), and its total the sum of their sizes: 15 of 1,000,000
// cost as much as 15 of 100. Questions over two facets, about anything else or in another order
// look at the entries of the smaller facet, up to `lookedAtMax`: the newest, or, by due time, what
// is due first and then what has waited longest.
import { parseOwnJson, toJsonText } from '../model/json-text.js';
import type { HumanUser } from '../model/human/human-definition.js';
import { byDueTime } from '../model/human/human-search.js';
import { humanStates, type HumanState, type HumanTaskEntry } from '../model/human/human-entry.js';
import { StoreError } from '../store/execution-store.js';
import type { HumanTaskPage, HumanTaskQuery, HumanTaskStore } from '../store/human-task-store.js';
import type { RedisClient } from './client.js';
import { packText, unpackText } from './codec/record.js';
import { changedLifeMs, minuteMs } from './change-lists.js';
import { markOf } from './page-start.js';
import { Script } from './script.js';
import { partsOf } from '../std/parts.js';

const putScript = Script.named('put-human-task');

export interface HumanTaskLimits {
  /** Entries that one question looks at when its facet does not answer it alone. */
  readonly lookedAtMax: number;
}

const idsPerCallMax = 500;
/** Ids of one set that one command reads: some 0.5 ms of Redis. */
const readPerCallMax = 1000;
/** Tasks in front of a page that are read rather than counted. */
const skippedMax = 500;
const displayNamesMax = 1000;
/** Writes of one entry before it is given up; each other one means another writer was first. */
const attemptsMax = 10;
const endedStates: ReadonlySet<HumanState> = new Set(['COMPLETED', 'TIMED_OUT', 'DELETED']);

/** Sets that together hold what a question asks for; disjoint but for those of `involved`. */
type Source = readonly string[];

/** The entry of a task in the index; null: none. */
interface StoredEntry {
  readonly entry: Buffer | null;
  readonly sets: readonly string[];
}

interface Changed {
  readonly id: string;
  /** Of its newest change, epoch ms. */
  readonly at: number;
}

export class RedisHumanTaskStore implements HumanTaskStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly limits: HumanTaskLimits,
  ) {}

  async put(entry: HumanTaskEntry): Promise<void> {
    await this.#replace(entry.taskId, entry);
  }

  async remove(taskId: string): Promise<void> {
    await this.#replace(taskId, undefined);
  }

  /** Another writer of the same task comes between reading and writing now and then. */
  async #replace(taskId: string, entry: HumanTaskEntry | undefined): Promise<void> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const before = await this.#stored(taskId);
      if (entry === undefined && before.entry === null) return;
      if (await this.#write(taskId, before, entry)) return;
    }
    throw new StoreError('not-applied', `Human task ${taskId} kept changing while it was indexed`);
  }

  async #stored(taskId: string): Promise<StoredEntry> {
    const { keys, reads } = this.redis;
    // The entry first: sets that are read after it and are of another one are of a newer one, whose
    // bytes the script will find.
    const [entry, text] = (await reads.callAll([
      ['HGET', keys.humanTasks(), taskId],
      ['HGET', keys.humanTaskSets(), taskId],
    ])) as [Buffer | null, Buffer | null];
    return { entry, sets: setsIn(text) };
  }

  async #write(
    taskId: string,
    before: StoredEntry,
    entry: HumanTaskEntry | undefined,
  ): Promise<boolean> {
    const { keys, commits } = this.redis;
    const sets = entry === undefined ? [] : setsOf(entry);
    const left = before.sets.filter((set) => !sets.includes(set));
    const minute = Math.floor(this.redis.estimatedNow / minuteMs);
    const stored = await commits.run(
      putScript,
      [
        keys.humanTasks(),
        keys.humanTaskSets(),
        keys.humanTasksEnded(),
        keys.humanTaskNames(),
        keys.humanTasksChanged(minute),
        keys.humanTasksDue(),
        ...[...left, ...sets].map((set) => keys.humanTaskSet(set)),
      ],
      [
        taskId,
        before.entry ?? '',
        entry === undefined ? '' : packText(toJsonText(entry)),
        JSON.stringify(sets),
        left.length,
        entry?.updatedOn ?? 0,
        entry !== undefined && endedStates.has(entry.state) ? 1 : 0,
        entry?.displayName ?? '',
        displayNamesMax,
        changedLifeMs,
        entry?.dueTime ?? 0,
      ],
    );
    return stored === 1;
  }

  async search(query: HumanTaskQuery): Promise<HumanTaskPage> {
    const sources = sourcesOf(query);
    const sizes = await Promise.all(sources.map((source) => this.#sizeOf(source)));
    const smallest = sizes.indexOf(Math.min(...sizes));
    const source = sources[smallest] as Source;
    const total = sizes[smallest] as number;
    const { start, size, fits, order } = query;
    if (query.ids !== undefined) return await this.#among(query.ids, query, sources);
    if (sources.length === 1 && fits === undefined && (order === undefined || size === 0)) {
      if (size === 0 || start >= total) return { entries: [], total };
      return { entries: await this.#read(await this.#page(source, total, query)), total };
    }
    const { lookedAtMax } = this.limits;
    const isCut = total > lookedAtMax && order === 'due-first';
    const ids = isCut
      ? await this.#dueFirst(source, lookedAtMax)
      : await this.#newest(source, lookedAtMax, Infinity);
    const page = await this.#among([...new Set(ids)], query, sources);
    return sources.length === 1 && fits === undefined ? { ...page, total } : page;
  }

  /** Those of `ids` that stand in all sources and fit, in their order or the one asked for. */
  async #among(
    ids: readonly string[],
    { start, size, fits, order }: HumanTaskQuery,
    sources: readonly Source[],
  ): Promise<HumanTaskPage> {
    const others = sources.map((each) => new Set(each));
    const found: HumanTaskEntry[] = [];
    for (const some of partsOf(ids, idsPerCallMax)) {
      for (const entry of await this.#read(some)) {
        const sets = setsOf(entry);
        const isInAll = others.every((other) => sets.some((set) => other.has(set)));
        if (isInAll && fits?.(entry) !== false) found.push(entry);
      }
    }
    if (order === 'due-first') found.sort(byDueTime);
    return { entries: found.slice(start, start + size), total: found.length };
  }

  async *scan(): AsyncGenerator<string[]> {
    const { keys, reads } = this.redis;
    let cursor = '0';
    do {
      const reply = await reads.call('HSCAN', keys.humanTaskSets(), cursor, 'COUNT', idsPerCallMax);
      const [next, flat] = reply as [string, string[]];
      cursor = String(next);
      yield flat.filter((_, i) => i % 2 === 0).map(String);
    } while (cursor !== '0');
  }

  async entries(ids: readonly string[]): Promise<(HumanTaskEntry | undefined)[]> {
    const found = new Map((await this.#read(ids)).map((entry) => [entry.taskId, entry]));
    return ids.map((id) => found.get(id));
  }

  async dueBefore(at: number): Promise<{ count: number; first: HumanTaskEntry | undefined }> {
    const { keys, reads } = this.redis;
    const range = [keys.humanTasksDue(), '-inf', `(${at}`] as const;
    const [count, ids] = (await reads.callAll([
      ['ZCOUNT', ...range],
      ['ZRANGEBYSCORE', ...range, 'LIMIT', 0, 1],
    ])) as [number, Buffer[]];
    const [first] = await this.#read(ids.map(String));
    return { count, first };
  }

  async displayNames(): Promise<string[]> {
    const key = this.redis.keys.humanTaskNames();
    return ((await this.redis.reads.call('ZRANGE', key, 0, -1)) as string[]).sort();
  }

  async expire(before: number): Promise<boolean> {
    const { keys, reads } = this.redis;
    const range = ['-inf', `(${before}`, 'LIMIT', 0, idsPerCallMax] as const;
    const ids = (await reads.call('ZRANGEBYSCORE', keys.humanTasksEnded(), ...range)) as string[];
    for (const id of ids) await this.remove(id);
    return ids.length === idsPerCallMax;
  }

  async #sizeOf(source: Source): Promise<number> {
    const { keys, reads } = this.redis;
    const sizes = (await reads.callAll(
      source.map((set) => ['ZCARD', keys.humanTaskSet(set)] as const),
    )) as number[];
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** The ids of a page, newest change first; what stands far in front of it is not read. */
  async #page(source: Source, total: number, page: HumanTaskQuery): Promise<string[]> {
    const { start, size } = page;
    const [newest] = start > skippedMax ? await this.#marked(source, 1, Infinity) : [];
    if (newest === undefined) {
      return (await this.#newest(source, start + size, Infinity)).slice(start);
    }
    const list = { first: newest.at, last: await this.#oldest(source), total };
    const countBefore = (at: number): Promise<number> => this.#countFrom(source, at + 1);
    const { at, before } = await markOf(start, list, { skippedMax, countBefore });
    return (await this.#newest(source, start + size - before, at)).slice(start - before);
  }

  /** Time of the oldest change, epoch ms. */
  async #oldest(source: Source): Promise<number> {
    const { keys, reads } = this.redis;
    const found = (await reads.callAll(
      source.map((set) => ['ZRANGE', keys.humanTaskSet(set), 0, 0, 'WITHSCORES'] as const),
    )) as Buffer[][];
    return Math.min(...found.flatMap(toChanged).map(({ at }) => at));
  }

  /** How many have changed at a time or later. */
  async #countFrom(source: Source, from: number): Promise<number> {
    const { keys, reads } = this.redis;
    const counts = (await reads.callAll(
      source.map((set) => ['ZCOUNT', keys.humanTaskSet(set), from, '+inf'] as const),
    )) as number[];
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * Reads the tasks of a source that are due first, then those that have not changed for longest.
   */
  async #dueFirst(source: Source, count: number): Promise<string[]> {
    const { keys, reads } = this.redis;
    const wanted = new Set(source);
    const due: string[] = [];
    for (let offset = 0; offset < count; offset += readPerCallMax) {
      const range = [offset, Math.min(count, offset + readPerCallMax) - 1] as const;
      const found = (await reads.call('ZRANGE', keys.humanTasksDue(), ...range)) as Buffer[];
      const ids = found.map(String);
      const sets = await this.#setsOf(ids);
      due.push(...ids.filter((_, i) => sets[i]?.some((set) => wanted.has(set))));
      if (ids.length < readPerCallMax) break;
    }
    const oldest = await this.#marked(source, count - due.length, Infinity, 'oldest');
    return [...due, ...oldest.map(({ id }) => id)];
  }

  /** The sets that each task stands in. */
  async #setsOf(ids: readonly string[]): Promise<string[][]> {
    if (ids.length === 0) return [];
    const { keys, reads } = this.redis;
    const texts = (await reads.callBuffer(
      'HMGET',
      keys.humanTaskSets(),
      ...ids,
    )) as (Buffer | null)[];
    return texts.map(setsIn);
  }

  async #newest(source: Source, count: number, until: number): Promise<string[]> {
    return (await this.#marked(source, count, until)).map(({ id }) => id);
  }

  /** The newest changes up to a time (epoch ms), or the oldest of all, read in portions. */
  async #marked(
    source: Source,
    count: number,
    until: number,
    first: 'newest' | 'oldest' = 'newest',
  ): Promise<Changed[]> {
    const { keys, reads } = this.redis;
    let left = source;
    const all: Changed[] = [];
    for (let offset = 0; offset < count && left.length > 0; offset += readPerCallMax) {
      const asked = Math.min(count - offset, readPerCallMax);
      const newest = until === Infinity ? '+inf' : until;
      const [command, ...bounds] =
        first === 'newest'
          ? (['ZREVRANGEBYSCORE', newest, '-inf'] as const)
          : (['ZRANGEBYSCORE', '-inf', newest] as const);
      const range = [...bounds, 'WITHSCORES', 'LIMIT', offset, asked] as const;
      const lists = (await reads.callAll(
        left.map((set) => [command, keys.humanTaskSet(set), ...range] as const),
      )) as Buffer[][];
      all.push(...lists.flatMap(toChanged));
      left = left.filter((_, i) => (lists[i] as Buffer[]).length === 2 * asked);
    }
    const sign = first === 'newest' ? 1 : -1;
    all.sort((a, b) => sign * (b.at - a.at || (a.id < b.id ? 1 : -1)));
    return all.slice(0, Math.max(0, count));
  }

  async #read(ids: readonly string[]): Promise<HumanTaskEntry[]> {
    if (ids.length === 0) return [];
    const found = (await this.redis.reads.callBuffer(
      'HMGET',
      this.redis.keys.humanTasks(),
      ...ids,
    )) as (Buffer | null)[];
    return found.flatMap((bytes) =>
      bytes === null ? [] : parseOwnJson<HumanTaskEntry>(unpackText('human task', bytes)),
    );
  }
}

function toChanged(list: readonly Buffer[]): Changed[] {
  const found: Changed[] = [];
  for (let i = 0; i < list.length; i += 2) {
    found.push({ id: String(list[i]), at: Number(list[i + 1]) });
  }
  return found;
}

function setsIn(text: Buffer | null): string[] {
  return text === null ? [] : (JSON.parse(text.toString()) as string[]);
}

function setsOf({ state, assignee, claimant, definitionName }: HumanTaskEntry): string[] {
  return [
    facet(state, 'state', ''),
    facet(state, 'assignee', assignee === undefined ? '' : nameOf(assignee)),
    facet(state, 'claimant', claimant === undefined ? '' : nameOf(claimant)),
    facet(state, 'definition', definitionName),
  ];
}

/** One source for each facet that the question names; that of the states when it names none. */
function sourcesOf(query: HumanTaskQuery): Source[] {
  const states = query.states.length === 0 ? humanStates : [...new Set(query.states)];
  const sourceOf = (name: string, values: readonly string[]): Source[] =>
    values.length === 0
      ? []
      : [[...new Set(values)].flatMap((value) => states.map((state) => facet(state, name, value)))];
  const sources = [
    ...sourceOf('assignee', query.assignees.map(nameOf)),
    ...sourceOf('claimant', query.claimants.map(nameOf)),
    ...sourceOf('definition', query.definitionNames),
    ...involvedSource(query.involved, states),
  ];
  return sources.length === 0 ? sourceOf('state', ['']) : sources;
}

function involvedSource(
  users: readonly HumanUser[] | undefined,
  states: readonly HumanState[],
): Source[] {
  if (users === undefined) return [];
  const assigned = states.flatMap((state) =>
    ['', ...users.map(nameOf)].map((name) => facet(state, 'assignee', name)),
  );
  const claimed = states.flatMap((state) =>
    users.map((user) => facet(state, 'claimant', nameOf(user))),
  );
  return [[...assigned, ...claimed]];
}

function facet(state: HumanState, name: string, value: string): string {
  return `${state} ${name} ${value}`;
}

function nameOf({ userType, user }: HumanUser): string {
  return `${userType} ${user}`;
}
