// Routes of the scheduler beside those of every resource (interface 4.5, contract-core 19.3).
import {
  endpoint,
  listOf,
  nothing,
  pageOf,
  query,
  shownOf,
  type Endpoint,
  type Method,
  type Page,
} from '../../api/endpoint.js';
import { flag, integer, list, text, time } from '../../model/schema.js';
import { bulkResponseSchema } from '../../api/schemas/bulk-response.js';
import type { RouteRequest } from '../../api/route.js';
import * as field from '../../model/field.js';
import { record } from '../../model/record.js';
import type { Json } from '../../model/json.js';
import { present } from '../../model/record-reader.js';
import { parseBulkIds, runBulk } from '../../operation/bulk.js';
import type { Clock } from '../../std/clock.js';
import { previewTimes } from './preview.js';
import type { SearchContext } from '../../operation/search/request.js';
import { outcomeEndpoint } from './run-outcomes.js';
import type { ScheduleRunStore } from './run-store.js';
import { scheduleRun, type ScheduleRun } from './schedule-run.js';
import { schedule, type ShownSchedule } from './schedule.js';
import type { Schedules } from './schedules.js';
import { searchRuns } from './search-runs.js';
import { searchSchedules } from './search-schedules.js';

/** Controls that only the leader's scheduler has. */
export interface SchedulerControl {
  pause(): void;
  resume(): void;
  /** Names of schedules whose newest step was not stored. */
  requeue(): Promise<string[]>;
}

export interface ScheduleParts {
  readonly schedules: Schedules;
  readonly runs: ScheduleRunStore;
  readonly scheduler: SchedulerControl;
  readonly clock: Clock;
  /** Setting service.scheduler.schedulerTimeZone. */
  readonly zoneId: string;
  readonly search: SearchContext;
}

const base = '/api/scheduler';

export function scheduleRoutes(parts: ScheduleParts): Endpoint[] {
  return [
    ...parts.schedules.endpoints(),
    ...pauseEndpoints(parts),
    ...searchEndpoints(parts),
    outcomeEndpoint(parts),
    ...adminEndpoints(parts),
  ];
}

/** Clients differ in the method of pause and resume (contract-core 21.3, no 6). */
const bothMethods: readonly Method[] = ['PUT', 'GET'];

function pauseEndpoints({ schedules }: ScheduleParts): Endpoint[] {
  const one = bothMethods.flatMap((method): Endpoint[] => [
    endpoint({
      method,
      pattern: `${base}/schedules/:name/pause`,
      name: `pauseSchedule${suffixOf(method)}`,
      summary: 'Pauses a schedule.',
      access: { rule: 'target', type: 'WORKFLOW_SCHEDULE', right: 'UPDATE', id: 'name' },
      audit: 'changes',
      parameters: { reason: query(text()) },
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => {
        const reason = request.query('reason') || undefined;
        return schedules.pause(request.caller, request.param('name'), reason);
      },
    }),
    endpoint({
      method,
      pattern: `${base}/schedules/:name/resume`,
      name: `resumeSchedule${suffixOf(method)}`,
      summary: 'Resumes a schedule; due times count from now on.',
      access: { rule: 'target', type: 'WORKFLOW_SCHEDULE', right: 'UPDATE', id: 'name' },
      audit: 'changes',
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => schedules.resume(request.caller, request.param('name')),
    }),
  ]);
  return [...one, bulkEndpoint(schedules, 'pause'), bulkEndpoint(schedules, 'resume')];
}

function suffixOf(method: Method): string {
  return method === 'PUT' ? '' : 'By' + method.charAt(0) + method.slice(1).toLowerCase();
}

function bulkEndpoint(schedules: Schedules, verb: 'pause' | 'resume'): Endpoint {
  return endpoint({
    method: 'PUT',
    pattern: `${base}/bulk/${verb}`,
    name: `${verb}Schedules`,
    summary: `Carries out ${verb} on several schedules, each for itself.`,
    access: { rule: 'each', type: 'WORKFLOW_SCHEDULE', right: 'UPDATE' },
    body: {
      schema: list(text()),
      parse: (input) => parseBulkIds(input as Json, `${verb}Schedules.arg0`),
    },
    reply: bulkResponseSchema,
    errors: ['validation'],
    handle: async (request, names) => {
      const { caller } = request;
      request.noteObjects(names);
      const { succeeded, failed } = await runBulk(names, (name) => schedules[verb](caller, name));
      return {
        bulkErrorResults: Object.fromEntries(failed),
        bulkSuccessfulResults: succeeded.map(({ id }) => id),
      };
    },
  });
}

const pageParameters = {
  freeText: query(text('Words; * and empty: all')),
  start: query(integer('', { default: 0 })),
  size: query(integer('', { default: 100 })),
  sort: query(text('field:ASC or field:DESC, several with commas'), { repeated: true }),
};

function askedPage(request: RouteRequest): {
  freeText: string;
  start: number;
  size: number;
  sort: string[];
} {
  return {
    freeText: request.query('freeText') ?? '*',
    start: request.queryNumber('start'),
    size: request.queryNumber('size'),
    sort: request.queryAll('sort').flatMap((each) => each.split(',')),
  };
}

function searchEndpoints(parts: ScheduleParts): Endpoint[] {
  return [
    endpoint({
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
      reply: pageOf<ShownSchedule>('ScheduleSearchResult', schedule.shown),
      handle: (request) => searched(parts, request),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/search/executions`,
      name: 'searchScheduledRuns',
      summary: 'Finds due times of schedules and what became of them, newest first.',
      access: { rule: 'each', type: 'WORKFLOW_SCHEDULE', right: 'READ' },
      parameters: { query: query(text('Clauses joined by AND')), ...pageParameters },
      reply: pageOf<ScheduleRun>('ScheduleExecutionSearchResult', scheduleRun.shown),
      handle: (request) => searchedRuns(parts, request),
    }),
    endpoint({
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
      reply: listOf<number>({ schema: time() }),
      handle: (request) => {
        const preview = {
          cronExpression: request.queryRequired('cronExpression'),
          scheduleStartTime: request.queryLong('scheduleStartTime'),
          scheduleEndTime: request.queryLong('scheduleEndTime'),
          limit: request.queryInteger('limit'),
        };
        const zoneId = request.query('zoneId') || parts.zoneId;
        return previewTimes(preview, zoneId, parts.clock.now());
      },
    }),
  ];
}

function searched({ schedules }: ScheduleParts, request: RouteRequest): Page<ShownSchedule> {
  const paused = request.query('paused') || undefined;
  const { page, total } = searchSchedules(schedules.list(request.caller), {
    ...askedPage(request),
    ...present({
      workflowName: request.query('workflowName') || undefined,
      scheduleName: request.query('scheduleName') || undefined,
      paused: paused === undefined ? undefined : request.queryBoolean('paused'),
    }),
  });
  return { totalHits: total, results: page.map((found) => schedules.shown(found)) };
}

async function searchedRuns(
  { schedules, runs }: ScheduleParts,
  request: RouteRequest,
): Promise<Page<ScheduleRun>> {
  const { caller } = request;
  const search = { query: request.query('query') ?? '', ...askedPage(request) };
  const mayRead = caller.roles.includes('ADMIN')
    ? undefined
    : (run: ScheduleRun): boolean => schedules.mayReadRun(caller, run);
  const { page, total } = await searchRuns(runs, search, mayRead);
  return { totalHits: total, results: page };
}

/** Go sends POST where others send GET (contract-core 19.3). */
const adminMethods: readonly Method[] = ['GET', 'POST'];

const schedulerStatus = record('SchedulerStatus', { status: field.text({ required: true }) });

const requeuedSchedules = record('RequeuedSchedules', {
  'recordIds.size': field.integer({ about: 'How many', required: true }),
  sampleIds: field.texts({ about: 'Names of some' }),
});

/** Contract-core 19.3. */
const sampleIdsMax = 10;

function adminEndpoints({ scheduler }: ScheduleParts): Endpoint[] {
  const pauses = adminMethods.flatMap((method) =>
    (['pause', 'resume'] as const).map((verb) =>
      endpoint({
        method,
        pattern: `${base}/admin/${verb}`,
        name: `${verb}Scheduler${method === 'GET' ? '' : 'ByPost'}`,
        summary: `Carries out ${verb} on the scheduler of this server, not on single schedules.`,
        access: { rule: 'administrator' },
        audit: 'changes',
        reply: shownOf(schedulerStatus),
        handle: () => {
          scheduler[verb]();
          return { status: 'done' };
        },
      }),
    ),
  );
  return [
    ...pauses,
    endpoint({
      method: 'GET',
      pattern: `${base}/admin/requeue`,
      name: 'requeueSchedules',
      summary: 'Plans all schedules anew from what is stored.',
      access: { rule: 'administrator' },
      audit: 'changes',
      reply: shownOf(requeuedSchedules),
      handle: async () => {
        const names = await scheduler.requeue();
        return { 'recordIds.size': names.length, sampleIds: names.slice(0, sampleIdsMax) };
      },
    }),
  ];
}
