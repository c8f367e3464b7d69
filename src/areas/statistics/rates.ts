// How many executions started and ended, and how many tasks went into queues and out of them, by
// the minute in which it happened: for plots, and per minute now. The numbers come from counters of
// every node (minute-recorder.ts), so an execution that is removed later still counts, and one that
// was retried and ended again counts twice.
import type { ValueOf } from '../../model/schema.js';
import type { Caller } from '../../model/caller.js';
import { lengthsMax, percentile } from '../../telemetry/run-times.js';
import { queueEvents, workflowEvents } from '../../telemetry/event-counters.js';
import { minutesLifeMs } from '../../store/statistics-store.js';
import { mayOnAllExecutions } from '../../access/execution-rights.js';
import { readableNames } from '../../operation/access.js';
import type { OperationContext } from '../../operation/context.js';
import { maySeeQueue } from '../../operation/queue-sizes.js';
import { EventTable } from './event-table.js';
import type { ratesSchema, runTimesSchema } from './rate-schemas.js';
import { stepsOf } from './steps.js';

export type WorkflowCounts = Record<(typeof workflowEvents)[number], number>;
export type QueueCounts = Record<(typeof queueEvents)[number], number>;

export type Rates = ValueOf<typeof ratesSchema>;

export interface RatesRequest {
  readonly caller: Caller;
  readonly windowMs: number;
  /** Absent: all that the caller may read. */
  readonly workflow: string | undefined;
  readonly taskType: string | undefined;
}

export type RatesContext = Pick<OperationContext, 'access' | 'clock' | 'minutes'>;

export const minuteMs = 60_000;
/** Minutes before the current one whose run times count. */
const runTimesBackMs = 9 * minuteMs;
/** Workflows, and queues, of one answer. */
const namesMax = 100;

/** Of the workflows and queues that the caller may see. */
export async function rates(context: RatesContext, asked: RatesRequest): Promise<Rates> {
  const untilAt = context.clock.now();
  const { stepMs, times } = stepsOf(untilAt - asked.windowMs, untilAt);
  // A minute is in a step or not.
  times[0] = minuteOf(times[0] ?? untilAt);
  const countedSince = Math.max(context.minutes.since, untilAt - minutesLifeMs);
  const isCounted = times.map((_, step) => (times[step + 1] ?? untilAt + 1) > countedSince);
  const workflows = new EventTable<readonly [string]>(workflowEvents.length, times);
  const queues = new EventTable<readonly [string, string]>(queueEvents.length, times);
  // Of all queues together: one row, however many there are.
  const waits = new EventTable<readonly []>(lengthsMax, times);
  const isShown = shownTo(context, asked);
  const fromAt = Math.max(times[0], minuteOf(countedSince));
  for (const minute of await context.minutes.read(fromAt, untilAt)) {
    for (const [name, ...counts] of minute.workflows) {
      if (isShown.workflow(name, minute.minuteAt)) workflows.add([name], minute.minuteAt, counts);
    }
    for (const [taskType, domain, ...counts] of minute.queues) {
      if (isShown.queue(taskType, domain)) queues.add([taskType, domain], minute.minuteAt, counts);
    }
    for (const [taskType, domain, ...pairs] of minute.waitTimes) {
      if (isShown.queue(taskType, domain)) waits.add([], minute.minuteAt, countsOf(pairs));
    }
  }
  return {
    ...{ stepMs, times, countedSince },
    executions: seriesOf(workflowEvents, workflows.sum(), isCounted),
    workflows: workflows.most(namesMax).map(({ name: [name], total }) => ({
      name,
      ...named(workflowEvents, total),
    })),
    queues: queues.most(namesMax).map(({ name: [taskType, domain], total, steps }) => ({
      ...{ taskType, domain, total: named(queueEvents, total) },
      series: seriesOf(queueEvents, steps, isCounted),
    })),
    waitMs: waitSeries(waits.sum(), times.length),
  };
}

/** How long tasks waited for a worker, by the step in which they were handed out. */
function waitSeries(waits: readonly (readonly number[])[], steps: number): Rates['waitMs'] {
  const ofStep = Array.from({ length: steps }, (_, step) => waits.map((each) => each[step] ?? 0));
  const at = (share: number): (number | null)[] =>
    ofStep.map((counts) => (counts.some((count) => count > 0) ? percentile(counts, share) : null));
  return { p50: at(0.5), p95: at(0.95) };
}

/** How long tasks ran that have ended lately. */
export type RunTimes = ValueOf<typeof runTimesSchema>;

/** Events per minute now, by estimate: of the last minute the part within 60 s of now. */
export interface PerMinute {
  readonly executions: WorkflowCounts;
  queue(name: { readonly taskType: string; readonly domain: string }): QueueCounts;
  /** Of the tasks that ended in this minute and the nine before; undefined when none did. */
  runMs(name: { readonly taskType: string; readonly domain: string }): RunTimes | undefined;
}

/** Of the workflows and queues that the caller may see. */
export async function perMinute(context: RatesContext, caller: Caller): Promise<PerMinute> {
  const now = context.clock.now();
  const currentAt = minuteOf(now);
  const times = [currentAt - minuteMs, currentAt];
  const workflows = new EventTable<readonly [string]>(workflowEvents.length, times);
  const queues = new EventTable<readonly [string, string]>(queueEvents.length, times);
  const runTimes = new EventTable<readonly [string, string]>(lengthsMax, [0]);
  const isShown = shownTo(context, { caller, workflow: undefined, taskType: undefined });
  for (const minute of await context.minutes.read(currentAt - runTimesBackMs, now)) {
    for (const [taskType, domain, ...pairs] of minute.runTimes) {
      runTimes.add([taskType, domain], minute.minuteAt, countsOf(pairs));
    }
    for (const [name, ...counts] of minute.workflows) {
      if (isShown.workflow(name, minute.minuteAt)) workflows.add([name], minute.minuteAt, counts);
    }
    for (const [taskType, domain, ...counts] of minute.queues) {
      queues.add([taskType, domain], minute.minuteAt, counts);
    }
  }
  const share = 1 - (now - currentAt) / minuteMs;
  const estimate = (steps: readonly (readonly number[])[]): number[] =>
    steps.map(([before = 0, current = 0]) => Math.round(before * share + current));
  const none = queueEvents.map(() => 0);
  return {
    executions: named(workflowEvents, estimate(workflows.sum())),
    queue: ({ taskType, domain }) => {
      const found = queues.find([taskType, domain]);
      return named(queueEvents, found === undefined ? none : estimate(found.steps));
    },
    runMs: ({ taskType, domain }) => {
      const counts = runTimes.find([taskType, domain])?.total;
      if (counts === undefined) return undefined;
      const tasks = counts.reduce((sum, count) => sum + count, 0);
      return { p50: percentile(counts, 0.5), p95: percentile(counts, 0.95), tasks };
    },
  };
}

/** Numbers by length of time out of pairs of both. */
export function countsOf(pairs: readonly number[]): number[] {
  const counts: number[] = [];
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const length = pairs[i] as number;
    while (counts.length < length) counts.push(0);
    counts[length] = pairs[i + 1] as number;
  }
  return counts;
}

interface Shown {
  /** `minuteAt`: begin of the minute, epoch ms. */
  workflow(name: string, minuteAt: number): boolean;
  queue(taskType: string, domain: string): boolean;
}

/** Those beyond the bound of a minute have no name; administrators see them. */
export function shownTo(
  { access }: RatesContext,
  { caller, workflow, taskType }: Pick<RatesRequest, 'caller' | 'workflow' | 'taskType'>,
): Shown {
  const isReadable = readableNames(access, caller);
  const readsAll = mayOnAllExecutions(access, caller, 'READ');
  const readable = new Map<string, boolean>();
  const queues = new Map<string, boolean>();
  return {
    workflow: (name, minuteAt) =>
      (workflow === undefined || workflow === name) &&
      remembered(readable, name, () => isReadable(name)) &&
      // Events before the name was registered anew belong to others.
      (readsAll || minuteAt + minuteMs > (access.heldSince(name) ?? Infinity)),
    queue: (type, domain) =>
      (taskType === undefined || taskType === type) &&
      remembered(queues, `${domain}:${type}`, () =>
        maySeeQueue(access, caller, { taskType: type, domain }),
      ),
  };
}

function remembered(known: Map<string, boolean>, key: string, decide: () => boolean): boolean {
  const before = known.get(key);
  if (before !== undefined) return before;
  const decided = decide();
  known.set(key, decided);
  return decided;
}

export function named<Event extends string>(
  events: readonly Event[],
  counts: readonly number[],
): Record<Event, number> {
  return Object.fromEntries(events.map((event, i) => [event, counts[i] ?? 0])) as Record<
    Event,
    number
  >;
}

function seriesOf<Event extends string>(
  events: readonly Event[],
  steps: readonly (readonly number[])[],
  isCounted: readonly boolean[],
): Record<Event, (number | null)[]> {
  const series = events.map((event, i) => [
    event,
    (steps[i] ?? []).map((count, step) => (isCounted[step] === true ? count : null)),
  ]);
  return Object.fromEntries(series) as Record<Event, (number | null)[]>;
}

export function minuteOf(at: number): number {
  return at - (at % minuteMs);
}
