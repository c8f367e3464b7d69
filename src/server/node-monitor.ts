// Log lines and metrics of the parts of a node, for the people who run it.
import type { PlacementMonitor } from '../placement/placement-parts.js';
import type { ShardMonitor } from '../shard/executions.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';

export class NodeMonitor implements ShardMonitor, PlacementMonitor {
  #isServing = false;

  constructor(
    private readonly metrics: Metrics,
    private readonly log: Logger,
  ) {}

  get isServing(): boolean {
    return this.#isServing;
  }

  serving(isServing: boolean, why?: unknown): void {
    this.#isServing = isServing;
    if (isServing) {
      this.log.info('the store is there, executions are served');
      return;
    }
    this.metrics.count('storeLost');
    this.log.warn({ err: why }, 'not serving: the store is away or another owner appeared');
  }

  failed(error: unknown, about: object = {}): void {
    this.log.warn({ err: error, ...about }, 'a part reported an error');
  }

  count(metric: string, label: string): void {
    switch (metric) {
      case 'commits_refused_fence':
        return this.metrics.count('refusedByFence');
      case 'commits_refused_chain':
        return this.metrics.count('refusedByChain');
      case 'commits_unwritable':
        return this.metrics.count('unwritable');
      case 'assertions_failed':
        return this.metrics.count('assertionsFailed', label);
      case 'queue_repairs':
        return this.metrics.count('queueRepairs', label);
      case 'quota_refusals':
        return this.metrics.count('quotaRefusals', label);
      case 'lease_ends':
        return this.metrics.count('leaseEnds');
      default:
        return this.metrics.count('engineCount', metric);
    }
  }

  batch(size: number, gateMs: number): void {
    this.metrics.observe('commitBatchSize', size);
    this.metrics.observe('gateWaitSeconds', gateMs / 1e3);
  }
}
