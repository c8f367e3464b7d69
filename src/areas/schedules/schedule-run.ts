// One due time of a schedule and what became of it (contract-core 19.2).
import type { JsonMap } from '../../model/json.js';

export const runStates = ['POLLED', 'FAILED', 'EXECUTED'] as const;
export type RunState = (typeof runStates)[number];

/** Times are epoch ms. */
export interface ScheduleRun {
  /** UUID derived from the schedule, its cron entry and the due time. */
  readonly executionId: string;
  readonly scheduleName: string;
  readonly scheduledTime: number;
  readonly executionTime: number;
  readonly workflowName: string;
  /** Absent when nothing was started. */
  readonly workflowId?: string;
  /** Why nothing was started, up to 999 characters. */
  readonly reason?: string;
  readonly startWorkflowRequest: JsonMap;
  readonly state: RunState;
  readonly zoneId: string;
}

/** Contract-core 19.2. */
export const reasonCharsMax = 999;
