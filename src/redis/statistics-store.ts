// Counts per minute in Redis: a hash for each ten minutes, with a field per minute and process. A
// process that counts writes one field a second; a plain read of the last hour is seven hashes.
import {
  minutesLifeMs,
  type MinuteCounts,
  type NodeReport,
  type OverdueTimers,
  type StatisticsStore,
} from '../store/statistics-store.js';
import type { RedisClient } from './client.js';
import { packText, unpackText } from './codec/record.js';
import { allFields } from './scans.js';

const bucketMs = 600_000;
/** Processes whose late timers one command reads. */
const nodesPerSlice = 100;
/** Hashes read in one write; between two writes others get their turn. */
const bucketsPerCallMax = 32;

export class RedisStatisticsStore implements StatisticsStore {
  constructor(private readonly redis: RedisClient) {}

  async countedSince(now: number): Promise<number> {
    const { keys, reads } = this.redis;
    await reads.call('HSETNX', keys.statistics('about'), 'since', now);
    return Number(await reads.call('HGET', keys.statistics('about'), 'since'));
  }

  async save(writer: string, minutes: readonly MinuteCounts[]): Promise<void> {
    const { keys, reads } = this.redis;
    await reads.callAll(
      minutes.flatMap(({ minuteAt, workflows, queues, runTimes, waitTimes, tookTimes }) => {
        const bucketAt = bucketOf(minuteAt);
        const key = keys.statistics(bucketAt);
        const counts = [workflows, queues, runTimes, waitTimes, tookTimes];
        const text = packText(JSON.stringify(counts));
        return [
          ['HSET', key, `${minuteAt}:${writer}`, text] as const,
          ['PEXPIREAT', key, bucketAt + bucketMs + minutesLifeMs] as const,
        ];
      }),
    );
  }

  async read(fromAt: number, untilAt: number): Promise<MinuteCounts[]> {
    const { keys, reads } = this.redis;
    const minutes: MinuteCounts[] = [];
    for (let at = bucketOf(fromAt); at <= untilAt; at += bucketsPerCallMax * bucketMs) {
      const calls: (readonly [string, string])[] = [];
      for (let i = 0; i < bucketsPerCallMax && at + i * bucketMs <= untilAt; i += 1) {
        calls.push(['HGETALL', keys.statistics(at + i * bucketMs)]);
      }
      for (const hash of (await reads.callAll(calls)) as Buffer[][]) {
        for (let i = 0; i + 1 < hash.length; i += 2) {
          const minuteAt = Number.parseInt(String(hash[i]), 10);
          if (minuteAt < fromAt || minuteAt > untilAt) continue;
          minutes.push(readMinute(minuteAt, hash[i + 1] as Buffer));
        }
      }
    }
    return minutes;
  }

  async saveOverdue(writer: string, overdue: OverdueTimers | undefined): Promise<void> {
    const { keys, reads } = this.redis;
    const key = keys.statistics('overdue');
    if (overdue === undefined) await reads.call('HDEL', key, writer);
    else await reads.call('HSET', key, writer, packText(JSON.stringify(overdue)));
  }

  async overdue(): Promise<OverdueTimers[]> {
    const { keys, reads } = this.redis;
    const found = await allFields(reads, keys.statistics('overdue'), nodesPerSlice);
    return found.map(([, bytes]) => {
      return JSON.parse(unpackText('list of overdue timers', bytes)) as OverdueTimers;
    });
  }

  async saveReport(writer: string, report: NodeReport): Promise<void> {
    const { keys, reads } = this.redis;
    const text = packText(JSON.stringify(report));
    await reads.call('HSET', keys.statistics('reports'), writer, text);
  }

  async reports(): Promise<(readonly [string, NodeReport])[]> {
    const { keys, reads } = this.redis;
    const found = await allFields(reads, keys.statistics('reports'), nodesPerSlice);
    return found.map(([writer, bytes]) => {
      return [writer, JSON.parse(unpackText('report of a node', bytes)) as NodeReport] as const;
    });
  }

  async removeReports(writers: readonly string[]): Promise<void> {
    const { keys, reads } = this.redis;
    if (writers.length > 0) await reads.call('HDEL', keys.statistics('reports'), ...writers);
  }
}

function bucketOf(at: number): number {
  return at - (at % bucketMs);
}

function readMinute(minuteAt: number, bytes: Buffer): MinuteCounts {
  const text = unpackText('count of a minute', bytes);
  // Servers before times were counted wrote none of them.
  const [workflows, queues, runTimes = [], waitTimes = [], tookTimes = []] = JSON.parse(text) as [
    MinuteCounts['workflows'],
    MinuteCounts['queues'],
    MinuteCounts['runTimes']?,
    MinuteCounts['waitTimes']?,
    MinuteCounts['tookTimes']?,
  ];
  return { minuteAt, workflows, queues, runTimes, waitTimes, tookTimes };
}
