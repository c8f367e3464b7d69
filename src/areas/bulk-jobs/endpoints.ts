// Routes of bulk jobs, operations of this server (docs/bulk-jobs.md).
import { bulkJobRequestSchema, parseBulkJob } from './bulk-job-request.js';
import { shownJob, type BulkJobs } from './bulk-jobs.js';
import { body, endpoint, query, type Endpoint } from '../../api/endpoint.js';
import { changesExecutions } from '../../api/execution-access.js';
import { integer, list, oneOf } from '../../model/schema.js';
import { bulkJobSchema, bulkOutcomes, bulkOutcomesSchema } from './schemas.js';

const base = '/api/bulk-jobs';

/** A job is shown to its creator; each execution is checked against the creator's rights. */
const entry = {
  access: changesExecutions,
  reply: bulkJobSchema,
  errors: ['not-found'],
} as const;

export function bulkJobRoutes(jobs: BulkJobs, executionsMax: number): Endpoint[] {
  return [
    endpoint({
      ...entry,
      method: 'POST',
      pattern: base,
      name: 'createBulkJob',
      summary:
        'Fixes the executions of one action and shows them; nothing is done before its start.',
      body: body(bulkJobRequestSchema),
      errors: ['conflict'],
      handle: async (request) => {
        const asked = parseBulkJob(request.json(), executionsMax);
        const job = await jobs.create(request.caller, asked, request.whenGone());
        request.noteObject(job.id);
        return shownJob(job);
      },
    }),
    endpoint({
      ...entry,
      method: 'GET',
      pattern: base,
      name: 'listBulkJobs',
      summary: 'Lists bulk jobs of the caller, for administrators of everybody, newest first.',
      reply: list(bulkJobSchema),
      errors: [],
      handle: ({ caller }) => jobs.list(caller).map(shownJob),
    }),
    endpoint({
      ...entry,
      method: 'GET',
      pattern: `${base}/:jobId`,
      name: 'getBulkJob',
      summary: 'Shows a bulk job, how far it is and what was refused.',
      handle: (request) => jobs.inFull(jobs.get(request.caller, request.param('jobId'))),
    }),
    outcomes(jobs),
    control('start', 'Starts a bulk job, or goes on with a stopped one.'),
    control('stop', 'Stops a bulk job: nothing further is begun.'),
  ];

  function control(verb: 'start' | 'stop', summary: string): Endpoint {
    return endpoint({
      ...entry,
      method: 'POST',
      pattern: `${base}/:jobId/${verb}`,
      name: `${verb}BulkJob`,
      summary,
      errors: verb === 'start' ? ['not-found', 'conflict'] : ['not-found'],
      handle: async (request) =>
        await jobs.inFull(await jobs[verb](request.caller, request.param('jobId'))),
    });
  }
}

const outcomesSizeDefault = 100;

function outcomes(jobs: BulkJobs): Endpoint {
  return endpoint({
    ...entry,
    method: 'GET',
    pattern: `${base}/:jobId/outcomes`,
    name: 'listBulkJobOutcomes',
    summary: 'Shows what became of the executions of a bulk job, by name and business key.',
    parameters: {
      outcome: query(oneOf(bulkOutcomes, 'Only those; absent or empty: all')),
      start: query(integer('Executions to leave out before', { default: 0 })),
      size: query(integer('Most executions to show, up to 500', { default: outcomesSizeDefault })),
    },
    reply: bulkOutcomesSchema,
    handle: (request) =>
      jobs.outcomes(request.param('jobId'), {
        caller: request.caller,
        outcome: request.query('outcome') || undefined,
        start: request.queryNumber('start'),
        size: request.queryNumber('size'),
        gone: request.whenGone(),
      }),
  });
}
