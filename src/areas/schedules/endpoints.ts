// Routes of the scheduler (interface 4.5, contract-core 19.3).
import type { Json } from '../../model/json.js';
import { parseSchedule } from './parse-schedule.js';
import { toScheduleJson, toScheduleRunJson } from './schedule-json.js';
import type { WorkflowSchedule } from './schedule.js';
import { present } from '../../model/record-reader.js';
import { parseBulkIds, runBulk } from '../../operation/bulk.js';
import { previewTimes } from './preview.js';
import type { Schedules } from './schedules.js';
import { searchRuns } from './search-runs.js';
import { searchSchedules } from './search-schedules.js';
import type { Tags } from '../../operation/tags/tags.js';
import type { Clock } from '../../std/clock.js';
import type { ScheduleRunStore } from './run-store.js';
import { body, query, replies, type Endpoint, type Method } from '../../api/endpoint.js';
import { flag, integer, list, object, text, time } from '../../api/form.js';
import type { ApiResponse } from '../../api/http-server.js';
import { bulkResponseForm } from '../../api/forms/bulk-response.js';
import { empty, json, type RouteRequest } from '../../api/route.js';
import { tagRoutes } from '../../api/tag-routes.js';
import { scheduleForm, scheduleRequestForm, scheduleRunForm, searchResultForm } from './forms.js';

/** What only the leader's scheduler can do. */
export interface SchedulerControl {
  pause(): void;
  resume(): void;
  /** Names of schedules whose newest step was not stored. */
  requeue(): Promise<string[]>;
}

export interface ScheduleParts {
  readonly schedules: Schedules;
  readonly runs: ScheduleRunStore;
  readonly tags: Tags;
  readonly scheduler: SchedulerControl;
  readonly clock: Clock;
  /** Setting service.scheduler.schedulerTimeZone. */
  readonly zoneId: string;
}

const base = '/api/scheduler';

export function scheduleRoutes(parts: ScheduleParts): Endpoint[] {
  return [
    ...definitionEndpoints(parts),
    ...pauseEndpoints(parts),
    ...tagEndpoints(parts),
    ...searchEndpoints(parts),
    ...adminEndpoints(parts),
  ];
}

/** A schedule with its tags and next run. */
function shown({ tags, clock }: ScheduleParts, schedule: WorkflowSchedule): Json {
  return toScheduleJson(schedule, {
    tags: tags.of('WORKFLOW_SCHEDULE', schedule.name),
    now: clock.now(),
  });
}

function definitionEndpoints(parts: ScheduleParts): Endpoint[] {
  const { schedules } = parts;
  return [
    {
      method: 'POST',
      pattern: `${base}/schedules`,
      name: 'saveSchedule',
      summary: 'Creates a schedule, or replaces the one of that name.',
      access: { rule: 'each', type: 'WORKFLOW_SCHEDULE', right: 'CREATE' },
      parameters: {},
      body: body(scheduleRequestForm),
      replies: replies(scheduleForm),
      errors: ['conflict'],
      handle: async (request) =>
        json(shown(parts, await schedules.save(request.caller, parseSchedule(request.json())))),
    },
    {
      method: 'GET',
      pattern: `${base}/schedules`,
      name: 'listSchedules',
      summary: 'Lists schedules by name, all or those of one workflow.',
      access: { rule: 'each', type: 'WORKFLOW_SCHEDULE', right: 'READ' },
      parameters: { workflowName: query(text()) },
      body: null,
      replies: replies(list(scheduleForm)),
      errors: [],
      handle: (request) => {
        const found = schedules.list(request.caller, request.query('workflowName') || undefined);
        return json(found.map((schedule) => shown(parts, schedule)));
      },
    },
    {
      method: 'GET',
      pattern: `${base}/schedules/:name`,
      name: 'getSchedule',
      summary: 'Shows a schedule.',
      access: { rule: 'target', type: 'WORKFLOW_SCHEDULE', right: 'READ', id: 'name' },
      parameters: {},
      body: null,
      replies: replies(scheduleForm),
      errors: ['not-found'],
      handle: (request) => json(shown(parts, schedules.get(request.param('name')))),
    },
    {
      method: 'DELETE',
      pattern: `${base}/schedules/:name`,
      name: 'deleteSchedule',
      summary: 'Deletes a schedule; nothing happens when there is none.',
      access: { rule: 'target', type: 'WORKFLOW_SCHEDULE', right: 'DELETE', id: 'name' },
      parameters: {},
      body: null,
      replies: replies(null),
      errors: [],
      handle: async (request) => {
        await schedules.delete(request.param('name'));
        return empty();
      },
    },
  ];
}

/** Clients differ in the method of pause and resume (contract-core 21.3, no 6). */
const bothMethods: readonly Method[] = ['PUT', 'GET'];

function pauseEndpoints({ schedules }: ScheduleParts): Endpoint[] {
  const one = bothMethods.flatMap((method): Endpoint[] => [
    {
      method,
      pattern: `${base}/schedules/:name/pause`,
      name: `pauseSchedule${suffixOf(method)}`,
      summary: 'Pauses a schedule.',
      access: { rule: 'target', type: 'WORKFLOW_SCHEDULE', right: 'UPDATE', id: 'name' },
      parameters: { reason: query(text()) },
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        const reason = request.query('reason') || undefined;
        await schedules.pause(request.caller, request.param('name'), reason);
        return empty();
      },
    },
    {
      method,
      pattern: `${base}/schedules/:name/resume`,
      name: `resumeSchedule${suffixOf(method)}`,
      summary: 'Resumes a schedule; due times count from now on.',
      access: { rule: 'target', type: 'WORKFLOW_SCHEDULE', right: 'UPDATE', id: 'name' },
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await schedules.resume(request.caller, request.param('name'));
        return empty();
      },
    },
  ]);
  return [...one, bulkEndpoint(schedules, 'pause'), bulkEndpoint(schedules, 'resume')];
}

function suffixOf(method: Method): string {
  return method === 'PUT' ? '' : 'By' + method.charAt(0) + method.slice(1).toLowerCase();
}

function bulkEndpoint(schedules: Schedules, verb: 'pause' | 'resume'): Endpoint {
  return {
    method: 'PUT',
    pattern: `${base}/bulk/${verb}`,
    name: `${verb}Schedules`,
    summary: `Carries out ${verb} on several schedules, each for itself.`,
    access: { rule: 'each', type: 'WORKFLOW_SCHEDULE', right: 'UPDATE' },
    parameters: {},
    body: body(list(text())),
    replies: replies(bulkResponseForm),
    errors: ['validation'],
    handle: async (request) => {
      const names = parseBulkIds(request.json(), `${verb}Schedules.arg0`);
      const { succeeded, failed } = await runBulk(names, (name) =>
        schedules[verb](request.caller, name),
      );
      return json({
        bulkErrorResults: Object.fromEntries(failed),
        bulkSuccessfulResults: succeeded.map(({ id }) => id),
      });
    },
  };
}

function tagEndpoints(parts: ScheduleParts): Endpoint[] {
  const { schedules, tags } = parts;
  return [
    ...tagRoutes({
      tags,
      type: 'WORKFLOW_SCHEDULE',
      resource: `${base}/schedules/:name`,
      noun: 'Schedule',
      variables: ['name'],
      check: (name) => void schedules.get(name),
    }),
    {
      method: 'GET',
      pattern: `${base}/schedules/tags`,
      name: 'listSchedulesByTag',
      summary: 'Lists the schedules that carry a tag.',
      access: { rule: 'each', type: 'WORKFLOW_SCHEDULE', right: 'READ' },
      parameters: { tag: query(text('key:value'), { required: true }) },
      body: null,
      replies: replies(list(scheduleForm)),
      errors: [],
      handle: (request) => {
        const tag = request.queryRequired('tag');
        const found = schedules
          .list(request.caller)
          .filter(({ name }) => tags.has('WORKFLOW_SCHEDULE', name, tag));
        return json(found.map((schedule) => shown(parts, schedule)));
      },
    },
  ];
}

const pageParameters = {
  freeText: query(text('Words; * and empty: all')),
  start: query(integer('', { default: 0 })),
  size: query(integer('', { default: 100 })),
  sort: query(text('field:ASC or field:DESC, several with commas'), { repeated: true }),
};

function pageOf(request: RouteRequest): {
  freeText: string;
  start: number;
  size: number;
  sort: string[];
} {
  return {
    freeText: request.query('freeText') ?? '*',
    start: request.queryInteger('start') ?? 0,
    size: request.queryInteger('size') ?? 100,
    sort: request.queryAll('sort').flatMap((each) => each.split(',')),
  };
}

function searchEndpoints(parts: ScheduleParts): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: `${base}/schedules/search`,
      name: 'searchSchedules',
      summary: 'Finds schedules by workflow, name, state and words.',
      access: { rule: 'each', type: 'WORKFLOW_SCHEDULE', right: 'READ' },
      parameters: {
        workflowName: query(text('Exact')),
        scheduleName: query(text('Contained, in any case')),
        paused: query(flag()),
        ...pageParameters,
      },
      body: null,
      replies: replies(searchResultForm('ScheduleSearchResult', scheduleForm)),
      errors: [],
      handle: (request) => searched(parts, request),
    },
    {
      method: 'GET',
      pattern: `${base}/search/executions`,
      name: 'searchScheduledRuns',
      summary: 'Finds due times of schedules and what became of them, newest first.',
      access: { rule: 'each', type: 'WORKFLOW_SCHEDULE', right: 'READ' },
      parameters: { query: query(text('Clauses joined by AND')), ...pageParameters },
      body: null,
      replies: replies(searchResultForm('ScheduleExecutionSearchResult', scheduleRunForm)),
      errors: [],
      handle: (request) => searchedRuns(parts, request),
    },
    {
      method: 'GET',
      pattern: `${base}/nextFewSchedules`,
      name: 'previewSchedule',
      summary: 'Shows the next times of a cron expression.',
      access: { rule: 'caller' },
      parameters: {
        cronExpression: query(text(), { required: true }),
        scheduleStartTime: query(time()),
        scheduleEndTime: query(time()),
        zoneId: query(text('Time zone; that of the server by default')),
        limit: query(integer('5 at most', { default: 5 })),
      },
      body: null,
      replies: replies(list(time())),
      errors: [],
      handle: (request) => {
        const preview = {
          cronExpression: request.queryRequired('cronExpression'),
          scheduleStartTime: request.queryLong('scheduleStartTime'),
          scheduleEndTime: request.queryLong('scheduleEndTime'),
          limit: request.queryInteger('limit'),
        };
        const zoneId = request.query('zoneId') || parts.zoneId;
        return json(previewTimes(preview, zoneId, parts.clock.now()));
      },
    },
  ];
}

function searched(parts: ScheduleParts, request: RouteRequest): ApiResponse {
  const paused = request.query('paused');
  const { page, total } = searchSchedules(parts.schedules.list(request.caller), {
    ...pageOf(request),
    ...present({
      workflowName: request.query('workflowName') || undefined,
      scheduleName: request.query('scheduleName') || undefined,
      paused:
        paused === undefined || paused === '' ? undefined : request.queryBoolean('paused', false),
    }),
  });
  return json({ totalHits: total, results: page.map((schedule) => shown(parts, schedule)) });
}

async function searchedRuns(parts: ScheduleParts, request: RouteRequest): Promise<ApiResponse> {
  const { caller } = request;
  const search = { query: request.query('query') ?? '', ...pageOf(request) };
  const mayRead = caller.roles.includes('ADMIN')
    ? undefined
    : ({ scheduleName }: { scheduleName: string }): boolean =>
        parts.schedules.mayRead(caller, { name: scheduleName });
  const { page, total } = await searchRuns(parts.runs, search, mayRead);
  return json({ totalHits: total, results: page.map(toScheduleRunJson) });
}

/** Go sends POST where others send GET (contract-core 19.3). */
const adminMethods: readonly Method[] = ['GET', 'POST'];

function adminEndpoints({ scheduler }: ScheduleParts): Endpoint[] {
  const pauses = adminMethods.flatMap((method) =>
    (['pause', 'resume'] as const).map((verb): Endpoint => ({
      method,
      pattern: `${base}/admin/${verb}`,
      name: `${verb}Scheduler${method === 'GET' ? '' : 'ByPost'}`,
      summary: `Carries out ${verb} on the scheduler of this server, not on single schedules.`,
      access: { rule: 'administrator' },
      parameters: {},
      body: null,
      replies: replies(object('SchedulerStatus', { status: text() }, ['status'])),
      errors: [],
      handle: () => {
        scheduler[verb]();
        return json({ status: 'done' });
      },
    })),
  );
  return [
    ...pauses,
    {
      method: 'GET',
      pattern: `${base}/admin/requeue`,
      name: 'requeueSchedules',
      summary: 'Plans all schedules anew from what is stored.',
      access: { rule: 'administrator' },
      parameters: {},
      body: null,
      replies: replies(requeuedForm),
      errors: [],
      handle: async () => {
        const names = await scheduler.requeue();
        return json({ 'recordIds.size': names.length, sampleIds: names.slice(0, sampleIdsMax) });
      },
    },
  ];
}

/** Contract-core 19.3. */
const sampleIdsMax = 10;

const requeuedForm = object(
  'RequeuedSchedules',
  { 'recordIds.size': integer('How many'), sampleIds: list(text(), 'Names of some') },
  ['recordIds.size', 'sampleIds'],
);
