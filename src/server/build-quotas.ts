// Builds the quotas on starts, on open executions, on what executions hold and on polls that wait.
import { HeldQuotas } from '../operation/held-quotas.js';
import { OpenQuotas } from '../operation/open-executions.js';
import { ParkedPolls } from '../operation/parked-polls.js';
import { StartQuotas } from '../operation/start-quotas.js';
import type { HeldExchange } from '../placement/held-exchange.js';
import type { Clock } from '../std/clock.js';
import type { Metrics } from '../telemetry/metrics.js';
import type { NodeStores } from './node-stores.js';
import type { Settings } from './settings-table.js';

export interface Quotas {
  readonly starts: StartQuotas;
  readonly open: OpenQuotas;
  readonly held: HeldQuotas;
  readonly parkedPolls: ParkedPolls;
}

export function buildQuotas(
  settings: Settings,
  parts: {
    readonly clock: Clock;
    readonly metrics: Metrics;
    readonly stores: NodeStores;
    /** Tells what names hold on all nodes. */
    readonly exchange: HeldExchange;
  },
): Quotas {
  const { clock, metrics, stores, exchange } = parts;
  const refused = (quota: string): void => metrics.count('quotaRefusals', quota);
  return {
    starts: new StartQuotas({ settings, clock, count: refused }),
    open: new OpenQuotas({
      ...{ settings, index: stores.executions.search, clock, count: refused },
    }),
    held: new HeldQuotas({
      ...{ settings, count: refused },
      heldBy: (by, name) => exchange.heldBy(by, name),
    }),
    parkedPolls: new ParkedPolls(settings.callerParkedPollsMax, () =>
      refused('callerParkedPollsMax'),
    ),
  };
}
