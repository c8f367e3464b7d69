// Measurements that a process takes of itself for its report.
import { getHeapStatistics } from 'node:v8';
import type { SeenLag } from '../../telemetry/loop-lag.js';
import type { OwnState } from './node-reporter.js';

/** The share of the processor is since the call before. */
export function ownState(parts: {
  readonly lag: () => SeenLag;
  readonly executions: () => number;
  readonly parkedPolls: () => number;
}): () => OwnState {
  let used = process.cpuUsage();
  let usedAt = performance.now();
  return () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    const tookMs = Math.max(1, now - usedAt);
    [used, usedAt] = [process.cpuUsage(), now];
    const { rss: residentBytes, heapUsed: heapBytes } = process.memoryUsage();
    const { p50, p99, max } = parts.lag();
    return {
      processorPercent: Math.round((user + system) / 10 / tookMs),
      ...{ residentBytes, heapBytes, heapLimitBytes: getHeapStatistics().heap_size_limit },
      loopLagMs: { p50: tenths(p50), p99: tenths(p99), max: tenths(max) },
      executions: parts.executions(),
      parkedPolls: parts.parkedPolls(),
    };
  };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}
