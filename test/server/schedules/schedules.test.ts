// Schedules over the API (contract-core 19): what is stored and answered, what is refused, and that
// due times start executions. Times are compared with what the test computes from the clock itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient, type ApiAnswer } from '../../../testkit/api-client.js';
import { checkAnswers } from '../../../testkit/api-schemas.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';
import type { JsonObject } from '../../../testkit/wire.js';

const base = '/api/scheduler';
let server: RunningServer;
let api: ApiClient;
let names = 0;

beforeAll(async () => {
  const args = ['--service.scheduler.schedulerTimeZone', 'Asia/Tokyo'];
  server = await startServer({ args });
  api = new ApiClient(server.url);
  await checkAnswers(api);
  const inline = { name: 'v', taskReferenceName: 'v', type: 'SET_VARIABLE', inputParameters: {} };
  await api.registerWorkflows({ name: 'nightly', tasks: [inline] });
});
afterAll(async () => {
  await api.close();
  await server.stop();
});

function fresh(): string {
  return `schedule_${++names}`;
}

const noon = (over: JsonObject = {}): JsonObject => ({
  name: fresh(),
  cronExpression: '0 0 12 * * *',
  startWorkflowRequest: { name: 'nightly' },
  ...over,
});

async function save(schedule: JsonObject): Promise<JsonObject> {
  const answer = await api.request('POST', `${base}/schedules`, schedule);
  expect(answer.text).not.toContain('status":4');
  expect(answer.status).toBe(200);
  return answer.body as JsonObject;
}

async function get(name: unknown): Promise<ApiAnswer> {
  return await api.request('GET', `${base}/schedules/${String(name)}`);
}

interface Run {
  executionId: string;
  scheduleName: string;
  scheduledTime: number;
  executionTime: number;
  workflowId?: string;
  state: string;
  reason?: string;
}

async function runsOf(name: unknown, more = ''): Promise<Run[]> {
  const query = encodeURIComponent(`scheduleName IN (${String(name)})`);
  const answer = await api.request('GET', `${base}/search/executions?query=${query}${more}`);
  expect(answer.status).toBe(200);
  return (answer.body as { results: Run[] }).results;
}

/** The next noon in a zone with a fixed offset. */
function nextNoon(offsetHours: number, after = Date.now()): number {
  const day = 86_400_000;
  const noonOfDay = (12 - offsetHours) * 3_600_000;
  return Math.floor((after - noonOfDay) / day + 1) * day + noonOfDay;
}

describe('a schedule', () => {
  it('is answered as it is stored, with its server fields', async () => {
    const before = Date.now();
    const stored = await save(noon({ name: 'first', zoneId: 'UTC', description: 'd' }));
    expect(stored).toEqual({
      name: 'first',
      cronExpression: '0 0 12 * * *',
      zoneId: 'UTC',
      cronSchedules: [],
      startWorkflowRequest: { name: 'nightly', input: {}, taskToDomain: {}, priority: 0 },
      runCatchupScheduleInstances: false,
      paused: false,
      description: 'd',
      createTime: stored['updatedTime'],
      updatedTime: expect.any(Number) as number,
      createdBy: '',
      updatedBy: '',
      nextRunTime: nextNoon(0),
    });
    expect(stored['createTime']).toBeGreaterThanOrEqual(before);
    const read = await get('first');
    expect([read.status, read.contentType, read.body]).toEqual([200, 'application/json', stored]);
  });

  it('is due at the earliest of its cron entries, each in its zone', async () => {
    const stored = await save(
      noon({
        cronExpression: 'ignored',
        zoneId: undefined,
        cronSchedules: [
          { cronExpression: '0 0 12 * * *', zoneId: 'Asia/Kolkata' },
          { cronExpression: '0 0 12 * * ?', zoneId: 'Asia/Tokyo' },
          { cronExpression: '0 0 12 * * ?' },
        ],
      }),
    );
    const expected = Math.min(nextNoon(5.5), nextNoon(9), nextNoon(0));
    expect(stored['nextRunTime']).toBe(expected);
    expect((stored['cronSchedules'] as JsonObject[])[2]?.['zoneId']).toBe('UTC');
  });

  it('passes by the single expression and zone beside a list of entries', async () => {
    const cronSchedules = [{ cronExpression: '0 0 12 * * *' }];
    const made = await save(noon({ cronExpression: 'never', zoneId: 'No/Where', cronSchedules }));
    expect(made).toMatchObject({
      cronSchedules: [{ cronExpression: '0 0 12 * * *', zoneId: 'UTC' }],
    });
  });

  it('keeps its creation when it is replaced, and is resumed by a body without paused', async () => {
    const schedule = noon({ paused: true, pausedReason: 'not yet' });
    const first = await save(schedule);
    expect(first).toMatchObject({ paused: true, pausedReason: 'not yet' });
    const second = await save({ ...schedule, paused: undefined, pausedReason: undefined });
    expect(second).toMatchObject({ paused: false, createTime: first['createTime'] });
    expect(second['pausedReason']).toBeUndefined();
    expect(second['updatedTime']).toBeGreaterThanOrEqual(first['updatedTime'] as number);
  });

  it('keeps digits of long numbers in its input', async () => {
    const { name } = noon();
    const text =
      `{"name":"${String(name)}","cronExpression":"0 0 12 * * *",` +
      '"startWorkflowRequest":{"name":"nightly","input":{"n":12345678901234567890}}}';
    const answer = await fetch(`${server.url}${base}/schedules`, { method: 'POST', body: text });
    expect(answer.status).toBe(200);
    expect((await get(name)).text).toContain('"n":12345678901234567890');
  });

  it('has no next run once its time is over', async () => {
    const over = await save(noon({ scheduleEndTime: Date.now() }));
    expect(over['nextRunTime']).toBeUndefined();
  });

  it('counts its bounds as within', async () => {
    const start = nextNoon(0) + 5 * 86_400_000;
    const bounded = await save(noon({ scheduleStartTime: start, scheduleEndTime: start }));
    expect(bounded['nextRunTime']).toBe(start);
  });

  it.each([
    ['name', { name: undefined }],
    ['name', { name: ' ' }],
    ['name', { name: 'a:b' }],
    ['name', { name: 'n'.repeat(256) }],
    ['cron', { cronExpression: undefined }],
    ['cron', { cronExpression: 'nope' }],
    ['cron', { cronExpression: '0 12 * * *' }],
    ['second', { cronExpression: '61 0 12 * * *' }],
    ['cronSchedules[1].cronExpression', { cronSchedules: [{ cronExpression: '@daily' }, {}] }],
    ['cronSchedules[0].zoneId', { cronSchedules: [{ cronExpression: '@daily', zoneId: 'Mars' }] }],
    ['cronSchedules', { cronSchedules: 'x' }],
    ["zoneId names no time zone: 'Mars/Olympus'", { zoneId: 'Mars/Olympus' }],
    ['startWorkflowRequest', { startWorkflowRequest: undefined }],
    ['startWorkflowRequest.name', { startWorkflowRequest: {} }],
    ['startWorkflowRequest', { startWorkflowRequest: 7 }],
    ['idempotencyStrategy', { startWorkflowRequest: { name: 'n', idempotencyStrategy: 'X' } }],
    ['paused', { paused: 'perhaps' }],
    ['scheduleStartTime', { scheduleStartTime: 'soon' }],
    ['scheduleEndTime', { scheduleStartTime: 20, scheduleEndTime: 10 }],
  ])('with a wrong field is refused by naming %s', async (field, over: JsonObject) => {
    const answer = await api.request('POST', `${base}/schedules`, noon(over));
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field) as string]);
  });

  it('is paused and resumed by both methods, one or many', async () => {
    const [one, two] = [await save(noon()), await save(noon())].map(({ name }) => name as string);
    for (const method of ['PUT', 'GET'] as const) {
      const path = `${base}/schedules/${one}`;
      const paused = await api.request(method, `${path}/pause?reason=hm`);
      expect([paused.status, paused.contentType, paused.text]).toEqual([200, '', '']);
      expect((await get(one)).body).toMatchObject({ paused: true, pausedReason: 'hm' });
      const resumed = await api.request(method, `${path}/resume`);
      expect([resumed.status, resumed.text]).toEqual([200, '']);
      expect((await get(one)).body).toMatchObject({ paused: false });
      expect((await get(one)).text).not.toContain('pausedReason');
      expect((await api.request(method, `${path}/resume`)).status).toBe(200);
      const unknown = await api.request(method, `${base}/schedules/none/pause`);
      expect(unknown.body).toMatchObject({ status: 404, message: "Schedule 'none' not found" });
    }
    const bulk = await api.request('PUT', `${base}/bulk/pause`, [one, 'none', two]);
    expect(bulk.body).toEqual({
      bulkSuccessfulResults: [one, two],
      bulkErrorResults: { none: "Schedule 'none' not found" },
    });
    expect((await get(two)).body).toMatchObject({ paused: true });
    const again = await api.request('PUT', `${base}/bulk/resume`, [one, two]);
    expect(again.body).toEqual({ bulkSuccessfulResults: [one, two], bulkErrorResults: {} });
  });

  it('is deleted, also when it is not there', async () => {
    const { name } = await save(noon());
    for (let i = 0; i < 2; i += 1) {
      const answer = await api.request('DELETE', `${base}/schedules/${String(name)}`);
      expect([answer.status, answer.contentType, answer.text]).toEqual([200, '', '']);
    }
    const gone = await get(name);
    expect(gone.body).toMatchObject({
      status: 404,
      message: `Schedule '${String(name)}' not found`,
    });
  });

  it('is found by workflow, part of its name, state and words', async () => {
    const tasks = [{ name: 'w', taskReferenceName: 'w' }];
    await api.registerWorkflows({ name: 'found', tasks });
    const request = { name: 'found' };
    for (const [name, paused] of [
      ['b_Find', false],
      ['a_find', true],
      ['c_else', false],
    ] as const) {
      await save(
        noon({ name, paused, startWorkflowRequest: request, description: `about ${name}` }),
      );
    }
    const search = async (query: string): Promise<[number, string[]]> => {
      const answer = await api.request('GET', `${base}/schedules/search?${query}`);
      const { totalHits, results } = answer.body as {
        totalHits: number;
        results: { name: string }[];
      };
      return [totalHits, results.map(({ name }) => name)];
    };
    expect(await search('workflowName=found')).toEqual([3, ['a_find', 'b_Find', 'c_else']]);
    expect(await search('workflowName=found&size=1&start=1')).toEqual([3, ['b_Find']]);
    expect(await search('workflowName=found&sort=name:DESC')).toEqual([
      3,
      ['c_else', 'b_Find', 'a_find'],
    ]);
    expect(await search('scheduleName=FIND')).toEqual([2, ['a_find', 'b_Find']]);
    expect(await search('scheduleName=find&paused=true')).toEqual([1, ['a_find']]);
    expect(await search('workflowName=found&freeText=about+*else*')).toEqual([1, ['c_else']]);
    expect((await search('workflowName=found&sort=&freeText='))[0]).toBe(3);
    const list = await api.request('GET', `${base}/schedules?workflowName=found`);
    expect((list.body as { name: string }[]).map(({ name }) => name)).toEqual([
      'a_find',
      'b_Find',
      'c_else',
    ]);
    for (const bad of ['start=-1', 'size=9999', 'paused=perhaps', 'start=x']) {
      expect((await api.request('GET', `${base}/schedules/search?${bad}`)).status).toBe(400);
    }
  });

  it('has tags, and is found by them', async () => {
    const { name } = await save(noon({ tags: [{ key: 'team', value: 'ops' }] }));
    const path = `${base}/schedules/${String(name)}/tags`;
    expect((await get(name)).body).toMatchObject({ tags: [{ key: 'team', value: 'ops' }] });
    await api.request('PUT', path, [{ key: 'env', value: 'test' }]);
    const both = [
      { key: 'team', value: 'ops' },
      { key: 'env', value: 'test' },
    ];
    expect((await api.request('GET', path)).body).toEqual(both);
    const found = await api.request('GET', `${base}/schedules/tags?tag=env:test`);
    expect((found.body as { name: string }[]).map((each) => each.name)).toEqual([name]);
    await api.request('DELETE', path, both);
    expect((await api.request('GET', path)).body).toEqual([]);
    expect((await api.request('GET', `${base}/schedules/none/tags`)).status).toBe(404);
  });
});

describe('the preview', () => {
  const preview = async (query: string): Promise<ApiAnswer> =>
    await api.request('GET', `${base}/nextFewSchedules?${query}`);
  const cron = `cronExpression=${encodeURIComponent('0 0 12 * * *')}`;

  it('shows the next times in the zone of the server, five at most', async () => {
    const day = 86_400_000;
    const first = nextNoon(9);
    const five = [0, 1, 2, 3, 4].map((n) => first + n * day);
    expect((await preview(cron)).body).toEqual(five);
    expect((await preview(`${cron}&limit=50`)).body).toEqual(five);
    expect((await preview(`${cron}&limit=2`)).body).toEqual(five.slice(0, 2));
    expect((await preview(`${cron}&limit=0`)).body).toEqual([]);
    const from = first + 100 * day;
    expect((await preview(`${cron}&scheduleStartTime=${from}&limit=1`)).body).toEqual([from]);
    const bounds = `scheduleStartTime=${from}&scheduleEndTime=${from + day}`;
    expect((await preview(`${cron}&${bounds}`)).body).toEqual([from, from + day]);
  });

  it('shows them in a zone that is asked for', async () => {
    const [first] = (await preview(`${cron}&zoneId=UTC`)).body as number[];
    const [later] = (await preview(`${cron}&zoneId=UTC-2&scheduleStartTime=${first ?? 0}`))
      .body as number[];
    expect(later).toBe((first ?? 0) + 2 * 3_600_000);
    const refused = await preview(`${cron}&zoneId=Nowhere`);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('zoneId');
  });

  it('refuses nonsense', async () => {
    for (const query of ['cronExpression=nope', '', `${cron}&limit=-1`, `${cron}&limit=x`]) {
      expect((await preview(query)).status).toBe(400);
    }
    expect((await preview('cronExpression=nope')).text).toContain('cron');
  });
});

describe('a due time', () => {
  it('starts one execution with what the scheduler adds to its input', async () => {
    const schedule = noon({
      cronExpression: '* * * * * *',
      zoneId: 'Asia/Tokyo',
      startWorkflowRequest: {
        name: 'nightly',
        version: 1,
        correlationId: 'c-${literal}',
        priority: 7,
        input: { k: 1, _scheduledTime: 'mine' },
      },
    });
    const { name, createTime } = await save(schedule);
    const runs = await until('three runs', async () => {
      const found = await runsOf(name);
      return found.length >= 3 ? found : undefined;
    });
    await api.request('PUT', `${base}/schedules/${String(name)}/pause`);
    const oldest = runs.at(-1) as Run;
    expect(oldest.scheduledTime).toBe((Math.floor((createTime as number) / 1000) + 1) * 1000);
    for (const [index, run] of runs.entries()) {
      expect(run.scheduledTime).toBe(oldest.scheduledTime + (runs.length - 1 - index) * 1000);
      expect(run.executionTime - run.scheduledTime).toBeGreaterThanOrEqual(0);
      expect(run).toMatchObject({
        scheduleName: name,
        state: 'EXECUTED',
        workflowName: 'nightly',
        zoneId: 'Asia/Tokyo',
      });
      const execution = await api.workflow(run.workflowId as string);
      expect(execution).toMatchObject({ correlationId: 'c-${literal}', priority: 7 });
      expect(execution.input).toEqual({
        k: 1,
        _startedByScheduler: name,
        _scheduledTime: run.scheduledTime,
        _executedTime: run.executionTime,
        _executionId: run.executionId,
        _schedulerCron: '* * * * * * Asia/Tokyo',
      });
    }
    expect(new Set(runs.map(({ workflowId }) => workflowId)).size).toBe(runs.length);
  });

  it('that cannot start anything is recorded as failed, and the schedule goes on', async () => {
    const request = { name: 'nobody_registered_it' };
    const { name } = await save(
      noon({ cronExpression: '* * * * * *', startWorkflowRequest: request }),
    );
    const runs = await until('two runs', async () => {
      const found = await runsOf(name);
      return found.length >= 2 ? found : undefined;
    });
    await api.request('DELETE', `${base}/schedules/${String(name)}`);
    for (const run of runs) {
      expect(run).toMatchObject({
        state: 'FAILED',
        reason: expect.stringContaining('nobody_registered_it') as string,
      });
      expect(run.workflowId).toBeUndefined();
    }
  });

  it('is kept for its time and found by what is asked', async () => {
    const { name } = await save(
      noon({
        cronSchedules: ['*', '*/1', '0-59'].map((s) => ({ cronExpression: `${s} * * * * *` })),
      }),
    );
    await until('a dozen runs', async () => ((await runsOf(name)).length >= 12 ? true : undefined));
    const last = (await runsOf(name))[0] as Run;
    await until('a newer run', async () => {
      const [newest] = await runsOf(name);
      return (newest as Run).scheduledTime > last.scheduledTime ? true : undefined;
    });
    await api.request('PUT', `${base}/schedules/${String(name)}/pause`);
    const runs = await until('rest', async () => {
      const [one, two] = [await runsOf(name), await runsOf(name)];
      return JSON.stringify(one) === JSON.stringify(two) ? one : undefined;
    });
    expect(runs.length).toBeGreaterThanOrEqual(12);
    const [run] = runs as [Run];
    const ids = async (query: string): Promise<string[]> => {
      const path = `${base}/search/executions?query=${encodeURIComponent(query)}`;
      const answer = await api.request('GET', path);
      return (answer.body as { results: Run[] }).results.map(({ executionId }) => executionId);
    };
    const all = runs.map(({ executionId }) => executionId);
    expect(await ids(String(name))).toEqual(all);
    expect(await ids(`scheduleName='${String(name)}' AND state IN (EXECUTED)`)).toEqual(all);
    expect(await ids(`scheduleName IN (${String(name)}) AND state IN (FAILED,POLLED)`)).toEqual([]);
    expect(await ids(`executionId=${run.executionId}`)).toEqual([run.executionId]);
    const newest = runs.filter(({ scheduledTime }) => scheduledTime === run.scheduledTime);
    expect(await ids(`${String(name)} AND scheduledTime > ${run.scheduledTime - 1}`)).toEqual(
      newest.map(({ executionId }) => executionId),
    );
    const ascending = await runsOf(name, '&sort=scheduledTime:ASC&size=4&start=1');
    expect(ascending.map(({ scheduledTime }) => scheduledTime)).toEqual(
      runs
        .map(({ scheduledTime }) => scheduledTime)
        .reverse()
        .slice(1, 5),
    );
    expect(await runsOf(name, '&sort=startTime:DESC')).toEqual(runs);
    const bad = encodeURIComponent('scheduledTime > soon');
    expect((await api.request('GET', `${base}/search/executions?query=${bad}`)).status).toBe(400);
  });

  it('waits while the scheduler is paused, and only the newest state runs afterwards', async () => {
    for (const method of ['GET', 'POST'] as const) {
      const paused = await api.request(method, `${base}/admin/pause`);
      expect(paused.body).toEqual({ status: 'done' });
    }
    const { name, createTime } = await save(noon({ cronExpression: '* * * * * *' }));
    await until('two seconds', () => Date.now() > (createTime as number) + 2500);
    expect(await runsOf(name)).toEqual([]);
    expect((await api.request('GET', `${base}/admin/requeue`)).body).toMatchObject({
      'recordIds.size': 0,
    });
    await api.request('GET', `${base}/admin/resume`);
    const runs = await until('a run', async () => {
      const found = await runsOf(name);
      return found.length >= 2 ? found : undefined;
    });
    await api.request('DELETE', `${base}/schedules/${String(name)}`);
    const byTime = runs.sort((a, b) => a.scheduledTime - b.scheduledTime);
    const first = (Math.floor((createTime as number) / 1000) + 1) * 1000;
    expect(byTime[0]).toMatchObject({ scheduledTime: first, state: 'EXECUTED' });
    expect(byTime[1]).toMatchObject({ scheduledTime: first + 1000, state: 'FAILED' });
    expect(byTime[1]?.reason).toContain('Skipped');
  });
});
