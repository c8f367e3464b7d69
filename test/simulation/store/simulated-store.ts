// The store of a simulation: one Redis in memory behind connections that take time, break and lose
// replies. A failover goes back to an earlier state: what was written is logged, and all but the
// last writes are carried out again. With several primaries the hash tag of a call's key says which
// of them it is for; each can be away, and fail over, by itself.
import { ScheduleKeys } from '../../../src/areas/schedules/keys.js';
import type { Script } from '../../../src/redis/script.js';
import type { Keys } from '../../../src/redis/keys.js';
import type { Scheduler } from '../scheduler.js';
import { MemoryRedis, type RedisReply } from './memory-redis.js';
import { redlockReply } from './redlock-twin.js';
import { StoreWatch } from './store-watch.js';
import type { Twins } from './twins/list.js';

export type StoreCall =
  | {
      readonly kind: 'script';
      readonly script: Pick<Script, 'name'>;
      readonly keys: readonly string[];
      readonly args: readonly string[];
    }
  | { readonly kind: 'lock'; readonly source: string; readonly args: readonly string[] }
  | StoreCommand
  /** Carried out one after the other, with nothing in between. */
  | { readonly kind: 'pipeline'; readonly calls: readonly StoreCommand[] };

type SingleCall = Exclude<StoreCall, { kind: 'pipeline' }>;

export interface StoreCommand {
  readonly kind: 'command';
  readonly name: string;
  readonly args: readonly string[];
}

const readsOnly =
  /^(TIME|EXISTS|PTTL|GET|GETRANGE|INFO|HGET|HMGET|HLEN|HGETALL|HSCAN|ZCARD|ZSCORE|ZMSCORE|ZRANGE|ZRANGEBYSCORE|SMEMBERS)$/;

const keyless = /^(TIME|INFO|CONFIG|PUBLISH)$/;

export interface SimulatedStoreParts {
  readonly keys: Keys;
  readonly twins: Twins;
  /** Writes are logged, for a failover. */
  readonly keepsLog: boolean;
  /** Of a cluster; 1 = one server. */
  readonly primaries: number;
}

export class SimulatedStore {
  #redis: MemoryRedis;
  #at = 0;
  #log: { at: number; call: SingleCall }[] = [];
  /** Writes that a failover has undone, by the moment from which on. */
  readonly lostSince: { from: number; until: number }[] = [];
  readonly watch: StoreWatch;
  /** The lock that serialises the taking of shards is worthless: everybody gets it. */
  isLockOpen = false;
  /** Calls that were carried out; those of a pipeline count one by one. */
  calls = 0;
  /** Primaries that cannot be reached. */
  readonly away = new Set<number>();
  /** How long one that is away keeps a call before its connection breaks, ms. */
  silentMs = 0;
  /** Counts the processes that have held the data. */
  #processes = 1;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly parts: SimulatedStoreParts,
  ) {
    this.#redis = this.#empty();
    this.watch = new StoreWatch(new ScheduleKeys(parts.keys.prefix).fence());
  }

  get isCluster(): boolean {
    return this.parts.primaries > 1;
  }

  get redis(): MemoryRedis {
    this.#at = this.scheduler.now;
    return this.#redis;
  }

  #empty(): MemoryRedis {
    return new MemoryRedis({ now: () => Math.floor(this.#at) });
  }

  /** Carries a call out now; throws what the store would answer as an error. */
  carryOut(call: StoreCall): RedisReply {
    if (call.kind === 'pipeline') return this.#carryOutAll(call.calls);
    this.#at = this.scheduler.now;
    this.calls += 1;
    if (this.parts.keepsLog && !(call.kind === 'command' && readsOnly.test(call.name))) {
      this.#log.push({ at: this.#at, call });
    }
    if (call.kind === 'script') this.watch.willCarryOut(call, this.#redis);
    const reply = this.#apply(call);
    if (call.kind === 'script') this.watch.carriedOut(call, reply, this.#redis);
    if (call.kind === 'command') this.watch.commanded(call, reply);
    this.scheduler.trace(call.kind === 'script' ? call.script.name : call.kind, ...call.args);
    return reply;
  }

  /** An error among them does not keep the others from being carried out. */
  #carryOutAll(calls: readonly StoreCommand[]): RedisReply[] {
    const errors: unknown[] = [];
    const replies = calls.map((call) => {
      try {
        return this.carryOut(call);
      } catch (error) {
        errors.push(error);
        return null;
      }
    });
    if (errors.length > 0) throw errors[0];
    return replies;
  }

  #apply(call: SingleCall): RedisReply {
    if (call.kind === 'command' && call.name === 'INFO') return `run_id:${this.#processes}`;
    if (call.kind === 'command') return this.#redis.call(call.name, ...call.args);
    if (call.kind === 'lock') {
      if (this.isLockOpen) this.#redis.call('DEL', call.args[1] as string);
      return redlockReply(this.#redis, call.source, call.args);
    }
    const twin = this.parts.twins.get(call.script.name);
    if (twin === undefined) throw new Error(`The script ${call.script.name} has no twin`);
    return twin(this.#redis, call.keys, call.args);
  }

  /** Whether a primary that the call needs cannot be reached. */
  isAway(call: StoreCall): boolean {
    if (this.away.size === 0) return false;
    const calls = call.kind === 'pipeline' ? call.calls : [call];
    return calls.some((one) => {
      const primary = this.primaryOf(one);
      return primary !== undefined && this.away.has(primary);
    });
  }

  /** By the hash tag of the key, or by all of it; undefined: any takes the call. */
  primaryOf(call: SingleCall): number | undefined {
    if (call.kind === 'command' && keyless.test(call.name)) return undefined;
    const key = call.kind === 'script' ? call.keys[0] : call.args[call.kind === 'lock' ? 1 : 0];
    if (key === undefined) return undefined;
    let hash = 0;
    for (const character of /\{(.+?)\}/.exec(key)?.[1] ?? key) {
      hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
    }
    return hash % this.parts.primaries;
  }

  /** A replica that has not seen the writes of the last `ms` takes over: of these primaries. */
  failOver(ms: number, primaries?: ReadonlySet<number>): void {
    const from = this.scheduler.now - ms;
    this.#processes += 1;
    this.lostSince.push({ from, until: this.scheduler.now });
    const isLost = (call: SingleCall): boolean => {
      const primary = this.primaryOf(call);
      return primaries === undefined || (primary !== undefined && primaries.has(primary));
    };
    this.#log = this.#log.filter(({ at, call }) => at <= from || !isLost(call));
    this.watch.forget(from);
    this.#redis = this.#empty();
    for (const { at, call } of this.#log) {
      this.#at = at;
      this.#apply(call);
    }
    this.#at = this.scheduler.now;
  }
}
