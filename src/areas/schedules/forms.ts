// Forms of schedules on the wire (contract-core 19.1, 19.2).
import {
  anyObject,
  flag,
  integer,
  list,
  object,
  oneOf,
  text,
  time,
  type Form,
} from '../../api/form.js';
import { tagListForm } from '../../api/tag-routes.js';

const cronScheduleForm = object(
  'CronSchedule',
  {
    cronExpression: text('Six fields: second minute hour day-of-month month day-of-week'),
    zoneId: text('IANA name; UTC when absent'),
  },
  ['cronExpression'],
);

const written = {
  name: text(),
  cronExpression: text('Used while cronSchedules is empty'),
  zoneId: text('IANA name; UTC when absent'),
  cronSchedules: list(cronScheduleForm),
  startWorkflowRequest: anyObject,
  runCatchupScheduleInstances: flag('Due times that pass while no server runs are made up for'),
  paused: flag(),
  scheduleStartTime: time('First moment that counts, epoch ms'),
  scheduleEndTime: time('Last moment that counts, epoch ms'),
  description: text(),
  tags: tagListForm,
};

export const scheduleRequestForm: Form = object('WorkflowScheduleRequest', written, [
  'name',
  'startWorkflowRequest',
]);

export const scheduleForm: Form = object(
  'WorkflowSchedule',
  {
    ...written,
    pausedReason: text(),
    createTime: time(),
    updatedTime: time(),
    createdBy: text(),
    actsAs: text('Whose rights it acts with: who changed it last; absent: who created it'),
    updatedBy: text(),
    nextRunTime: time('Absent when it is never due again'),
  },
  [
    'name',
    'zoneId',
    'cronSchedules',
    'startWorkflowRequest',
    'runCatchupScheduleInstances',
    'paused',
    'createTime',
    'updatedTime',
    'createdBy',
    'updatedBy',
  ],
);

export const scheduleRunForm: Form = object(
  'WorkflowScheduleExecution',
  {
    executionId: text(),
    scheduleName: text(),
    scheduledTime: time('When it was due, epoch ms'),
    executionTime: time('When it was dealt with, epoch ms'),
    workflowName: text(),
    workflowId: text('Absent when nothing was started'),
    reason: text('Why nothing was started'),
    startWorkflowRequest: anyObject,
    state: oneOf(['POLLED', 'FAILED', 'EXECUTED']),
    zoneId: text(),
  },
  ['executionId', 'scheduleName', 'scheduledTime', 'executionTime', 'workflowName', 'state'],
);

export function searchResultForm(title: string, of: Form): Form {
  return object(title, { totalHits: integer(), results: list(of) }, ['totalHits', 'results']);
}
