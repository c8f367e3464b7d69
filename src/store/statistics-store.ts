// What has happened per minute, and which timers are overdue: of all nodes together. Each process
// writes what it has counted itself, under its own name, and again while the minute goes on; so a
// repeated write changes nothing, and a reader adds the processes up.
import type { ExecutionId } from '../std/ids.js';

/** What one process has counted in one minute. */
export interface MinuteCounts {
  /** Begin, epoch ms. */
  readonly minuteAt: number;
  /**
   * Name of a definition ('' for those beyond the bound of a minute), then the numbers of
   * `workflowEvents` in order.
   */
  readonly workflows: readonly (readonly [name: string, ...counts: number[]])[];
  /** Task type and domain ('' for none), then the numbers of `queueEvents` in order. */
  readonly queues: readonly (readonly [taskType: string, domain: string, ...counts: number[]])[];
  /**
   * Task type and domain, then pairs: a length of time that tasks ran (telemetry/run-times.ts) and
   * how many did.
   */
  readonly runTimes: readonly (readonly [taskType: string, domain: string, ...pairs: number[]])[];
}

/** A wake-up of an execution that should have been carried out. */
export interface OverdueTimer {
  readonly workflowId: ExecutionId;
  /** Epoch ms. */
  readonly dueAt: number;
}

/** Those of one process. */
export interface OverdueTimers {
  readonly count: number;
  /** The oldest ones. */
  readonly timers: readonly OverdueTimer[];
  /** When the process has looked, epoch ms. */
  readonly lookedAt: number;
}

/** How long minutes are kept. */
export const minutesLifeMs = 7 * 86_400_000;

export interface StatisticsStore {
  /** Since when events are counted here, epoch ms: `now` when nobody has counted before. */
  countedSince(now: number): Promise<number>;
  /** Puts the minutes of a process in place of what it wrote of them before. */
  save(writer: string, minutes: readonly MinuteCounts[]): Promise<void>;
  /** Of every process, the minutes that begin in the span; both ends epoch ms, inclusive. */
  read(fromAt: number, untilAt: number): Promise<MinuteCounts[]>;
  /** undefined: the process has none any more. */
  saveOverdue(writer: string, overdue: OverdueTimers | undefined): Promise<void>;
  /** Of every process that has any, those that ended without a word included. */
  overdue(): Promise<OverdueTimers[]>;
}
