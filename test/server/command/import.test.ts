// `downbeat import` from a second server, which asks for a token and has users, groups and grants.
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../testkit/api-client.js';
import { Between } from '../../support/between.js';
import { PackedCommand, type Ran } from '../../support/command.js';
import { signalProcess } from '../../../testkit/process.js';
import { SecuredServer } from '../../../testkit/secured-server.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import { until } from '../../../testkit/until.js';

let old: SecuredServer;
let server: RunningServer;
let api: ApiClient;
let downbeat: PackedCommand;

beforeAll(async () => {
  [old, server] = await Promise.all([SecuredServer.start(), startServer()]);
  api = new ApiClient(server.url);
  downbeat = new PackedCommand(server.url);
  await fill(old);
}, 180_000);
afterAll(async () => {
  downbeat.remove();
  await api.close();
  await Promise.all([old.stop(), server.stop()]);
});

async function fill({ admin }: SecuredServer): Promise<void> {
  const answers = [
    await admin.put('/api/environment/region', 'eu'),
    await admin.put('/api/secrets/carrier_key', 'xyz'),
    await admin.post('/api/metadata/taskdefs', [{ name: 'pack', retryCount: 1 }]),
    await admin.put('/api/metadata/workflow', [
      {
        name: 'parcel',
        version: 3,
        timeoutSeconds: 5000,
        tasks: [
          { name: 'wait', taskReferenceName: 'wait', type: 'WAIT' },
          {
            ...{ name: 'pack', taskReferenceName: 'pack', type: 'SIMPLE' },
            inputParameters: { key: '${workflow.secrets.carrier_key}' },
          },
        ],
      },
    ]),
    await admin.post('/api/metadata/workflow/parcel/tags', { key: 'team', value: 'a' }),
    await admin.post('/api/scheduler/schedules', {
      name: 'nightly',
      cronExpression: '0 0 3 * * *',
      startWorkflowRequest: { name: 'parcel', version: 3 },
    }),
    await admin.post('/api/scheduler/schedules', {
      name: 'resting',
      cronExpression: '0 0 4 * * *',
      paused: true,
      startWorkflowRequest: { name: 'parcel', version: 3 },
    }),
    await admin.post('/api/event', {
      name: 'paid',
      event: 'conductor:paid',
      active: true,
      actions: [{ action: 'start_workflow', start_workflow: { name: 'parcel' } }],
    }),
    await admin.post('/api/metadata/webhook', {
      name: 'hook',
      sourcePlatform: 'Custom',
      verifier: 'HEADER_BASED',
      headers: { 'x-key': 'y' },
      receiverWorkflowNamesToVersions: { parcel: 3 },
    }),
    await admin.post('/api/human/template', {
      ...{ name: 'ask', version: 1, jsonSchema: { type: 'object' }, templateUI: {} },
    }),
    await admin.put('/api/groups/packers', { description: 'who packs', roles: ['USER'] }),
    await admin.put('/api/users/ann@example.org', {
      ...{ name: 'Ann', roles: ['USER'], groups: ['packers'] },
    }),
    await admin.post('/api/auth/authorization', {
      subject: { type: 'GROUP', id: 'packers' },
      target: { type: 'WORKFLOW_DEF', id: 'parcel' },
      access: ['READ', 'EXECUTE'],
    }),
  ];
  expect(answers.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual(
    answers.map(() => 200),
  );
}

function daily(name: string): object {
  const startWorkflowRequest = { name: 'parcel', version: 3 };
  return { name, cronExpression: '0 0 5 * * *', startWorkflowRequest };
}

function keyOf({ key: { keyId, keySecret } }: SecuredServer): NodeJS.ProcessEnv {
  return { CONDUCTOR_FROM_AUTH_KEY: keyId, CONDUCTOR_FROM_AUTH_SECRET: keySecret };
}

function importing(...args: string[]): Promise<Ran> {
  return downbeat.run(['import', '--from', `${old.url}/api`, ...args], { env: keyOf(old) });
}

async function bodyOf(route: string): Promise<unknown> {
  return (await api.request('GET', route)).body;
}

describe('import', () => {
  it('prints a plan with differences, and changes nothing when dry', async () => {
    const ran = await importing('--dry-run', '--json');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^\+ workflow parcel:3$/m);
    expect(ran.stderr).toMatch(/^11 to create, 0 to change, 0 unchanged$/m);
    const plan = JSON.parse(ran.stdout) as {
      steps: { kind: string; id: string; differences: unknown }[];
      missingSecrets: string[];
    };
    expect(plan.steps.find(({ kind }) => kind === 'workflow')?.differences).toEqual([
      { name: 'timeout-while-waiting', places: ['timeoutSeconds'] },
      { name: 'missing-secret', places: ['tasks[1].inputParameters.key (carrier_key)'] },
    ]);
    expect(plan.missingSecrets).toEqual(['carrier_key']);
    expect((await api.request('GET', '/api/metadata/workflow/parcel')).status).toBe(404);
  });

  it('brings everything, with tags, members and grants; the second time nothing is left', async () => {
    const ran = await importing();
    expect(ran).toMatchObject({ code: 0, stdout: '11 done, 0 unchanged, 0 refused\n' });
    expect(await bodyOf('/api/metadata/workflow/parcel')).toMatchObject({ timeoutSeconds: 5000 });
    expect(await bodyOf('/api/metadata/workflow/parcel/tags')).toMatchObject([
      { key: 'team', value: 'a' },
    ]);
    expect(await bodyOf('/api/environment/region')).toBe('eu');
    expect(await bodyOf('/api/users/ann@example.org')).toMatchObject({
      roles: [{ name: 'USER' }],
    });
    expect(await bodyOf('/api/groups/packers/users')).toMatchObject([{ id: 'ann@example.org' }]);
    expect(await bodyOf('/api/groups/packers/permissions')).toMatchObject({
      grantedAccess: [{ target: { type: 'WORKFLOW_DEF', id: 'parcel' } }],
    });
    const again = await importing();
    expect(again).toMatchObject({ code: 0, stdout: '0 done, 11 unchanged, 0 refused\n' });
  });

  it('stores schedules and handlers at rest', async () => {
    expect(await bodyOf('/api/scheduler/schedules/nightly')).toMatchObject({ paused: true });
    expect(await bodyOf('/api/event')).toMatchObject([{ name: 'paid', active: false }]);
  });

  it('overwrites what differs, or leaves it with --new-only', async () => {
    await api.request('POST', '/api/metadata/taskdefs', [{ name: 'pack', retryCount: 7 }]);
    const kept = await importing('--new-only');
    expect(kept.stdout).toBe('0 done, 11 unchanged, 0 refused\n');
    const ran = await importing('--kind', 'task');
    expect(ran.stderr).toMatch(/~ task pack\n {4}retryCount: 7 -> 1/);
    expect(await bodyOf('/api/metadata/taskdefs/pack')).toMatchObject({ retryCount: 1 });
  });

  it('goes on past what is refused, and ends with 1', async () => {
    const { admin } = old;
    await admin.post('/api/roles', { name: 'PACKER', permissions: ['READ_WORKFLOW_DEF'] });
    await admin.put('/api/groups/unlike', { description: 'a role of theirs', roles: ['PACKER'] });
    await admin.post('/api/metadata/taskdefs', [{ name: 'unlike_task' }]);
    await admin.put('/api/users/unlike@example.org', { name: 'Bob', roles: ['USER'] });
    const ran = await importing('--name', 'unlike');
    expect(ran).toMatchObject({ code: 1, stdout: '2 done, 0 unchanged, 1 refused\n' });
    expect(ran.stderr).toMatch(/group unlike: refused: .*PACKER/);
    await admin.delete('/api/groups/unlike');
  });

  it('hands schedules and handlers over, and tells what is open there', async () => {
    const { admin } = old;
    const id = (await admin.post('/api/workflow/parcel', {})).text;
    const since = new Date(Date.now() - 60_000).toISOString();
    const ran = await importing('--follow', '--once', '--json', '--since', since);
    const { followed } = JSON.parse(ran.stdout) as { followed: unknown };
    expect(followed).toEqual({
      handedOver: [
        { kind: 'schedule', name: 'nightly' },
        { kind: 'handler', name: 'paid' },
      ],
      open: { parcel: 1 },
      total: 1,
      startedSince: [{ id, workflow: 'parcel' }],
    });
    expect((await admin.get('/api/scheduler/schedules/nightly')).body.paused).toBe(true);
    expect((await admin.get('/api/event')).body[0].active).toBe(false);
    expect(await bodyOf('/api/scheduler/schedules/nightly')).toMatchObject({ paused: false });
    // What rested there rests here too.
    expect(await bodyOf('/api/scheduler/schedules/resting')).toMatchObject({ paused: true });
    expect(await bodyOf('/api/event')).toMatchObject([{ name: 'paid', active: true }]);
    const again = await importing('--follow', '--once', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ followed: { handedOver: [] }, done: 0 });
    await admin.delete(`/api/workflow/${id}`);
    const last = await importing('--follow', '--every', '1');
    expect(last.stderr).toMatch(/^Nothing is open there\.$/m);
    expect(last.code).toBe(0);
  });

  it('leaves at rest what was switched off there since it was imported', async () => {
    const { admin } = old;
    await admin.post('/api/scheduler/schedules', daily('retired'));
    await importing('--kind', 'schedule');
    await admin.put('/api/scheduler/schedules/retired/pause');
    const ran = await importing('--follow', '--once', '--kind', 'schedule', '--json');
    expect(JSON.parse(ran.stdout)).toMatchObject({ followed: { handedOver: [] } });
    expect(await bodyOf('/api/scheduler/schedules/retired')).toMatchObject({ paused: true });
  });

  it('leaves a schedule that was paused here with a reason, until the reason is gone', async () => {
    const { admin } = old;
    await admin.post('/api/scheduler/schedules', daily('audited'));
    const words = ['--kind', 'schedule', '--name', 'audited', '--json'];
    await importing(...words);
    const pause = ['schedule', 'pause', 'audited'];
    expect((await downbeat.run([...pause, '--reason', 'until the audit'])).code).toBe(0);
    // What is brought anew keeps the reason.
    await admin.post('/api/scheduler/schedules', { ...daily('audited'), description: 'x' });
    const left = await importing(...words, '--follow', '--once');
    expect(JSON.parse(left.stdout)).toMatchObject({ done: 1, followed: { handedOver: [] } });
    expect(left.stderr).toContain('schedule audited is paused here (until the audit), so it is');
    expect((await admin.get('/api/scheduler/schedules/audited')).body.paused).not.toBe(true);
    const route = '/api/scheduler/schedules/audited';
    expect(await bodyOf(route)).toMatchObject({ paused: true, pausedReason: 'until the audit' });
    expect((await downbeat.run(pause)).code).toBe(0);
    const ran = await importing(...words, '--follow', '--once');
    expect(JSON.parse(ran.stdout)).toMatchObject({
      followed: { handedOver: [{ kind: 'schedule', name: 'audited' }] },
    });
    expect((await admin.get('/api/scheduler/schedules/audited')).body.paused).toBe(true);
    expect(await bodyOf(route)).toMatchObject({ paused: false });
  });

  it('goes on with a hand-over that was killed between the two steps', async () => {
    const { admin } = old;
    await admin.post('/api/scheduler/schedules', daily('torn'));
    await importing('--kind', 'schedule');
    const words = ['--follow', '--once', '--kind', 'schedule', '--name', 'torn', '--json'];
    const between = await Between.before(old.url);
    const program = downbeat.start(['import', '--from', between.url, ...words], keyOf(old));
    between.afterWrite = (call) => {
      if (call.endsWith('/torn/pause')) signalProcess(program.pid, 'SIGKILL');
      return Promise.resolve('kept');
    };
    expect((await program.ended).code, program.output()).toBe(null);
    between.close();
    expect((await admin.get('/api/scheduler/schedules/torn')).body.paused).toBe(true);
    expect(await bodyOf('/api/scheduler/schedules/torn')).toMatchObject({ paused: true });
    const ran = await importing(...words);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      followed: { handedOver: [{ kind: 'schedule', name: 'torn' }] },
    });
    expect(await bodyOf('/api/scheduler/schedules/torn')).toMatchObject({ paused: false });
    expect(await bodyOf('/api/scheduler/schedules/torn/tags')).toEqual([]);
  });

  it('goes on with one of a schedule that rested here already, when this server was away', async () => {
    const { admin } = old;
    const schedule = {
      name: 'late',
      cronExpression: '0 0 6 * * *',
      startWorkflowRequest: { name: 'parcel', version: 3 },
    };
    await admin.post('/api/scheduler/schedules', schedule);
    await api.ask('POST', '/api/scheduler/schedules', { ...schedule, paused: true });
    // Its first word that the schedule goes on is lost.
    let lost = 0;
    const between = http.createServer((request, response) => {
      if (request.url?.endsWith('/late/resume') === true && lost++ === 0) {
        response.destroy();
        return;
      }
      const { method, headers, url } = request;
      const passed = http.request(server.url + url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    });
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
    const { port } = between.address() as AddressInfo;
    const ran = await importing(
      ...['--follow', '--once', '--kind', 'schedule', '--name', 'late', '--json'],
      ...['--server', `http://127.0.0.1:${port}`],
    );
    between.close();
    expect(lost).toBe(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      followed: { handedOver: [{ kind: 'schedule', name: 'late' }] },
    });
    expect((await admin.get('/api/scheduler/schedules/late')).body.paused).toBe(true);
    expect(await bodyOf('/api/scheduler/schedules/late')).toMatchObject({ paused: false });
  });

  it('counts what is open there of a name with spaces and commas', async () => {
    const { admin } = old;
    const name = 'big, odd (parcel)';
    const tasks = [{ name: 'wait', taskReferenceName: 'wait', type: 'WAIT' }];
    await admin.put('/api/metadata/workflow', [{ name, version: 1, tasks }]);
    const id = (await admin.post('/api/workflow', { name, version: 1 })).text;
    const words = ['--follow', '--once', '--json', '--kind', 'workflow', '--name', 'big'];
    await until('the count', async () => {
      const ran = await importing(...words);
      const { followed } = JSON.parse(ran.stdout) as { followed: { open: object } };
      return JSON.stringify(followed.open) === JSON.stringify({ [name]: 1 });
    });
    await admin.delete(`/api/workflow/${id}/remove`);
  });

  it('writes finished executions as files, once', async () => {
    const { admin } = old;
    const id = (await admin.post('/api/workflow/parcel', { n: 1 })).text;
    await admin.delete(`/api/workflow/${id}`);
    await until('its end', async () => {
      const { body } = await admin.get(`/api/workflow/${id}?includeTasks=false`);
      return body.status === 'TERMINATED';
    });
    const folder = path.join(downbeat.folder, 'history');
    const first = await importing('--kind', 'task', '--history', folder, '--json');
    expect(JSON.parse(first.stdout)).toMatchObject({ history: { written: 2, known: 0 } });
    const file = path.join(folder, id.slice(0, 2), `${id}.json.gz`);
    const kept = JSON.parse(gunzipSync(fs.readFileSync(file)).toString()) as object;
    expect(kept).toMatchObject({ workflowId: id, status: 'TERMINATED', input: { n: 1 } });
    expect(fs.readFileSync(path.join(folder, 'index.tsv'), 'utf8')).toContain(`${id}\tparcel\t3`);
    const second = await importing('--kind', 'task', '--history', folder, '--json');
    expect(JSON.parse(second.stdout)).toMatchObject({ history: { written: 0, known: 2 } });
  });

  it('brings finished executions as history, also while this server goes away', async () => {
    const { admin } = old;
    const all = 30;
    const def = {
      name: 'brief',
      version: 1,
      tasks: [{ name: 'n', taskReferenceName: 'n', type: 'NOOP' }],
    };
    for (let n = 0; n < all; n++) {
      await admin.post('/api/workflow', { name: 'brief', workflowDef: def, input: { n } });
    }
    const { body } = await admin.get('/api/workflow/search?query=workflowType=brief&size=100');
    const { results } = body as { results: { workflowId: string; startTime: string }[] };
    expect(results).toHaveLength(all);
    const args = ['--from', old.url, '--kind', 'task', '--name', 'brief', '--history'];
    const { keyId, keySecret } = old.key;
    const env = { CONDUCTOR_FROM_AUTH_KEY: keyId, CONDUCTOR_FROM_AUTH_SECRET: keySecret };
    const program = downbeat.start(['import', ...args], env);
    await until('some of them', async () => {
      const here = await bodyOf('/api/workflow/search?query=workflowType=brief');
      return (here as { totalHits: number }).totalHits > 0;
    });
    await server.kill();
    await server.restart();
    expect(await program.ended).toMatchObject({ code: 0 });
    const again = await importing('--kind', 'task', '--name', 'brief', '--history', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      history: { brought: 0, known: all, refused: [] },
    });
    for (const { workflowId } of results) {
      expect(await bodyOf(`/api/workflow/${workflowId}`)).toMatchObject({
        ...{ workflowName: 'brief', status: 'COMPLETED', tasks: [{ taskType: 'NOOP' }] },
        imported: { workflowId, from: old.url },
      });
    }
    const since = new Date(Date.now() + 60_000).toISOString();
    const none = await importing('--kind', 'task', '--history', '--since', since, '--json');
    expect(JSON.parse(none.stdout)).toMatchObject({ history: { brought: 0, known: 0 } });
  });

  it.each([
    [[], 4, /asks for a token: set CONDUCTOR_FROM_AUTH_KEY and CONDUCTOR_FROM_AUTH_SECRET/],
    [['--kind', 'wrkflow'], 2, /--kind must be one of variable, schema, .* not 'wrkflow'/],
    [['--from-key', 'k'], 2, /Set CONDUCTOR_FROM_AUTH_SECRET/],
    [['--once'], 2, /--once goes with --follow/],
    [['--follow', '--dry-run'], 2, /give one of them/],
    [['--follow', '--as-they-are'], 2, /give one of them/],
    [['--follow', '--since', 'noon'], 2, /--since takes a time/],
    [['--since', '2026-11-25'], 2, /give it with one of them/],
    [['--history', '--dry-run'], 2, /give one of them/],
    [['--every', '0'], 2, /--every must be a whole number from 1 to 3600/],
  ])('refuses %j with %i and a sentence', async (args, code, sentence) => {
    const ran = await downbeat.run(['import', '--from', old.url, ...args]);
    expect(ran.stderr).toMatch(sentence);
    expect(ran).toMatchObject({ code, stdout: '' });
  });

  it('names --from where that server is away, missing or the same one', async () => {
    const missing = await downbeat.run(['import']);
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.stderr).toMatch(/Say where things come from: --from/);
    const same = await downbeat.run(['import', '--from', server.url]);
    expect(same).toMatchObject({ code: 2 });
    expect(same.stderr).toMatch(/are the same/);
  });
});
