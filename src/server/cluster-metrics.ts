// Gauges of the node's place in the cluster and of the task queues.
import { QueueGauges } from '../operation/recording/queue-gauges.js';
import type { PollHub } from '../queue/poll-hub.js';
import type { OwnedShards } from '../shard/owned-shards.js';
import type { Clock } from '../std/clock.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { NodeStores } from './node-stores.js';

/** Returns a function to call before the metrics are written. */
export function addClusterMetrics(
  metrics: Metrics,
  parts: {
    readonly hub: PollHub;
    readonly owned: OwnedShards;
    readonly leadership: { readonly leads: boolean };
    readonly stores: NodeStores;
    readonly clock: Clock;
    readonly settings: { readonly shards: number; readonly metricsNamesMax: number };
    readonly failed: (error: unknown) => void;
  },
): () => Promise<void> {
  const { hub, owned, leadership, stores, clock, settings, failed } = parts;
  const namesMax = settings.metricsNamesMax;
  const queues = new QueueGauges({
    ...{ leadership, clock, failed, namesMax },
    queues: stores.queues,
    polls: stores.pollData,
  });
  metrics.gauge('queueDepth', () => queues.depth);
  metrics.gauge('queueLeased', () => queues.leased);
  metrics.gauge('queueOldestSeconds', () => queues.oldestSeconds);
  metrics.gauge('lastPollSeconds', () => queues.lastPollSeconds);
  metrics.gauge('pollers', () => mostOf(hub.parkedByType, namesMax));
  metrics.gauge('leads', () => (leadership.leads ? 1 : 0));
  metrics.gauge('shardsOwned', () => owned.all.length);
  metrics.gauge('shards', () => settings.shards);
  return () => queues.refresh();
}

function mostOf(numbers: ReadonlyMap<string, number>, namesMax: number): Record<string, number> {
  const sorted = [...numbers].sort(([, a], [, b]) => b - a);
  return Object.fromEntries(sorted.slice(0, namesMax));
}
