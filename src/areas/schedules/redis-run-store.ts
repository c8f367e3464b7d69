// Cursors and runs of schedules in Redis. A run is found by its id in a hash; two sorted sets order
// the ids by due time, one of all runs and one per schedule, which keeps the newest few.
import { randomBytes } from 'node:crypto';
import { toJsonText } from '../../model/json-text.js';
import type { ScheduleRun } from './schedule-run.js';
import {
  advancesMax,
  type RunFilter,
  type ScheduleAdvance,
  type ScheduleCursor,
  type ScheduleRunStore,
} from './run-store.js';
import type { RedisClient } from '../../redis/client.js';
import { packEnvelope } from '../../redis/codec/envelope.js';
import { packText, unpackText } from '../../redis/codec/record.js';
import { OrderedHashes, type OrderedHash } from '../../redis/ordered-hashes.js';
import { allFields } from '../../redis/scans.js';
import { Script } from '../../redis/script.js';
import { ScheduleKeys } from './keys.js';
import { partsOf } from '../../std/parts.js';

const advanceScript = Script.named('advance-schedules', new URL('./', import.meta.url));

export interface ScheduleRunLimits {
  /** Runs that one schedule keeps. */
  readonly runsPerScheduleMax: number;
  readonly lifeMs: number;
}

/** Ids read or removed by one command. */
const idsPerCallMax = 1000;

export class RedisScheduleRunStore implements ScheduleRunStore {
  readonly #keys: ScheduleKeys;
  readonly #runs: OrderedHashes<ScheduleRun>;

  constructor(
    private readonly redis: RedisClient,
    private readonly limits: ScheduleRunLimits,
  ) {
    this.#keys = new ScheduleKeys(redis.keys.prefix);
    this.#runs = new OrderedHashes(redis, 'scheduled run');
  }

  async takeFence(): Promise<number> {
    const { commits } = this.redis;
    const newest = Number(await commits.call('GET', this.#keys.fence()));
    const fence = newest + 1 + randomBytes(4).readUInt32BE();
    await commits.call('SET', this.#keys.fence(), fence);
    return fence;
  }

  async cursors(): Promise<Map<string, ScheduleCursor>> {
    const { reads } = this.redis;
    const found = await allFields(reads, this.#keys.cursors(), idsPerCallMax);
    return new Map(
      found.map(([name, bytes]) => {
        const text = unpackText('cursor of a schedule', bytes);
        return [name, JSON.parse(text) as ScheduleCursor];
      }),
    );
  }

  async advance(
    fence: number,
    advances: readonly ScheduleAdvance[],
  ): Promise<'stored' | 'stale-fence'> {
    if (advances.length > advancesMax) throw new Error(`More than ${advancesMax} advances`);
    const packed = advances.map(({ name, cursor, runs }) => [
      name,
      packText(JSON.stringify(cursor)),
      runs.map((run) => [run.executionId, run.scheduledTime, packText(toJsonText(run))]),
    ]);
    const stored = await this.redis.commits.run(
      advanceScript,
      [
        this.#keys.fence(),
        this.#keys.cursors(),
        this.#keys.runs(),
        this.#keys.runOrder(),
        ...advances.map(({ name }) => this.#keys.runsOf(name)),
      ],
      [fence, this.limits.runsPerScheduleMax, this.limits.lifeMs, packEnvelope(packed)],
    );
    return stored === 1 ? 'stored' : 'stale-fence';
  }

  async forget(names: readonly string[]): Promise<void> {
    for (const some of partsOf(names, idsPerCallMax)) {
      await this.redis.commits.call('HDEL', this.#keys.cursors(), ...some);
    }
  }

  async newest(start: number, size: number): Promise<{ runs: ScheduleRun[]; total: number }> {
    const order = this.#keys.runOrder();
    const { reads } = this.redis;
    const total = (await reads.call('ZCARD', order)) as number;
    const ids =
      size === 0
        ? []
        : ((await reads.call('ZREVRANGE', order, start, start + size - 1)) as string[]);
    return { runs: await this.#runs.find(this.#place, ids), total };
  }

  async find(filter: RunFilter, limit: number): Promise<ScheduleRun[]> {
    if (filter.executionIds.length > 0) {
      return (await this.#runs.find(this.#place, filter.executionIds)).sort(byDueTime);
    }
    const { reads } = this.redis;
    const orders =
      filter.scheduleNames.length === 0
        ? [this.#keys.runOrder()]
        : [...new Set(filter.scheduleNames)].map((name) => this.#keys.runsOf(name));
    const from = filter.scheduledAfter === undefined ? '-inf' : `(${filter.scheduledAfter}`;
    const to = filter.scheduledBefore === undefined ? '+inf' : `(${filter.scheduledBefore}`;
    const lists = (await reads.callAll(
      orders.map((order) => ['ZREVRANGEBYSCORE', order, to, from, 'LIMIT', 0, limit] as const),
    )) as Buffer[][];
    const runs = await this.#runs.find(this.#place, lists.flat().map(String));
    return runs.sort(byDueTime).slice(0, limit);
  }

  async newestOfEach(names: readonly string[], limit: number): Promise<Map<string, ScheduleRun[]>> {
    const lists = (await this.redis.reads.callAll(
      names.map((name) => ['ZREVRANGE', this.#keys.runsOf(name), 0, limit - 1] as const),
    )) as Buffer[][];
    const byName = new Map<string, ScheduleRun[]>();
    for (const run of await this.#runs.find(this.#place, lists.flat().map(String))) {
      const own = byName.get(run.scheduleName);
      if (own === undefined) byName.set(run.scheduleName, [run]);
      else own.push(run);
    }
    return byName;
  }

  async expire(before: number): Promise<boolean> {
    const { reads } = this.redis;
    const order = this.#keys.runOrder();
    const range = ['-inf', `(${before}`, 'LIMIT', 0, idsPerCallMax] as const;
    const ids = (await reads.call('ZRANGEBYSCORE', order, ...range)) as string[];
    if (ids.length === 0) return false;
    await this.#runs.remove(this.#place, ids);
    return ids.length === idsPerCallMax;
  }

  /** All runs. */
  get #place(): OrderedHash {
    return { hash: this.#keys.runs(), order: this.#keys.runOrder() };
  }
}

function byDueTime(a: ScheduleRun, b: ScheduleRun): number {
  return b.scheduledTime - a.scheduledTime;
}
