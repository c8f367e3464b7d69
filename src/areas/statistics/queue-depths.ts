// How many tasks waited in each queue, minute by minute, for the last days. The leader takes a
// sample (queue-sampler.ts); samples of an hour are one record, so that a sample is one
// write, and every node answers from memory.
import type { Caller } from '../../model/caller.js';
import type { OperationContext } from '../../operation/context.js';
import { maySeeQueue } from '../../operation/queue-sizes.js';
import {
  jsonCodec,
  type RecordCodec,
  type RecordTable,
} from '../../operation/records/record-table.js';
import type { queueSeriesSchema } from './overview-schemas.js';
import type { ValueOf } from '../../model/schema.js';

/** Samples of one hour, oldest first. */
export interface QueueDepthHour {
  /** Begin, epoch ms. */
  readonly hourAt: number;
  readonly samples: readonly QueueDepthSample[];
}

export interface QueueDepthSample {
  /** Epoch ms. */
  readonly at: number;
  /** [task type, domain ('' for none), waiting tasks] of the fullest queues with any. */
  readonly waiting: readonly (readonly [string, string, number])[];
}

export const queueDepthCodec: RecordCodec<QueueDepthHour> = jsonCodec('queue-depth', ({ hourAt }) =>
  String(hourAt),
);

export const hourMs = 3_600_000;
/** Samples are kept so long. */
export const depthLifeMs = 7 * 24 * hourMs;

export type QueueDepth = ValueOf<typeof queueSeriesSchema>;

/** Queues of one answer: those that were fullest. */
const shownMax = 8;

/** Of the queues that the caller may see. `times`: begins of the steps, epoch ms. */
export function queueDepths(
  table: RecordTable<QueueDepthHour>,
  { access }: Pick<OperationContext, 'access'>,
  asked: { readonly caller: Caller; readonly times: readonly number[]; readonly untilAt: number },
): QueueDepth[] {
  const { caller, times, untilAt } = asked;
  const fromAt = times[0] ?? untilAt;
  const queues = new Map<string, { taskType: string; domain: string; waiting: number[] }>();
  const isSampled = times.map(() => false);
  for (const sample of samplesIn(table, fromAt, untilAt)) {
    const step = times.findLastIndex((begin) => begin <= sample.at);
    isSampled[step] = true;
    for (const [taskType, domain, waiting] of sample.waiting) {
      const key = JSON.stringify([taskType, domain]);
      const queue = queues.get(key) ?? { taskType, domain, waiting: times.map(() => 0) };
      queues.set(key, queue);
      queue.waiting[step] = Math.max(queue.waiting[step] ?? 0, waiting);
    }
  }
  return [...queues.values()]
    .filter((queue) => maySeeQueue(access, caller, queue))
    .sort((a, b) => Math.max(...b.waiting) - Math.max(...a.waiting))
    .slice(0, shownMax)
    .map(({ waiting, ...queue }) => ({
      ...queue,
      waiting: waiting.map((most, step) => (isSampled[step] === true ? most : null)),
    }));
}

function samplesIn(
  table: RecordTable<QueueDepthHour>,
  fromAt: number,
  untilAt: number,
): QueueDepthSample[] {
  return [...table.values()]
    .filter(({ hourAt }) => hourAt + hourMs > fromAt && hourAt <= untilAt)
    .flatMap(({ samples }) => samples)
    .filter(({ at }) => at >= fromAt && at <= untilAt);
}
