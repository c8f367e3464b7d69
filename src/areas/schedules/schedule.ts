// Workflow schedules (contract-core 19.1, 19.3, semantics 7.2): which workflow is started when. A
// schedule that can never run is refused: a cron expression without sense, an unknown zone, no
// workflow to start.
import { anyObject } from '../../model/schema.js';
import { custom, filledText, flag, list, text, time } from '../../model/field.js';
import { noun, type ShownOf, type StoredOf, type WrittenOf } from '../../declare/noun.js';
import { tagged } from '../../declare/resource-fields.js';
import { record } from '../../model/record.js';
import { wrongField } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';
import { parseKeptStart } from '../../model/kept-start.js';
import { isMap, present, refused } from '../../model/record-reader.js';
import { parseCron } from './cron/parse-cron.js';
import { timeZone } from './cron/time-zone.js';

/** Cron entries of one schedule. */
const cronSchedulesMax = 100;
const textCharsMax = 10_000;

const cronSchedule = record('CronSchedule', {
  cronExpression: text({
    about: 'Six fields: second minute hour day-of-month month day-of-week',
    required: true,
  }),
  zoneId: text({ about: 'IANA name; UTC when absent', default: 'UTC', check: checkZone }),
});

export type CronSchedule = ReturnType<typeof cronSchedule.parse>;

export const schedule = noun({
  title: 'WorkflowSchedule',
  labels: {
    cronSchedules: 'Several crons',
    cronExpression: 'Cron',
    zoneId: 'Zone',
    startWorkflowRequest: 'Start',
    runCatchupScheduleInstances: 'Catch up on missed runs',
    pausedReason: 'Reason of the pause',
    scheduleStartTime: 'From',
    scheduleEndTime: 'Until',
  },
  written: {
    name: text({
      required: true,
      charsMax: 255,
      // Names stand in queries and routes: no separators.
      pattern: /^[\p{L}\p{N}_.\- ]+$/u,
      rule: 'may only hold letters, digits, blanks and the characters _ - .',
    }),
    cronSchedules: list(cronSchedule, { itemsMax: cronSchedulesMax }),
    cronExpression: filledText({
      about: 'Six fields: second minute hour day month weekday; used while cronSchedules is empty',
    }),
    zoneId: text({ about: 'Of cronExpression: IANA name; UTC when absent', default: 'UTC' }),
    startWorkflowRequest: custom(anyObject, startRequestOf, { required: true }),
    runCatchupScheduleInstances: flag({
      about: 'Due times that pass while no server runs are made up for',
      default: false,
    }),
    paused: flag({ default: false }),
    pausedReason: text({ charsMax: textCharsMax }),
    scheduleStartTime: time({ about: 'First moment that counts', min: 0 }),
    scheduleEndTime: time({ about: 'Last moment that counts', min: 0 }),
    description: text({ charsMax: textCharsMax }),
  },
  beside: tagged,
  kept: {
    createTime: time({ required: true }),
    updatedTime: time({ required: true }),
    createdBy: text({ required: true }),
    actsAs: text({
      about: 'Whose rights it acts with: who changed it last; absent: who created it',
    }),
    updatedBy: text({ required: true }),
  },
  hidden: {
    // Due times count from here on, exclusively: the moment of its newest create, update or resume.
    // It rises with each of them, so it also tells them apart.
    activeFrom: time({ required: true }),
  },
  derived: { nextRunTime: time({ about: 'Absent when it is never due again' }) },
  check(fields) {
    checkEntries(fields);
    checkBounds(fields);
  },
  stored: { kind: 'schedule', idOf: ({ name }) => name },
});

/** Times are epoch ms. */
export type WorkflowSchedule = StoredOf<typeof schedule>;
/** The part of a schedule that a caller writes. */
export type ScheduleFields = WrittenOf<typeof schedule>;
export type ShownSchedule = ShownOf<typeof schedule>;

/** The cron entries in force; each has due times of its own. */
export function entriesOf(
  schedule: Pick<WorkflowSchedule, 'cronSchedules' | 'cronExpression' | 'zoneId'>,
): readonly CronSchedule[] {
  if (schedule.cronSchedules.length > 0) return schedule.cronSchedules;
  const { cronExpression, zoneId } = schedule;
  return cronExpression === undefined ? [] : [{ cronExpression, zoneId }];
}

export function workflowNameOf(schedule: WorkflowSchedule): string {
  return textFrom(schedule.startWorkflowRequest['name']);
}

function checkZone(zoneId: string, path: string): void {
  if (timeZone(zoneId) !== undefined) return;
  throw wrongField(path, `names no time zone: '${zoneId.slice(0, 100)}'`);
}

function checkEntries(fields: ScheduleFields): void {
  const isList = fields.cronSchedules.length > 0;
  // Beside entries it counts no more than `cronExpression` (interface 2.5).
  if (!isList) checkZone(fields.zoneId, 'zoneId');
  const entries = entriesOf(fields);
  if (entries.length === 0) {
    const rule = 'is required: a cron expression, or cronSchedules with some';
    throw wrongField('cronExpression', rule);
  }
  entries.forEach(({ cronExpression }, index) => {
    parseCron(cronExpression, isList ? `cronSchedules[${index}].cronExpression` : 'cronExpression');
  });
}

function checkBounds({ scheduleStartTime: start, scheduleEndTime: end }: ScheduleFields): void {
  if (start !== undefined && end !== undefined && end < start) {
    throw wrongField('scheduleEndTime', 'must not be before scheduleStartTime');
  }
}

/** The request as it is answered, stored and parsed again for each run. Throws AppError. */
function startRequestOf(value: unknown, path: string): JsonMap {
  if (!isMap(value)) throw refused(path, 'must be an object');
  const { request, asSent } = parseKeptStart(value as JsonMap, path);
  return present({
    ...asSent,
    name: request.name,
    version: request.version,
    input: request.input,
    taskToDomain: request.taskToDomain,
    priority: request.priority,
  }) as JsonMap;
}
