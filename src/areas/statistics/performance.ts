// How definitions and task types did in a window: how many ended well and badly, how long they
// took and waited, and how that went on over the window. The numbers come from the counts of every
// node by minute (operation/recording/minute-recorder.ts).
import type { ValueOf } from '../../model/schema.js';
import type { Caller } from '../../model/caller.js';
import { EventTable, type EventRow } from './event-table.js';
import type { performanceSchema, timesSchema, trendSchema } from './operator-schemas.js';
import { countsOf, minuteMs, minuteOf, named, shownTo, type RatesContext } from './rates.js';
import { minutesLifeMs } from '../../store/statistics-store.js';
import { queueEvents, workflowEvents } from '../../telemetry/event-counters.js';
import { lengthsMax, percentile } from '../../telemetry/run-times.js';

export type Performance = ValueOf<typeof performanceSchema>;
type Times = ValueOf<typeof timesSchema>;
type Trend = ValueOf<typeof trendSchema>;

const stepsOfTrend = 12;
const namesMax = 200;

/** Of the workflows and queues that the caller may see. */
export async function performanceOf(
  context: RatesContext,
  { caller, windowMs }: { readonly caller: Caller; readonly windowMs: number },
): Promise<Performance> {
  const untilAt = context.clock.now();
  const stepMs = Math.max(minuteMs, Math.ceil(windowMs / stepsOfTrend / minuteMs) * minuteMs);
  const lastAt = minuteOf(untilAt);
  const times = Array.from(
    { length: stepsOfTrend },
    (_, step) => lastAt + minuteMs - (stepsOfTrend - step) * stepMs,
  );
  const tables = {
    workflows: new EventTable<readonly [string]>(workflowEvents.length, times),
    queues: new EventTable<readonly [string, string]>(queueEvents.length, times),
    took: new EventTable<readonly [string]>(lengthsMax, [0]),
    ran: new EventTable<readonly [string, string]>(lengthsMax, [0]),
    waited: new EventTable<readonly [string, string]>(lengthsMax, [0]),
  };
  const isShown = shownTo(context, { caller, workflow: undefined, taskType: undefined });
  const countedSince = Math.max(context.minutes.since, untilAt - minutesLifeMs);
  const fromAt = Math.max(minuteOf(untilAt - windowMs), minuteOf(countedSince));
  for (const minute of await context.minutes.read(fromAt, untilAt)) {
    const { minuteAt: at } = minute;
    for (const [name, ...counts] of minute.workflows) {
      if (isShown.workflow(name, at)) tables.workflows.add([name], at, counts);
    }
    for (const [name, ...pairs] of minute.tookTimes) {
      if (isShown.workflow(name, at)) tables.took.add([name], at, countsOf(pairs));
    }
    for (const [type, domain, ...counts] of minute.queues) {
      if (isShown.queue(type, domain)) tables.queues.add([type, domain], at, counts);
    }
    for (const [type, domain, ...pairs] of minute.runTimes) {
      if (isShown.queue(type, domain)) tables.ran.add([type, domain], at, countsOf(pairs));
    }
    for (const [type, domain, ...pairs] of minute.waitTimes) {
      if (isShown.queue(type, domain)) tables.waited.add([type, domain], at, countsOf(pairs));
    }
  }
  return {
    ...{ countedSince, times },
    workflows: tables.workflows.most(namesMax).map((row) => ({
      name: row.name[0],
      ...named(workflowEvents, row.total),
      ...withTimes('tookMs', tables.took.find(row.name)),
      trend: trendOf(row.steps, {
        completed: [workflowEvents.indexOf('completed')],
        failed: [workflowEvents.indexOf('failed'), workflowEvents.indexOf('timedOut')],
      }),
    })),
    tasks: tables.queues.most(namesMax).map((row) => ({
      ...{ taskType: row.name[0], domain: row.name[1] },
      ...named(queueEvents, row.total),
      ...withTimes('runMs', tables.ran.find(row.name)),
      ...withTimes('waitMs', tables.waited.find(row.name)),
      trend: trendOf(row.steps, {
        completed: [queueEvents.indexOf('completed')],
        failed: [queueEvents.indexOf('failed')],
      }),
    })),
  };
}

function withTimes<Name extends string>(
  name: Name,
  row: EventRow<readonly string[]> | undefined,
): { readonly [N in Name]?: Times } {
  if (row === undefined) return {};
  const count = row.total.reduce((sum, each) => sum + each, 0);
  if (count === 0) return {};
  const times: Times = { p50: percentile(row.total, 0.5), p95: percentile(row.total, 0.95), count };
  return { [name]: times } as { readonly [N in Name]?: Times };
}

function trendOf(
  steps: readonly (readonly number[])[],
  events: { readonly completed: readonly number[]; readonly failed: readonly number[] },
): Trend {
  const sum = (which: readonly number[]): number[] =>
    Array.from({ length: stepsOfTrend }, (_, step) =>
      which.reduce((total, event) => total + (steps[event]?.[step] ?? 0), 0),
    );
  return { completed: sum(events.completed), failed: sum(events.failed) };
}
