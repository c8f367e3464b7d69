// Builds the statistics of a node: counts per minute, and timers that are overdue.
import { randomBytes } from 'node:crypto';
import { NodeReporter } from '../operation/recording/node-reporter.js';
import { ownState } from '../operation/recording/own-state.js';
import { MinuteRecorder } from '../operation/recording/minute-recorder.js';
import {
  OverdueRecorder,
  type OverdueRecorderParts,
} from '../operation/recording/overdue-recorder.js';
import type { WorkerNotes } from '../queue/worker-notes.js';
import type { SeenLag } from '../telemetry/loop-lag.js';
import type { Clock } from '../std/clock.js';
import type { StatisticsStore } from '../store/statistics-store.js';
import { queueEvents, workflowEvents, type EventCounters } from '../telemetry/event-counters.js';
import type { MetricKey } from '../telemetry/metric-names.js';
import type { Metrics } from '../telemetry/metrics.js';
import { NamedMetrics } from '../telemetry/named-metrics.js';

export interface NodeStatistics {
  /** Runs as long as anything counts: started before the shards are taken. */
  readonly minutes: MinuteRecorder;
  /** Runs while the timers do. */
  readonly overdue: OverdueRecorder;
  /** Runs while requests are served. */
  readonly reporter: NodeReporter;
}

export function buildStatistics(parts: {
  readonly counters: EventCounters;
  readonly store: StatisticsStore;
  readonly clock: Clock;
  readonly overdue: OverdueRecorderParts['overdue'];
  readonly metrics: Metrics;
  /** Workflows, and task types, that metrics tell apart. */
  readonly namesMax: number;
  readonly nodeId: string;
  readonly workers: WorkerNotes;
  readonly lag: () => SeenLag;
  readonly executions: () => number;
  readonly parkedPolls: () => number;
  readonly failed: (error: unknown) => void;
}): NodeStatistics {
  const { counters, store, clock, overdue, metrics, failed } = parts;
  const addAll = (key: MetricKey, events: readonly string[], counts: readonly number[]): void => {
    for (const [i, event] of events.entries()) metrics.count(key, event, counts[i] ?? 0);
  };
  metrics.gauge('overdueTimers', () => overdue().length);
  const named = new NamedMetrics(metrics, parts.namesMax);
  const writer = randomBytes(6).toString('base64url');
  return {
    minutes: new MinuteRecorder({
      ...{ counters, store, clock, writer, failed },
      counted: (workflows, queues, taken) => {
        named.add(taken);
        addAll('executionEvents', workflowEvents, workflows);
        addAll('taskEvents', queueEvents, queues);
      },
    }),
    overdue: new OverdueRecorder({ overdue, store, clock, writer, failed }),
    reporter: new NodeReporter({
      ...{ nodeId: parts.nodeId, store, clock, writer, failed },
      state: ownState(parts),
      workers: () => parts.workers.list(),
    }),
  };
}
