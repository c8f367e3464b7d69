// Workflow schedules (contract-core 19.1, semantics 7.2): which workflow is started when.
import type { JsonMap } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';
import type { Tag } from '../../model/tag.js';

export interface CronSchedule {
  readonly cronExpression: string;
  /** IANA name or fixed offset. */
  readonly zoneId: string;
}

/** Times are epoch ms. */
export interface WorkflowSchedule {
  readonly name: string;
  /** Used while `cronSchedules` is empty. */
  readonly cronExpression?: string;
  readonly zoneId: string;
  readonly cronSchedules: readonly CronSchedule[];
  /** On the wire's form, with its defaults filled in; parsed again for each run. */
  readonly startWorkflowRequest: JsonMap;
  readonly runCatchupScheduleInstances: boolean;
  readonly paused: boolean;
  readonly pausedReason?: string;
  readonly scheduleStartTime?: number;
  readonly scheduleEndTime?: number;
  readonly description?: string;
  readonly createTime: number;
  readonly updatedTime: number;
  readonly createdBy: string;
  /** Owner of record, where it is not the creator (model/owner-of-record.ts). */
  readonly actsAs?: string;
  readonly updatedBy: string;
  /**
   * Due times count from here on, exclusively: the moment of its newest create, update or resume.
   * It rises with each of them, so it also tells them apart. Not on the wire.
   */
  readonly activeFrom: number;
}

/** What of a schedule a caller writes. */
export type ScheduleFields = Omit<
  WorkflowSchedule,
  'createTime' | 'updatedTime' | 'createdBy' | 'actsAs' | 'updatedBy' | 'activeFrom'
> & {
  /** Replace the tags of its name; absent: they stay. */
  readonly tags?: readonly Tag[];
};

/** The cron entries in force; each has due times of its own. */
export function entriesOf(
  schedule: Pick<WorkflowSchedule, 'cronSchedules' | 'cronExpression' | 'zoneId'>,
): readonly CronSchedule[] {
  if (schedule.cronSchedules.length > 0) return schedule.cronSchedules;
  const { cronExpression, zoneId } = schedule;
  return cronExpression === undefined ? [] : [{ cronExpression, zoneId }];
}

/** Name of the workflow that the schedule starts. */
export function workflowNameOf(schedule: WorkflowSchedule): string {
  return textFrom(schedule.startWorkflowRequest['name']);
}
