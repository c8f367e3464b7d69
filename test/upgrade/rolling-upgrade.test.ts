// docs/upgrade.md, walked: two nodes of an earlier version on one Redis are replaced one by one by
// this version and then back, while executions go on. The commands are those of the page; nothing
// that was acknowledged is lost, and the check of the store finds nothing.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { writeEarlierVersion } from '../support/earlier-version.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';
import { startLocalRedis, type RunningRedis } from '../../testkit/redis.js';
import { serverProgram, startServer, type RunningServer } from '../../testkit/server.js';
import { viewAt } from '../../cluster/settled-cluster.js';
import { until } from '../../testkit/until.js';
import { Traffic } from './traffic.js';

const run = promisify(execFile);

/**
 * One of the day after format 3 was frozen, and one of two days later. Two nodes of those before
 * could stop answering for good: a node that told another one of a ready task while its link was
 * not up yet tried again without end.
 */
const commits = ['2201b8d7', 'b9f64148'];
const nodeIds = ['n1', 'n2'] as const;
const page = fs.readFileSync(path.join(projectRoot, 'docs', 'upgrade.md'), 'utf8');

/** The commands of the page that have this word. */
function commandsOf(kind: string): string {
  const found = new RegExp(`^\`\`\`sh ${kind}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1];
  if (found === undefined) throw new Error(`docs/upgrade.md has no piece "sh ${kind}"`);
  return found;
}

describe.each(commits)('from %s, node by node', { timeout: 240_000 }, (commit) => {
  const cleanUps: (() => unknown)[] = [];
  const folder = createFolder();
  let redis: RunningRedis;
  let main = '';
  let missing: string | undefined;
  const servers: RunningServer[] = [];
  const apis: ApiClient[] = [];
  let traffic: Traffic;

  beforeAll(async () => {
    const earlier = await writeEarlierVersion(folder, commit);
    if ('missing' in earlier) {
      missing = earlier.missing;
      return;
    }
    main = earlier.main;
    redis = await startLocalRedis();
    for (const id of nodeIds) servers.push(await start(id, main));
    apis.push(...servers.map(({ url }) => new ApiClient(url)));
    await settled();
    const worker = (ref: string): object => ({
      ...{ name: 'upgraded', taskReferenceName: ref, type: 'SIMPLE', inputParameters: {} },
    });
    const wait = { name: 'w', taskReferenceName: 'w', type: 'WAIT', inputParameters: {} };
    await apis[0]?.registerWorkflows(
      { name: 'upgraded', version: 1, tasks: [worker('a'), worker('b')] } as never,
      { name: 'held', version: 1, tasks: [wait, worker('c')] } as never,
    );
    const urls = servers.map(({ url }) => url);
    traffic = new Traffic({ urls, workflow: 'upgraded', taskType: 'upgraded' });
  }, 240_000);
  afterAll(async () => {
    await traffic?.stop();
    for (const api of apis) await api.close();
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    await redis?.stop();
    removeFolder(folder);
  });

  async function start(id: string, program: string, port?: number): Promise<RunningServer> {
    const server = await startServer({
      ...{ redisUrl: redis.url, program: [program] },
      args: ['--node-id', id],
      ...(port === undefined ? {} : { port }),
    });
    cleanUps.push(() => server.stop());
    return server;
  }

  /** Runs commands of the page; resolves with what they print. */
  async function carryOut(kind: string, more: Record<string, string> = {}): Promise<string> {
    const command = `${process.execPath} ${path.join(projectRoot, 'bin', 'downbeat.mjs')}`;
    const env = {
      ...{ ...process.env, REDIS_URL: redis.url, NODE_1: servers[0]?.url, ...more },
      PATH: `${folder}/bin:${process.env['PATH']}`,
    };
    fs.mkdirSync(path.join(folder, 'bin'), { recursive: true });
    const program = path.join(folder, 'bin', 'downbeat');
    fs.writeFileSync(program, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
    const { stdout } = await run('bash', ['-ec', commandsOf(kind)], { cwd: folder, env });
    return stdout;
  }

  async function settled(): Promise<void> {
    await until('both nodes to serve', async () => {
      const views = await Promise.all(servers.map(({ url }) => viewAt(url)));
      return views.every(
        (view) =>
          view?.moving.length === 0 &&
          view.nodes.length === 2 &&
          view.nodes.every(({ linked, shards }) => linked && shards > 0),
      );
    });
  }

  /** Replaces each node, as the page says. */
  async function replaceAll(program: string): Promise<void> {
    for (const [i, id] of nodeIds.entries()) {
      const server = servers[i] as RunningServer;
      expect(await server.kill('SIGTERM')).toBe(0);
      servers[i] = await start(id, program, server.port);
      await carryOut('wait', { NODE: server.url });
      await settled();
      await traffic.goesOn();
    }
  }

  it('goes on with every execution, up and back, and leaves nothing wrong', async (context) => {
    if (missing !== undefined) return context.skip(missing);
    const [one, two] = apis as [ApiClient, ApiClient];
    const held = await one.start({ name: 'held', version: 1 });
    await traffic.goesOn();
    expect(await carryOut('before')).toContain('0 violations');
    expect(fs.statSync(path.join(folder, 'before-upgrade.rdb')).size).toBeGreaterThan(0);

    await replaceAll(serverProgram);
    const heldByNew = await two.start({ name: 'held', version: 1 });
    expect(await carryOut('after')).toMatch(/0 violations[^]*"nodes"/);

    await replaceAll(main);
    for (const id of [held, heldByNew]) await one.ask('POST', `/api/tasks/${id}/w/COMPLETED`, {});
    const started = await traffic.endStarts();
    expect(started.length).toBeGreaterThan(20);
    for (const id of [held, heldByNew, ...started]) {
      await two.untilWorkflow(id, ({ status }) => status === 'COMPLETED');
    }
    expect(await carryOut('after')).toContain('0 violations');
  });
});
