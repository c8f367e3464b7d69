// Watches what the store of a simulation takes, beside the scripts' own checks (invariants M1, M2):
// a commit only from the shard's owner and only onto the stored head, an owner record only in place
// of the one that was seen, an advance of schedules only from the newest leadership.
import { parseMember } from '../../../src/redis/codec/queue-record.js';
import { unpack, type Packed } from './message-pack.js';
import type { MemoryRedis, RedisReply } from './memory-redis.js';
import type { StoreCall, StoreCommand } from './simulated-store.js';

type ScriptCall = Extract<StoreCall, { kind: 'script' }>;
/** State, fields, fences. */
type StateCheck = [number, string[], string[]];

/** Positions of keys, members, leases, ends. */
type Grant = [number, number, number, string[], string[], number[]];

interface Granted {
  readonly leases: string;
  readonly members: readonly string[];
  /** Whether each stood in ready. */
  readonly isThere: readonly boolean[];
}

/** A queue has given an attempt away, at a moment of the store. */
interface Taken {
  readonly taskId: string;
  readonly at: number;
}

interface Owner {
  readonly state: string;
  readonly shard: string;
  readonly fence: string;
}

export class StoreWatch {
  readonly violations: string[] = [];
  readonly #heads = new Map<string, string>();
  readonly #owners = new Map<string, string>();
  /** Of all leaderships, also those that a failover has undone. */
  readonly #fences = new Set<string>();
  /** What the commit that is being carried out would grant. */
  #waiting: Granted[] = [];
  /** A failover has brought back what is not known here. */
  #hasForgotten = false;
  #taken: Taken[] = [];

  constructor(private readonly scheduleFence: string) {}

  /** The scheduler's leader takes the fence of a term that begins. */
  commanded({ name, args: [key, value] }: StoreCommand, reply: RedisReply): void {
    if (key !== this.scheduleFence || name === 'GET') return;
    const fence = name === 'SET' ? String(value) : String(reply);
    if (this.#fences.has(fence)) this.violations.push(`two leaderships have the fence ${fence}`);
    this.#fences.add(fence);
  }

  /** When a queue last gave the task away before `untilAt`, both epoch ms; undefined: never. */
  takenAt(taskId: string, untilAt: number): number | undefined {
    return this.#taken.findLast((taken) => taken.taskId === taskId && taken.at <= untilAt)?.at;
  }

  /** The store has gone back in time, to the moment `from`. */
  forget(from: number): void {
    this.#taken = this.#taken.filter(({ at }) => at <= from);
    this.#heads.clear();
    this.#owners.clear();
    this.#hasForgotten = true;
  }

  /** Before a script: a commit hands out only what stands in ready (invariants I5, M7). */
  willCarryOut({ script, keys, args }: ScriptCall, redis: MemoryRedis): void {
    this.#waiting = [];
    if (script.name !== 'commit') return;
    for (const [ready, leases, , members] of unpack(args[4] ?? '') as unknown as Grant[]) {
      const key = keys[ready - 1] as string;
      const isThere = members.map((member) => redis.call('ZSCORE', key, member) !== null);
      this.#waiting.push({ leases: keys[leases - 1] as string, members, isThere });
    }
  }

  carriedOut(call: ScriptCall, reply: RedisReply, redis: MemoryRedis): void {
    const { name } = call.script;
    if (name === 'commit' && (reply as RedisReply[])[0] === 0) {
      this.#committed(call, redis);
      this.#granted((reply as [number, number[][]])[1]);
    }
    if (name === 'pop') this.#popped(reply as [(string | number)[]], redis.now);
    if (name === 'set-owner' && reply === 1) this.#owned(call);
    if (name === 'advance-schedules' && reply === 1) this.#advanced(call, redis);
  }

  #committed({ keys, args }: ScriptCall, redis: MemoryRedis): void {
    const [states, commits] = unpack(args[1] ?? '') as unknown as [StateCheck[], Packed[]];
    const owners = states.flatMap(([state, fields, fences]) =>
      fences.map((fence, i): Owner => ({
        ...{ state: keys[state - 1] as string, shard: fields[i] as string, fence },
      })),
    );
    for (let i = 0; i < commits.length; i += 5) {
      const [execution, fence, before, after, removes] = commits.slice(i, i + 5);
      const key = keys[(execution as number) - 1] as string;
      this.#judgeOwner(key, owners[(fence as number) - 1] as Owner, redis);
      this.#judgeHead(key, before as string);
      this.#heads.set(key, removes === 1 ? '' : (after as string));
    }
  }

  /** `refused`: positions of members, from 1, for each grant. */
  #granted(refused: readonly number[][]): void {
    for (const [i, { leases, members, isThere }] of this.#waiting.entries()) {
      for (const [j, member] of members.entries()) {
        if (isThere[j] === true || refused[i]?.includes(j + 1) === true) continue;
        this.violations.push(`${member} was granted into ${leases} and was not in ready`);
      }
    }
  }

  /** Members and numbers of their leases in turn. */
  #popped([taken]: [(string | number)[]], at: number): void {
    for (let i = 0; i < taken.length; i += 2) {
      this.#taken.push({ taskId: parseMember(taken[i] as string).taskId, at });
    }
  }

  #judgeOwner(key: string, { state, shard, fence }: Owner, redis: MemoryRedis): void {
    const owner = redis.call('HGET', state, shard);
    if (owner === fence) return;
    this.violations.push(`${key} was written for ${fence} while ${String(owner)} had its shard`);
  }

  #judgeHead(key: string, before: string): void {
    const head = this.#heads.get(key) ?? (this.#hasForgotten ? before : '');
    if (head === before) return;
    this.violations.push(`${key} was written onto ${before} while ${head} was its head`);
  }

  #owned({ keys: [key = ''], args: [field = '', seen = '', fence = ''] }: ScriptCall): void {
    const place = `${key} ${field}`;
    const owner = this.#owners.get(place) ?? (this.#hasForgotten ? seen : '');
    if (owner !== seen) this.violations.push(`${place} was ${owner} and was taken for ${seen}`);
    this.#owners.set(place, fence);
  }

  #advanced({ keys: [fence = ''], args: [ofCaller] }: ScriptCall, redis: MemoryRedis): void {
    const newest = redis.call('GET', fence) as string | null;
    if (newest === ofCaller) return;
    this.violations.push(`leadership ${ofCaller} moved schedules while ${newest} was the newest`);
  }
}
