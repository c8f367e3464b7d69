// Scores of the sorted sets of a partition, 53 bits each.
//
// Due set: the shard's place in its partition (11 bits), whether the execution is finished (1 bit),
// and a moment in ms since 2020 (41 bits, to 2089): its next wake-up, or when it goes. So what is
// due in one shard is read at that shard's cost. The last moment stands for none.
//
// Index sets: the status (3 bits), then the create time in epoch ms (42 bits), so that a change of
// status is one write.
import type { WorkflowStatus } from '../../model/status.js';

const moments = 2 ** 41;
const timeBase = Date.UTC(2020, 0, 1);
/** Shards of one partition that scores can tell apart. */
export const shardsPerPartitionMax = 2 ** 11;

/** Moment of an open execution that has no wake-up; epoch ms. */
export const noWakeUp = timeBase + moments - 1;

/** Earlier and later moments than there are become the first and the last one, epoch ms. */
export function dueScore(place: number, isFinished: boolean, at: number): number {
  const moment = Math.min(Math.max(0, at - timeBase), moments - 1);
  return (2 * place + (isFinished ? 1 : 0)) * moments + moment;
}

/** Epoch ms. */
export function momentOf(score: number): number {
  return (score % moments) + timeBase;
}

/** The shard's place in its partition that an entry of the due set stands under. */
export function placeOf(score: number): number {
  return Math.floor(score / moments / 2);
}

export interface DueEntry {
  /** Next wake-up of an open execution, epoch ms; 0 = none. */
  readonly wakeAt: number;
  readonly state: 'absent' | 'open' | 'finished';
}

/** `score` is undefined for an execution without an entry. */
export function readDue(score: number | undefined): DueEntry {
  if (score === undefined) return { wakeAt: 0, state: 'absent' };
  const isFinished = Math.floor(score / moments) % 2 === 1;
  const at = momentOf(score);
  const wakeAt = isFinished || at === noWakeUp ? 0 : at;
  return { wakeAt, state: isFinished ? 'finished' : 'open' };
}

const times = 2 ** 42;
const statusCodes: Readonly<Record<WorkflowStatus, number>> = {
  RUNNING: 0,
  PAUSED: 1,
  COMPLETED: 2,
  FAILED: 3,
  TIMED_OUT: 4,
  TERMINATED: 5,
};

/** `createTime` in epoch ms. */
export function indexScore(status: WorkflowStatus, createTime: number): number {
  return statusCodes[status] * times + Math.min(Math.max(0, createTime), times - 1);
}

/** Create time, epoch ms. */
export function createTimeOf(score: number): number {
  return score % times;
}
