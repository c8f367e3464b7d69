// One due time of a schedule and what became of it (contract-core 19.2).
import { anyMap, choice, text, time } from '../../model/field.js';
import { record, type Values } from '../../model/record.js';

const runFields = {
  executionId: text({
    about: 'A UUID derived from the schedule, its cron entry and the due time',
    required: true,
  }),
  scheduleName: text({ required: true }),
  scheduledTime: time({ about: 'When it was due, epoch ms', required: true }),
  executionTime: time({ about: 'When it was dealt with, epoch ms', required: true }),
  workflowName: text({ required: true }),
  workflowId: text({ about: 'Absent when nothing was started' }),
  reason: text({ about: 'Why nothing was started, up to 999 characters' }),
  startWorkflowRequest: anyMap({ required: true }),
  state: choice(['POLLED', 'FAILED', 'EXECUTED'], { required: true }),
  zoneId: text({ required: true }),
};

/** Times are epoch ms. */
export type ScheduleRun = Values<typeof runFields>;

export const scheduleRun = record('WorkflowScheduleExecution', runFields);

/** Contract-core 19.2. */
export const reasonCharsMax = 999;
