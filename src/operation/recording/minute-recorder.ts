// Puts what this process has counted (telemetry/event-counters.ts) into minutes and stores them:
// one write a second while something happens, none while nothing does. The counts of a minute are
// written again as a whole, so a write that failed is made up for by the next one. A process that
// is killed loses what it has counted since its last write, at most a second; one that stops,
// nothing: it stops after everything that counts.
import type { Clock } from '../../std/clock.js';
import { PeriodicLoop } from '../../std/periodic-loop.js';
import type { Service } from '../../std/service.js';
import type { EventCounters, TakenCounts } from '../../telemetry/event-counters.js';
import type { MinuteCounts, StatisticsStore } from '../../store/statistics-store.js';

export interface MinuteRecorderParts {
  readonly counters: EventCounters;
  readonly store: StatisticsStore;
  readonly clock: Clock;
  /** Name of this process, of no other one. */
  readonly writer: string;
  readonly failed: (error: unknown) => void;
  /** The counts since the last call, of all workflows and of all queues; for metrics. */
  readonly counted: (
    workflows: readonly number[],
    queues: readonly number[],
    taken: TakenCounts,
  ) => void;
}

const minuteMs = 60_000;
const everyMs = 1000;
/** Workflows, and queues, that a minute tells apart; further ones are added up under ''. */
const namesPerMinuteMax = 200;
/** Minutes that wait for a store that is away; the oldest ones are dropped then. */
const unsavedMax = 60;

export class MinuteRecorder implements Service {
  readonly #loop: PeriodicLoop;
  /** The current one, and those that are not stored yet. */
  readonly #minutes = new Map<number, Minute>();
  #saving: Promise<void> = Promise.resolve();
  #since = 0;

  constructor(private readonly parts: MinuteRecorderParts) {
    const { clock, failed } = parts;
    this.#loop = new PeriodicLoop({
      ...{ name: 'MinuteRecorder', clock, everyMs, failed },
      runsOn: 'node',
      runOnce: () => this.save(),
    });
  }

  async start(): Promise<void> {
    const { store, clock } = this.parts;
    this.#since = await store.countedSince(clock.now());
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.save();
  }

  /** Since when events are counted, epoch ms. */
  get since(): number {
    return this.#since;
  }

  /** Stores what has been counted by now. Rejects when the store cannot be reached. */
  save(): Promise<void> {
    const saving = this.#saving.catch(() => undefined).then(() => this.#saveOnce());
    this.#saving = saving.catch(() => undefined);
    return saving;
  }

  /**
   * The counts of every process in the minutes that begin in the span, those of this one up to now;
   * both ends epoch ms.
   */
  async read(fromAt: number, untilAt: number): Promise<MinuteCounts[]> {
    await this.save();
    return await this.parts.store.read(fromAt, untilAt);
  }

  async #saveOnce(): Promise<void> {
    const currentAt = this.collect();
    const unsaved = [...this.#minutes.values()].filter((minute) => minute.isUnsaved);
    if (unsaved.length > 0) {
      for (const minute of unsaved) minute.isUnsaved = false;
      try {
        await this.parts.store.save(
          this.parts.writer,
          unsaved.map((minute) => minute.counts()),
        );
      } catch (error) {
        for (const minute of unsaved) minute.isUnsaved = true;
        throw error;
      }
    }
    for (const [minuteAt, minute] of this.#minutes) {
      const isLost = this.#minutes.size > unsavedMax;
      if (isLost || (!minute.isUnsaved && minuteAt < currentAt)) this.#minutes.delete(minuteAt);
    }
  }

  /**
   * Takes what has been counted since the last time: it belongs to this minute, which is returned.
   */
  collect(): number {
    const now = this.parts.clock.now();
    const minuteAt = now - (now % minuteMs);
    const taken = this.parts.counters.take();
    const { workflows, queues } = taken;
    if (workflows.length === 0 && queues.length === 0) return minuteAt;
    let minute = this.#minutes.get(minuteAt);
    if (minute === undefined) this.#minutes.set(minuteAt, (minute = new Minute(minuteAt)));
    minute.isUnsaved = true;
    for (const { name, counts, tookTimes } of workflows) {
      minute.workflows.add([name], counts);
      if (tookTimes.length > 0) minute.tookTimes.add([name], tookTimes);
    }
    for (const { name, counts, runTimes, waitTimes } of queues) {
      const queue: [string, string] = [name.taskType, name.domain];
      minute.queues.add(queue, counts);
      if (runTimes.length > 0) minute.runTimes.add(queue, runTimes);
      if (waitTimes.length > 0) minute.waitTimes.add(queue, waitTimes);
    }
    this.parts.counted(sumOf(workflows), sumOf(queues), taken);
    return minuteAt;
  }
}

function sumOf(counted: readonly { readonly counts: readonly number[] }[]): number[] {
  const sums: number[] = [];
  for (const { counts } of counted) {
    for (const [i, count] of counts.entries()) sums[i] = (sums[i] ?? 0) + count;
  }
  return sums;
}

class Minute {
  readonly workflows = new Sums<[string]>(['']);
  readonly queues = new Sums<[string, string]>(['', '']);
  readonly runTimes = new Sums<[string, string]>(['', '']);
  readonly waitTimes = new Sums<[string, string]>(['', '']);
  readonly tookTimes = new Sums<[string]>(['']);
  isUnsaved = true;

  constructor(private readonly minuteAt: number) {}

  counts(): MinuteCounts {
    return {
      minuteAt: this.minuteAt,
      workflows: this.workflows.rows(),
      queues: this.queues.rows(),
      runTimes: timesOf(this.runTimes),
      waitTimes: timesOf(this.waitTimes),
      tookTimes: this.tookTimes.rows().map(([name, ...counts]) => [name, ...pairsOf(counts)]),
    };
  }
}

function timesOf(sums: Sums<[string, string]>): MinuteCounts['runTimes'] {
  return sums.rows().map(([taskType, domain, ...counts]) => [taskType, domain, ...pairsOf(counts)]);
}

/** Place and number of each that is not 0. */
function pairsOf(counts: readonly number[]): number[] {
  return counts.flatMap((count, place) => (count === 0 ? [] : [place, count]));
}

class Sums<Name extends readonly string[]> {
  readonly #byKey = new Map<string, { readonly name: Name; readonly sums: number[] }>();

  constructor(private readonly others: Name) {}

  add(name: Name, counts: readonly number[]): void {
    let known = this.#of(name);
    if (known === undefined && this.#byKey.size >= namesPerMinuteMax) {
      name = this.others;
      known = this.#of(name);
    }
    if (known === undefined) {
      this.#byKey.set(keyOf(name), { name, sums: [...counts] });
      return;
    }
    for (const [i, count] of counts.entries()) known.sums[i] = (known.sums[i] ?? 0) + count;
  }

  rows(): (readonly [...Name, ...number[]])[] {
    return [...this.#byKey.values()].map(({ name, sums }) => [...name, ...sums] as const);
  }

  #of(name: Name): { readonly sums: number[] } | undefined {
    return this.#byKey.get(keyOf(name));
  }
}

function keyOf(name: readonly string[]): string {
  return name.join('\u0000');
}
