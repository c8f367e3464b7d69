// Stores the counts per minute and the overdue timers of all nodes together. Each process writes
// what it has counted itself, under its own name, and again while the minute goes on; so a repeated
// write changes nothing, and a reader adds the processes up.
import type { ExecutionId } from '../std/ids.js';

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
  /** The same of how long these tasks waited in their queue. */
  readonly waitTimes: readonly (readonly [taskType: string, domain: string, ...pairs: number[]])[];
  /** Name of a definition, then pairs as above: how long its executions took that ended. */
  readonly tookTimes: readonly (readonly [name: string, ...pairs: number[]])[];
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

/** The report of one process about itself and the workers that talk to it. */
export interface NodeReport {
  readonly nodeId: string;
  /** When it was told, epoch ms. */
  readonly at: number;
  /** When the process started, epoch ms. */
  readonly startedAt: number;
  /** Of one core, since the report before. */
  readonly processorPercent: number;
  /** Memory of the process. */
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** The most bytes that the heap may have. */
  readonly heapLimitBytes: number;
  /** How late timers came since the report before. */
  readonly loopLagMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Executions in memory. */
  readonly executions: number;
  /** Polls that wait. */
  readonly parkedPolls: number;
  /** How long the store took to answer within the last minute; absent before it has. */
  readonly storeMs?: { readonly p50: number; readonly max: number };
  readonly workers: readonly WorkerReport[];
}

/** A worker as one process has seen it. */
export interface WorkerReport {
  /** '' for those that give none. */
  readonly workerId: string;
  /** Where its last poll came from. */
  readonly address: string;
  /** The name that its client gives itself; '' when it gives none. */
  readonly client: string;
  /** Task type, domain ('' for none), last poll in epoch ms. */
  readonly polled: readonly (readonly [taskType: string, domain: string, at: number])[];
  /** Reports of tasks that ended within the last hour, and those of failures. */
  readonly reported: number;
  readonly failed: number;
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
  /** In place of what the process told before. */
  saveReport(writer: string, report: NodeReport): Promise<void>;
  /** Of every process by its name, those that ended included until they are removed. */
  reports(): Promise<(readonly [writer: string, report: NodeReport])[]>;
  removeReports(writers: readonly string[]): Promise<void>;
}
