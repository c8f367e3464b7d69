// The parts that a node is built out of (build-node.ts): settings, stores, plug-ins, measuring.
import type { LoadedPlugins } from '../plugin/loaded-plugins.js';
import type { Logger } from '../telemetry/logger.js';
import type { LoopLag } from '../telemetry/loop-lag.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { Tracer } from '../telemetry/tracer.js';
import type { NodeStores } from './node-stores.js';
import type { Settings } from './settings-table.js';
import type { TestParts } from './test-parts.js';

export interface NodeParts {
  readonly settings: Settings;
  readonly nodeId: string;
  readonly log: Logger;
  readonly loopLag: LoopLag;
  readonly metrics: Metrics;
  readonly stores: NodeStores;
  readonly plugins: LoadedPlugins;
  /** Absent: nobody takes spans. */
  readonly tracer?: Tracer | undefined;
  /** Of a test server. */
  readonly test?: TestParts | undefined;
}
