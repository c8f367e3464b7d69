// Bulk jobs of callers who may not do everything: whatever they ask for, a job finds, counts, names
// and touches nothing but what they may read and control; and jobs of one make none of others go.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

let server: SecuredServer;
let admin: Session;
let stranger: Session;
let neighbour: Session;
/** Of the administrator: one that runs, one that is paused, one that failed, one that ended. */
let foreign: string[];
let failureFingerprint: string;

const wait = { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' };
const noop = { name: 'noop', taskReferenceName: 'noop', type: 'NOOP' };
const fails = {
  ...{ name: 'fails', taskReferenceName: 'fails', type: 'TERMINATE' },
  inputParameters: { terminationStatus: 'FAILED', terminationReason: 'a canary of a reason' },
};

beforeAll(async () => {
  server = await SecuredServer.start({ args: ['--bulk-jobs-max', '6', '--archive'] });
  ({ admin } = server);
  stranger = await server.user('stranger@x.org', ['USER']);
  neighbour = await server.user('neighbour@x.org', ['USER']);
  const definitions = { canary_waits: wait, canary_fails: fails, canary_ends: noop };
  for (const [name, task] of Object.entries(definitions)) {
    await admin.post('/api/metadata/workflow', { name, version: 1, tasks: [task] });
  }
  const start = async (name: string): Promise<string> =>
    (await admin.post('/api/workflow', { name, input: { canary: 'canary' } })).text;
  foreign = [await start('canary_waits'), await start('canary_waits')];
  foreign.push(await start('canary_fails'), await start('canary_ends'));
  await admin.put(`/api/workflow/${foreign[1]}/pause`);
  failureFingerprint = await until('the failure', async () => {
    const { body } = await admin.get('/api/workflow/failures?window=1h');
    return (body.groups as { fingerprint: string }[])[0]?.fingerprint;
  });
});
afterAll(() => server?.stop());

const statuses = async (): Promise<unknown[]> =>
  Promise.all(foreign.map(async (id) => (await admin.get(`/api/workflow/${id}`)).body.status));

const actions = ['retry', 'restart', 'rerun', 'pause', 'resume', 'terminate', 'remove'];
const nothingFound = { matched: 0, count: 0, excluded: [], sample: [] };

describe('a bulk job of a user without grants', () => {
  it.each(actions)('to %s everything finds nothing, and cannot start', async (action) => {
    const selections = [
      { query: '' },
      { query: '', freeText: '*' },
      { query: '', freeText: 'canary' },
      { query: 'workflowType STARTS_WITH canary' },
      { query: 'workflowType IN (canary_waits,canary_fails,canary_ends)' },
      { query: 'createdBy IS NULL OR createdBy IS NOT NULL' },
      { query: `workflowId IN (${foreign.join(',')})` },
      { query: 'startTime > 0' },
      { failureGroup: { fingerprint: failureFingerprint, window: '1h' } },
    ];
    for (const selection of selections) {
      const created = await stranger.post('/api/bulk-jobs', { action, ...selection });
      expect([selection, created.status, created.body]).toMatchObject([
        ...[selection, 200, nothingFound],
      ]);
      const path = `/api/bulk-jobs/${created.body.jobId}`;
      expect(await stranger.status('POST', `${path}/start`)).toBe(409);
      expect((await stranger.get(`${path}/outcomes`)).body).toMatchObject({
        ...{ totalHits: 0, omitted: 0, results: [] },
      });
    }
    expect(await statuses()).toEqual(['RUNNING', 'PAUSED', 'FAILED', 'COMPLETED']);
  });

  it.each(actions)('to %s foreign ids says of each that there is none', async (action) => {
    const nowhere = foreign[0]?.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const ids = [...foreign, nowhere];
    const { body } = await stranger.post('/api/bulk-jobs', { action, ids });
    const excluded = [{ reason: 'There is none', count: ids.length, sample: ids.slice(0, 5) }];
    expect(body).toMatchObject({ count: 0, sample: [], excluded });
    expect(await stranger.status('POST', `/api/bulk-jobs/${body.jobId}/start`)).toBe(409);
    expect(await statuses()).toEqual(['RUNNING', 'PAUSED', 'FAILED', 'COMPLETED']);
  });
});

describe('bulk jobs of several callers', () => {
  const preview = async (session: Session): Promise<string> => {
    const answer = await session.post('/api/bulk-jobs', { action: 'pause', query: '' });
    expect(answer.status).toBe(200);
    return answer.body.jobId as string;
  };

  it('share the places: a new one replaces one of who has most of them', async () => {
    const kept = await preview(neighbour);
    for (let i = 0; i < 8; i += 1) await preview(stranger);
    expect(await neighbour.status('GET', `/api/bulk-jobs/${kept}`)).toBe(200);
    expect((await neighbour.get('/api/bulk-jobs')).body).toHaveLength(1);
    expect((await stranger.get('/api/bulk-jobs')).body.length).toBeLessThan(6);
  });

  it('stay when a request for one more is refused', async () => {
    const ids = async (): Promise<unknown> =>
      ((await admin.get('/api/bulk-jobs')).body as { jobId: string }[]).map(({ jobId }) => jobId);
    for (let job = 0; job < 6; job++) {
      await stranger.post('/api/bulk-jobs', { action: 'pause', ids: foreign });
    }
    const before = await ids();
    expect(before).toHaveLength(6);
    const query = 'workflowTyp = canary';
    expect(await stranger.status('POST', '/api/bulk-jobs', { action: 'pause', query })).toBe(400);
    expect(await ids()).toEqual(before);
  });

  it('leave half of the places to others while they run', async () => {
    const inline = { name: 'strangers_own', workflowDef: { name: 'strangers_own', tasks: [wait] } };
    const ids: string[] = [];
    for (let i = 0; i < 20; i += 1) ids.push((await stranger.post('/api/workflow', inline)).text);
    const started: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      // At one a second: the job runs for a while.
      const plan = { action: 'pause', ids, canary: 0, ratePerSecond: 1, stopAfterFailures: 0 };
      const { jobId } = (await stranger.post('/api/bulk-jobs', plan)).body;
      started.push(await stranger.status('POST', `/api/bulk-jobs/${jobId}/start`));
    }
    expect(started).toEqual([200, 200, 200, 429]);
    await preview(neighbour);
  });
});
