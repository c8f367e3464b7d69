// Routes of bulk jobs, operations of this server (docs/bulk-jobs.md).
import type { JsonMap } from '../../model/json.js';
import type { BulkJob } from '../../model/bulk-job/bulk-job.js';
import { parseBulkJob } from '../../model/bulk-job/parse-bulk-job.js';
import type { BulkJobs } from '../../operation/bulk-jobs/bulk-jobs.js';
import { body, replies, type Endpoint } from '../endpoint.js';
import { changesExecutions } from '../execution-access.js';
import { list } from '../form.js';
import { json, type RouteRequest } from '../route.js';
import { bulkJobForm, bulkJobRequestForm } from './forms.js';

const base = '/api/bulk-jobs';

/** A job is shown to its creator; each execution is checked against the creator's rights. */
const entry = {
  parameters: {},
  body: null,
  access: changesExecutions,
  replies: replies(bulkJobForm),
  errors: ['not-found'],
} as const;

export function bulkJobRoutes(jobs: BulkJobs, executionsMax: number): Endpoint[] {
  return [
    {
      ...entry,
      method: 'POST',
      pattern: base,
      name: 'createBulkJob',
      summary:
        'Fixes the executions of one action and shows them; nothing is done before its start.',
      body: body(bulkJobRequestForm),
      errors: ['conflict'],
      handle: async (request) => {
        const job = await jobs.create(request.caller, parseBulkJob(request.json(), executionsMax));
        request.noteObject(job.id);
        return json(shown(job));
      },
    },
    {
      ...entry,
      method: 'GET',
      pattern: base,
      name: 'listBulkJobs',
      summary: 'Lists bulk jobs of the caller, for administrators of everybody, newest first.',
      replies: replies(list(bulkJobForm)),
      errors: [],
      handle: ({ caller }) => json(jobs.list(caller).map(shown)),
    },
    {
      ...entry,
      method: 'GET',
      pattern: `${base}/:jobId`,
      name: 'getBulkJob',
      summary: 'Shows a bulk job, how far it is and what was refused.',
      handle: async (request) => {
        const job = jobs.get(request.caller, request.param('jobId'));
        return await inFull(jobs, job);
      },
    },
    control('start', 'Starts a bulk job, or goes on with a stopped one.'),
    control('stop', 'Stops a bulk job: nothing further is begun.'),
  ];

  function control(verb: 'start' | 'stop', summary: string): Endpoint {
    return {
      ...entry,
      method: 'POST',
      pattern: `${base}/:jobId/${verb}`,
      name: `${verb}BulkJob`,
      summary,
      errors: ['not-found', 'conflict'],
      handle: async (request: RouteRequest) =>
        await inFull(jobs, await jobs[verb](request.caller, request.param('jobId'))),
    };
  }
}

async function inFull(jobs: BulkJobs, job: BulkJob): Promise<ReturnType<typeof json>> {
  const errors = await jobs.refusals(job);
  return json({ ...shown(job), errors: errors.map((each) => ({ ...each })) });
}

/** Without what only the drive needs. */
function shown(job: BulkJob): JsonMap {
  const { id, slice: _slice, canaryUntil: _until, forgiven: _forgiven, ...open } = job;
  return { jobId: id, ...(open as unknown as JsonMap) };
}
