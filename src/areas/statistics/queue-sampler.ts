// Notes at intervals how many tasks wait in each queue, so that one sees a queue grow. Runs on the
// leader only; two leaders for a moment add a sample too many, which changes no maximum.
import type { Clock } from '../../std/clock.js';
import { PeriodicService } from '../../std/periodic-service.js';
import { systemCaller } from '../../model/caller.js';
import type { OperationContext } from '../../operation/context.js';
import { depthLifeMs, hourMs, type QueueDepthHour, type QueueDepthSample } from './queue-depths.js';
import { allQueueSizes, queueOfName } from '../../operation/queue-sizes.js';
import { changeRecord } from '../../operation/records/change-record.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { Leadership } from '../../placement/leadership.js';

export interface QueueSamplerParts {
  readonly table: RecordTable<QueueDepthHour>;
  readonly context: OperationContext;
  readonly leadership: Pick<Leadership, 'leads'>;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly failed: (error: unknown) => void;
}

/** Queues of one sample: the fullest ones. */
const queuesMax = 20;

export class QueueSampler extends PeriodicService {
  constructor(private readonly parts: QueueSamplerParts) {
    super({ clock: parts.clock, everyMs: parts.everyMs, failed: parts.failed, runsOn: 'leader' });
  }

  /** Takes a sample and removes what is too old, where this node leads. */
  override async runOnce(): Promise<void> {
    const { table, context, leadership, clock } = this.parts;
    if (!leadership.leads) return;
    const sizes = await allQueueSizes(context, systemCaller);
    const fullest = sizes
      .filter(({ waiting }) => waiting > 0)
      .sort((a, b) => b.waiting - a.waiting)
      .slice(0, queuesMax);
    const at = clock.now();
    const sample: QueueDepthSample = {
      at,
      waiting: fullest.map(({ name, waiting }) => {
        const { taskType, domain } = queueOfName(name);
        return [taskType, domain, waiting];
      }),
    };
    const hourAt = at - (at % hourMs);
    await changeRecord(table, String(hourAt), (known) => ({
      hourAt,
      samples: [...(known?.samples ?? []), sample],
    }));
    const expired = [...table.values()].filter((hour) => hour.hourAt + depthLifeMs < at);
    for (const hour of expired) await table.remove(String(hour.hourAt));
  }
}
