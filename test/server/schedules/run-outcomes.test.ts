// How the last runs of schedules ended, in one answer: of the schedules that the caller may read,
// and of executions only what the caller may see.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SecuredServer, type Session } from '../../../testkit/secured-server.js';
import { until } from '../../../testkit/until.js';

interface Outcome {
  readonly scheduleName: string;
  readonly status?: string;
  readonly failuresInRow: number;
  readonly isMore: boolean;
  readonly workflowId?: string;
  readonly reason?: string;
}

const path = '/api/scheduler/outcomes';
let secured: SecuredServer;
beforeAll(async () => {
  secured = await SecuredServer.start();
  const common = { version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 };
  const ends = { terminationStatus: 'FAILED', terminationReason: 'the bank is closed' };
  const stop = { name: 'stop', taskReferenceName: 'stop', type: 'TERMINATE' };
  const fine = { name: 'fine', taskReferenceName: 'fine', type: 'SET_VARIABLE' };
  await secured.admin.put('/api/metadata/workflow', [
    { ...common, name: 'fails', tasks: [{ ...stop, inputParameters: ends }] },
    { ...common, name: 'works', tasks: [{ ...fine, inputParameters: { a: 1 } }] },
  ]);
  await schedule('failing', 'fails', '* * * ? * *');
  await schedule('idle', 'works', '0 0 0 1 1 ?');
  await schedule('working', 'works', '* * * ? * *');
});
afterAll(() => secured?.stop());

async function schedule(name: string, workflow: string, cronExpression: string): Promise<void> {
  const startWorkflowRequest = { name: workflow, version: 1 };
  const body = { name, cronExpression, zoneId: 'UTC', startWorkflowRequest };
  expect((await secured.admin.post('/api/scheduler/schedules', body)).status).toBe(200);
}

async function outcomes(who: Session, query = ''): Promise<readonly Outcome[]> {
  const answer = await who.get(path + query);
  expect(answer.status).toBe(200);
  return answer.body.results;
}

it('tells of each schedule that has run how its last runs ended', async () => {
  // It is due each second, and more than ten of its runs have to fail.
  const look = async (): Promise<Outcome | undefined> => {
    const found = (await outcomes(secured.admin)).find((each) => each.scheduleName === 'failing');
    return found?.isMore === true ? found : undefined;
  };
  const failing = await until('more failures than are counted', look, { timeoutMs: 45_000 });
  expect(failing).toMatchObject({ failuresInRow: 10, reason: 'the bank is closed' });
  const answer = await secured.admin.get(path);
  expect(answer.body.totalHits).toBe(3);
  const [first, second, ...others] = answer.body.results as readonly Outcome[];
  expect(others).toEqual([]);
  expect(first?.scheduleName).toBe('failing');
  expect(second).toMatchObject({ scheduleName: 'working', status: 'COMPLETED', failuresInRow: 0 });
  const one = await secured.admin.get(`${path}?start=2&size=1`);
  expect(one.body).toMatchObject({ totalHits: 3, results: [{ scheduleName: 'working' }] });
});

it('tells nobody of schedules and executions that they may not read', async () => {
  const viewer = await secured.user('viewer@example.com', ['USER']);
  expect(await outcomes(viewer)).toEqual([]);
  await secured.grant(viewer, 'WORKFLOW_SCHEDULE', 'failing', ['READ']);
  const [seen, ...others] = await outcomes(viewer);
  expect(others).toEqual([]);
  expect(seen).toMatchObject({ scheduleName: 'failing', failuresInRow: 0 });
  expect(Object.keys(seen ?? {})).not.toContain('status');
  expect(Object.keys(seen ?? {})).not.toContain('reason');
  await secured.grant(viewer, 'WORKFLOW_DEF', 'fails', ['READ']);
  expect(await outcomes(viewer)).toMatchObject([{ reason: 'the bank is closed' }]);
});

it('refuses a page that there cannot be', async () => {
  for (const [query, named] of [
    ['?start=-1', 'start'],
    ['?size=0', 'size'],
    ['?size=1001', 'size'],
    ['?size=x', 'size'],
  ] as const) {
    const answer = await secured.admin.get(path + query);
    expect([query, answer.status]).toEqual([query, 400]);
    expect(answer.text).toContain(named);
  }
});
