// The twin of commit.lua.
import { RedisError, type RedisCalls, type RedisReply } from '../memory-redis.js';
import { pack, unpack, type Packed } from '../message-pack.js';
import { clockOf, readState, readyScore, saveState, type QueueState } from './queue-part.js';
import { optionalTexts, type Twin } from './twin.js';

/** List, its minute since 1970, its life in ms, entries. */
type Note = [number, number, number, string[]];
type StateCheck = [number, string[], string[], Note?];
type SnapshotCheck = [number, string, number, number, string | false, boolean];
type Checks = [StateCheck[], Packed[], SnapshotCheck[], number[], Packed[]];
/** Class and member in turn. */
type Members = (number | string)[];
/** State, ready, hidden, leases, lease ends, members done, members, those that were never there. */
type Move = [number, number, number, number, number, string[], Members, Members];
/** What a partition's mark asks to be noted. */
interface Watched {
  readonly state: string;
  readonly mark: string;
  readonly note: Note;
}
type Grant = [number, number, number, string[], string[], number[]];

/** What the twin checks; a planted fault leaves something out. */
export interface CommitChecks {
  readonly owner: boolean;
  readonly head: boolean;
  /** Part of the fence that counts: all of it, or the epoch alone. */
  readonly token: boolean;
  /** Grants take only what is in ready. */
  readonly ready: boolean;
}

export const allChecks: CommitChecks = { owner: true, head: true, token: true, ready: true };

export const commit: Twin = createCommitTwin(allChecks);

/** `passed`: told whenever a check that is left out would have refused. */
export function createCommitTwin(
  looksAt: CommitChecks,
  passed: () => void = () => undefined,
): Twin {
  return (redis, keys, args) => new Call(redis, keys, { looksAt, passed }).carryOut(args);
}

class Call {
  readonly #owned: boolean[] = [];
  readonly #counted: (string | null)[] = [];
  readonly #watched: Watched[] = [];

  constructor(
    private readonly redis: RedisCalls,
    private readonly keys: readonly string[],
    private readonly plant: { readonly looksAt: CommitChecks; readonly passed: () => void },
  ) {}

  carryOut([
    offset,
    checks = '',
    commands = '',
    moves = '',
    grants = '',
  ]: readonly string[]): RedisReply {
    const [states, commits, snapshots, segments, records] = unpack(checks) as unknown as Checks;
    for (const state of states) this.#readState(state);
    const isNew = this.#areNew(commits);
    const replies: number[] = [];
    for (let i = 0; i < commits.length; i += 5) {
      replies.push(this.#check(commits.slice(i, i + 5), isNew));
    }
    for (let i = 0; i < segments.length; i += 2) {
      const number = (segments[i] as number) - 1;
      const isMissing = this.redis.call('EXISTS', this.#key(segments[i + 1])) === 0;
      if (replies[number] === 0 && isMissing) replies[number] = 5;
    }
    const missing = snapshots.flatMap(([, , , , text, isNeeded], i) =>
      isNeeded && text === false && (this.#counted[i] ?? null) === null ? [i + 1] : [],
    );
    if (missing.length > 0 || replies.some((reply) => reply !== 0)) return [1, replies, missing];
    for (const [name, ...rest] of unpack(commands) as [string, ...(string | number)[]][]) {
      const isKey = (i: number): boolean => i === 0 || (name === 'MSET' && i % 2 === 0);
      this.redis.call(name, ...rest.map((arg, i) => (isKey(i) ? this.#key(arg) : String(arg))));
    }
    for (const snapshot of snapshots) this.#countSnapshot(snapshot);
    for (let i = 0; i < records.length; i += 3) this.#endRecord(records.slice(i, i + 3));
    for (const watched of this.#watched) this.#noteChanges(watched, Number(offset));
    for (const move of unpack(moves) as unknown as Move[]) this.#move(move, Number(offset));
    return [0, (unpack(grants) as unknown as Grant[]).map((grant) => this.#grant(grant))];
  }

  #key(position: Packed | undefined): string {
    return this.keys[(position as number) - 1] as string;
  }

  #readState([state, fields, fences, note]: StateCheck): void {
    const stored = optionalTexts(this.redis.call('HMGET', this.#key(state), ...fields));
    const mark = note === undefined ? null : (stored.pop() ?? null);
    if (note !== undefined && mark !== null) {
      this.#watched.push({ state: this.#key(state), mark, note });
    }
    for (const [i, fence] of fences.entries()) this.#owned.push(this.#isSame(stored[i], fence));
    this.#counted.push(...stored.slice(fences.length));
  }

  #isSame(stored: string | null | undefined, fence: string): boolean {
    if (stored === fence) return true;
    const { looksAt } = this.plant;
    const isEpoch = !looksAt.token && stored?.split(':')[0] === fence.split(':')[0];
    return this.#passes(!looksAt.owner || isEpoch);
  }

  #passes(isLeftOut: boolean): boolean {
    if (isLeftOut) this.plant.passed();
    return isLeftOut;
  }

  /** Nothing is stored of any execution that a first commit makes. */
  #areNew(commits: readonly Packed[]): boolean {
    const fresh: string[] = [];
    for (let i = 0; i < commits.length; i += 5) {
      if (commits[i + 2] === '') fresh.push(this.#key(commits[i]));
    }
    return fresh.length === 0 || this.redis.call('EXISTS', ...fresh) === 0;
  }

  #check([execution, fence, before, after, removes]: Packed[], areNew: boolean): number {
    if (this.#owned[(fence as number) - 1] !== true) return 2;
    const stored = before === '' && areNew ? '' : this.#headOf(this.#key(execution));
    if (stored === after || (stored === '' && removes === 1)) return 1;
    return stored === before || this.#passes(!this.plant.looksAt.head) ? 0 : 3;
  }

  #headOf(key: string): string {
    try {
      return (this.redis.call('HGET', key, 'h') as string | null) ?? '';
    } catch (error) {
      if (!(error instanceof RedisError)) throw error;
      // The record of a finished execution begins with its head.
      const record = this.redis.call('GETRANGE', key, 0, 63) as string;
      return unpack(record) as string;
    }
  }

  #countSnapshot([state, field, change, key, text]: SnapshotCheck): void {
    if (change === 0) return;
    const named = this.redis.call('HINCRBY', this.#key(state), field, change) as number;
    if (named <= 0) {
      this.redis.call('HDEL', this.#key(state), field);
      this.redis.call('DEL', this.#key(key));
    } else if (named === change && text !== false) this.redis.call('SET', this.#key(key), text);
  }

  #endRecord([record, at, id]: Packed[]): void {
    const stored = this.redis.call('GET', this.#key(record)) as string | null;
    if (stored?.includes(id as string) === true) {
      this.redis.call('PEXPIREAT', this.#key(record), at as string);
    }
  }

  #move(move: Move, offsetMs: number): void {
    const [stateAt, ready, , leases, leaseEnds, done, added, fresh] = move;
    if (done.length > 0) {
      this.redis.call('ZREM', this.#key(ready), ...done);
      this.redis.call('HDEL', this.#key(leases), ...done);
      this.redis.call('ZREM', this.#key(leaseEnds), ...done);
    }
    if (added.length === 0 && fresh.length === 0) return;
    const state = readState(this.redis, this.#key(stateAt), offsetMs);
    if (added.length > 0) this.#makeReady(move, state);
    for (let i = 0; i < fresh.length; i += 2) {
      const score = readyScore(state, fresh[i] as number);
      this.redis.call('ZADD', this.#key(ready), 'NX', score, fresh[i + 1] as string);
    }
    saveState(this.redis, state);
  }

  #noteChanges(
    { state, mark, note: [list, minute, lifeMs, entries] }: Watched,
    offsetMs: number,
  ): void {
    const clock = clockOf(this.redis, offsetMs);
    const isLate = Math.abs(Math.floor(clock / 60_000) - minute) > 1;
    if (clock >= Number.parseInt(mark, 10) || isLate) {
      this.redis.call('HDEL', state, 'w');
      return;
    }
    this.redis.call('RPUSH', this.#key(list), ...entries);
    this.redis.call('PEXPIRE', this.#key(list), lifeMs);
  }

  #makeReady([, ready, hidden, leases, , , added]: Move, state: QueueState): void {
    const members = added.filter((_, i) => i % 2 === 1) as string[];
    const leased = optionalTexts(this.redis.call('HMGET', this.#key(leases), ...members));
    const delayed = optionalTexts(this.redis.call('ZMSCORE', this.#key(hidden), ...members));
    for (const [i, member] of members.entries()) {
      if (leased[i] !== null || delayed[i] !== null) continue;
      const score = readyScore(state, added[2 * i] as number);
      this.redis.call('ZADD', this.#key(ready), 'NX', score, member);
    }
  }

  #grant([ready, leases, leaseEnds, members, packed, ends]: Grant): number[] {
    const scores = optionalTexts(this.redis.call('ZMSCORE', this.#key(ready), ...members));
    return members.flatMap((member, i) => {
      const score = scores[i] ?? (this.#passes(!this.plant.looksAt.ready) ? '0' : null);
      if (score === null) return [i + 1];
      this.redis.call('ZREM', this.#key(ready), member);
      const lease = (packed[i] as string) + pack(Number(score));
      this.redis.call('HSET', this.#key(leases), member, lease);
      const endAt = ends[i] as number;
      if (endAt !== 0) this.redis.call('ZADD', this.#key(leaseEnds), endAt, member);
      return [];
    });
  }
}
