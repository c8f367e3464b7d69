// The deployment of deploy/: by its commands, as processes; and in containers where an engine is
// found.
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployFolder } from '../support/compose-file.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { LocalDeployment } from '../support/local-deployment.js';
import { dockerAnswers } from '../../testkit/redis.js';
import { Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

/** A session of the key in a key file. */
async function signIn(url: string, key: string): Promise<Session> {
  const { status, body } = await new Session(url).post('/api/token', JSON.parse(key));
  expect(status).toBe(200);
  return new Session(url, { 'x-authorization': body.token });
}

/** Starts the example at one node and reads its end at another. */
async function runOrder(startAt: Session, readAt: Session): Promise<void> {
  const { status, text: id } = await startAt.post('/api/workflow/order', { sku: 'A-17' });
  expect(status).toBe(200);
  const execution = await until(
    'the end of the order',
    async () => {
      const { body } = await readAt.get(`/api/workflow/${id}`);
      return body.status === 'RUNNING' ? undefined : body;
    },
    { timeoutMs: 30_000 },
  );
  expect(execution).toMatchObject({ status: 'COMPLETED', output: { receipt: 'paid 40' } });
}

describe('the deployment, as processes', () => {
  let deployment: LocalDeployment;

  beforeAll(async () => {
    deployment = await LocalDeployment.create();
    await deployment.startRedis();
    await Promise.all(deployment.nodes.map((name) => deployment.startNode(name)));
  });
  afterAll(() => deployment?.remove());

  it('is set up once: a second run keeps the keys', async () => {
    expect(await deployment.setUp()).toMatch(/^ready: keys in/);
    const keys = [deployment.readKey('admin'), deployment.readKey('worker')];
    await deployment.setUp();
    expect([deployment.readKey('admin'), deployment.readKey('worker')]).toEqual(keys);
  });

  it('does the example with its workers, whichever node is asked', async () => {
    await deployment.startWorkers();
    const [first = '', second = '', third = ''] = deployment.nodes.map((name) =>
      deployment.urlOf(name),
    );
    const admin = deployment.readKey('admin');
    await runOrder(await signIn(third, admin), await signIn(second, admin));
    const { body } = await (await signIn(first, admin)).get('/api/admin/cluster');
    const known = (body.nodes as { nodeId: string }[]).map(({ nodeId }) => nodeId);
    expect(known.sort()).toEqual(deployment.nodes);
  });

  it('lets nobody in without a token, and its workers do nothing but their tasks', async () => {
    const url = deployment.urlOf(deployment.nodes[0] ?? '');
    expect(await new Session(url).status('POST', '/api/workflow/order', {})).toBe(401);
    const worker = await signIn(url, deployment.readKey('worker'));
    expect(await worker.status('POST', '/api/workflow/order', {})).toBe(403);
    expect(await worker.status('GET', '/api/tasks/poll/other')).toBe(403);
    expect(await worker.status('GET', '/api/users')).toBe(403);
  });

  it('ends with 0 everywhere when it is stopped', async () => {
    const codes: Record<string, number | null> = {};
    for (const name of [...deployment.started].reverse()) codes[name] = await deployment.stop(name);
    expect(codes).toEqual(Object.fromEntries(deployment.started.map((name) => [name, 0])));
  });
});

const reason = await whyNoContainers();

/** Why containers are not tested, for the test's name; '' where they are. */
async function whyNoContainers(): Promise<string> {
  if (process.env['LONG_TESTS'] !== '1') return ' (skipped: runs with LONG_TESTS=1)';
  if (!(await dockerAnswers())) return ' (skipped: no container engine answers)';
  const { status } = spawnSync('docker', ['compose', 'version'], { timeout: 10_000 });
  return status === 0 ? '' : ' (skipped: there is no docker compose)';
}

const createKey = ['node', 'dist/admin-command.js', 'create-key'];
/** Building both images on a machine that has neither takes minutes. */
const containersMs = 900_000;

describe.skipIf(reason !== '')(`the deployment, in containers${reason}`, () => {
  const folder = createFolder();
  afterAll(() => removeFolder(folder));

  it(
    'does the example',
    async () => {
      const secrets = path.join(folder, 'secrets');
      await promisify(execFile)('sh', [path.join(deployFolder, 'make-secrets.sh'), secrets]);
      const { DockerComposeEnvironment } = await import('testcontainers');
      const environment = await new DockerComposeEnvironment(deployFolder, 'compose.yaml')
        .withBuild()
        .withEnvironment({ ...process.env, DOWNBEAT_SECRETS: secrets } as Record<string, string>)
        .withStartupTimeout(containersMs / 3)
        .up();
      try {
        const made = await environment.getContainer('node-1-1').exec(createKey);
        const session = await until('the new key', async () => {
          const { status, body } = await new Session('http://127.0.0.1:8080').post(
            '/api/token',
            JSON.parse(made.output),
          );
          return status === 200 && (body.token as string);
        });
        const headers = { 'x-authorization': session };
        await runOrder(
          new Session('http://127.0.0.1:8082', headers),
          new Session('http://127.0.0.1:8081', headers),
        );
      } finally {
        await environment.down({ removeVolumes: true });
      }
    },
    containersMs,
  );
});
