// Parsing and checking of schedules (contract-core 19.1, 19.3). What can never run is refused: a
// cron expression without sense, an unknown zone, no workflow to start.
import { parseCron } from './cron/parse-cron.js';
import { timeZone } from './cron/time-zone.js';
import { wrongField } from '../../model/errors.js';
import type { Json, JsonMap } from '../../model/json.js';
import { parseStartWorkflowRequest } from '../../model/parse-start-request.js';
import { present, RecordReader } from '../../model/record-reader.js';
import { parseTags } from '../../model/tag.js';
import { checkStoredStart } from '../../model/validate-start-request.js';
import { entriesOf, type CronSchedule, type ScheduleFields } from './schedule.js';

/** Cron entries of one schedule. */
export const cronSchedulesMax = 100;
const nameCharsMax = 255;
const textCharsMax = 10_000;
/** Names stand in queries and routes: no separators. */
const namePattern = /^[\p{L}\p{N}_.\- ]+$/u;

/** Throws AppError 'bad-request' that names the field and the rule. */
export function parseSchedule(input: unknown): ScheduleFields {
  const reader = new RecordReader(input, '');
  const cronSchedules = cronSchedulesOf(reader);
  const fields: ScheduleFields = {
    name: nameOf(reader),
    // Counts no more than `cronExpression` beside entries (interface 2.5).
    zoneId: cronSchedules.length > 0 ? reader.text('zoneId') || 'UTC' : readZone(reader),
    cronSchedules,
    startWorkflowRequest: startRequestOf(reader),
    runCatchupScheduleInstances: reader.flag('runCatchupScheduleInstances', false),
    paused: reader.flag('paused', false),
    ...present({
      cronExpression: reader.text('cronExpression') || undefined,
      pausedReason: textOf(reader, 'pausedReason'),
      scheduleStartTime: reader.long('scheduleStartTime', 0) || undefined,
      scheduleEndTime: reader.long('scheduleEndTime', 0) || undefined,
      description: textOf(reader, 'description'),
      tags: reader.record('tags', parseTags),
    }),
  };
  checkEntries(fields);
  checkBounds(fields);
  return fields;
}

/** A zone as the wire names it; absent or empty: UTC. Throws AppError 'bad-request'. */
function readZone(reader: RecordReader): string {
  const zoneId = reader.text('zoneId') || 'UTC';
  if (timeZone(zoneId) === undefined) {
    throw wrongField(reader.pathOf('zoneId'), `there is no time zone '${zoneId.slice(0, 100)}'`);
  }
  return zoneId;
}

function nameOf(reader: RecordReader): string {
  const name = reader.text('name') ?? '';
  if (name.trim() === '') throw wrongField('name', 'is required');
  if (name.length > nameCharsMax)
    throw wrongField('name', `may have ${nameCharsMax} characters at most`);
  if (!namePattern.test(name)) {
    throw wrongField('name', 'may only hold letters, digits, blanks and the characters _ - .');
  }
  return name;
}

function textOf(reader: RecordReader, name: string): string | undefined {
  const text = reader.text(name);
  if (text !== undefined && text.length > textCharsMax) {
    throw wrongField(name, `may have ${textCharsMax} characters at most`);
  }
  return text;
}

function cronSchedulesOf(reader: RecordReader): CronSchedule[] {
  const entries = reader.list('cronSchedules', (item, path) => {
    const entry = new RecordReader(item, path);
    return { cronExpression: entry.text('cronExpression') ?? '', zoneId: readZone(entry) };
  });
  if (entries.length > cronSchedulesMax) {
    throw wrongField('cronSchedules', `may have ${cronSchedulesMax} entries at most`);
  }
  return entries;
}

function checkEntries(fields: ScheduleFields): void {
  const entries = entriesOf(fields);
  if (entries.length === 0) {
    throw wrongField(
      'cronExpression',
      'is required: a cron expression, or cronSchedules with some',
    );
  }
  const isList = fields.cronSchedules.length > 0;
  entries.forEach(({ cronExpression }, index) => {
    parseCron(cronExpression, isList ? `cronSchedules[${index}].cronExpression` : 'cronExpression');
  });
}

function checkBounds({ scheduleStartTime: start, scheduleEndTime: end }: ScheduleFields): void {
  if (start !== undefined && start < 0)
    throw wrongField('scheduleStartTime', 'must not be negative');
  if (end !== undefined && end < 0) throw wrongField('scheduleEndTime', 'must not be negative');
  if (start !== undefined && end !== undefined && end < start) {
    throw wrongField('scheduleEndTime', 'must not be before scheduleStartTime');
  }
}

const copiedFields = [
  'name',
  'version',
  'correlationId',
  'workflowDef',
  'externalInputPayloadStoragePath',
  'createdBy',
  'idempotencyKey',
  'idempotencyStrategy',
];

/** The request as it is answered and stored: parsed once to check it, defaults filled in. */
function startRequestOf(reader: RecordReader): JsonMap {
  const sent = reader.optionalMap('startWorkflowRequest');
  if (sent === undefined) throw wrongField('startWorkflowRequest', 'is required');
  const request = parseStartWorkflowRequest(withInput(sent), 'startWorkflowRequest');
  checkStoredStart(request, 'startWorkflowRequest');
  const copied: { [name: string]: Json | undefined } = {};
  for (const name of copiedFields) if (sent[name] !== null) copied[name] = sent[name];
  return present({
    ...copied,
    name: request.name,
    version: request.version,
    input: request.input,
    taskToDomain: request.taskToDomain,
    priority: request.priority,
  }) as JsonMap;
}

/** A start refuses an input of null; a schedule takes it as none. */
function withInput(sent: JsonMap): JsonMap {
  return sent['input'] === null ? { ...sent, input: {} } : sent;
}
