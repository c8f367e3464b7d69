// The images of deploy/Dockerfile, built and started by the container engine of this machine,
// Docker or Podman. It builds for minutes and fetches packages, so it runs only where an engine
// runs the base image already.
import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImageFile } from '../support/compose-file.js';
import { tell } from '../support/figures.js';
import { freePort, startProgram, signalProcess } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

const base = 'node:24-trixie-slim';
/** Unpacked and with everything below them, MB. Node is 109 of these. */
const trialMegabytesMax = 160;
const serverMegabytesMax = 200;
const buildMs = 900_000;
const startTimeoutMs = 30_000;
/** What docs/deployment.md says of a container that needs no rights. */
const withoutRights = [
  ...['--init', '--read-only', '--cap-drop', 'ALL'],
  ...['--security-opt', 'no-new-privileges'],
];

const image = readImageFile();
const program = ['docker', 'podman'].find(
  (name) => spawnSync(name, ['version'], { stdio: 'ignore', timeout: 10_000 }).status === 0,
);
const reason = whyNot();

/** Why nothing is built, for the test's name; '' where it is. */
function whyNot(): string {
  if (program === undefined) return ' (skipped: no container engine answers)';
  const run = ['run', '--rm', '--pull', 'never', base, 'node', '--version'];
  const { status } = spawnSync(program, run, { stdio: 'ignore', timeout: 60_000 });
  return status === 0 ? '' : ` (skipped: ${program} cannot run ${base}: pull it first)`;
}

/** Runs the engine; resolves with what it wrote. Podman leaves health checks out by default. */
async function engine(...args: string[]): Promise<string> {
  const options = {
    cwd: projectRoot,
    env: { ...process.env, BUILDAH_FORMAT: 'docker' },
    maxBuffer: 64 * 1024 * 1024,
  };
  const { stdout } = await promisify(execFile)(program ?? '', args, options);
  return stdout.trim();
}

/** Megabytes of an image, unpacked. */
async function megabytesOf(tag: string): Promise<number> {
  return Number(await engine('image', 'inspect', '--format', '{{.Size}}', tag)) / 1e6;
}

describe.skipIf(reason !== '')(`the images${reason}`, () => {
  const id = randomUUID().slice(0, 8);
  const [trial, server, volume] = ['trial', 'server', 'data'].map(
    (name) => `downbeat-test-${name}-${id}`,
  ) as [string, string, string];
  const containers: string[] = [];

  beforeAll(async () => {
    for (const [target, tag] of Object.entries({ trial, server })) {
      await engine('build', '--file', 'deploy/Dockerfile', '--target', target, '--tag', tag, '.');
    }
    await engine('volume', 'create', volume);
  }, buildMs);

  afterAll(async () => {
    for (const name of containers) await engine('rm', '--force', name).catch(() => '');
    for (const tag of [trial, server]) await engine('image', 'rm', tag).catch(() => '');
    await engine('volume', 'rm', volume).catch(() => '');
  }, startTimeoutMs);

  /** Starts a container; resolves when the health check of its image succeeds inside it. */
  async function start(tag: string, ...options: string[]): Promise<string> {
    const name = `downbeat-test-${containers.length}-${id}`;
    containers.push(name);
    await engine('run', '--detach', '--name', name, ...withoutRights, ...options, tag);
    const isHealthy = (): Promise<boolean> =>
      engine('exec', name, ...image.healthcheck).then(
        () => true,
        () => false,
      );
    await until(`health of ${name}`, isHealthy, { timeoutMs: startTimeoutMs, everyMs: 500 });
    return name;
  }

  /** Stops it with SIGTERM; resolves with the exit code of its process. */
  async function stop(name: string): Promise<number> {
    await engine('stop', '--time', '20', name);
    return Number(await engine('inspect', '--format', '{{.State.ExitCode}}', name));
  }

  const startTrial = async (): Promise<[container: string, session: Session]> => {
    const port = await freePort();
    const place = [
      '--publish',
      `127.0.0.1:${port}:8080`,
      '--volume',
      `${volume}:/var/lib/downbeat`,
    ];
    return [await start(trial, ...place), new Session(`http://127.0.0.1:${port}`)];
  };

  it('are small, run as nobody with rights, and are asked for their health', async () => {
    for (const [tag, max] of [
      [trial, trialMegabytesMax],
      [server, serverMegabytesMax],
    ] as const) {
      const megabytes = await megabytesOf(tag);
      tell(`${tag}: ${megabytes.toFixed(0)} MB with all that it is made of`);
      expect(megabytes).toBeLessThan(max);
      // Of a container: Podman tells an image's health check elsewhere than Docker.
      const made = await engine('create', tag);
      containers.push(made);
      const config = JSON.parse(await engine('inspect', '--format', '{{json .Config}}', made));
      expect(config).toMatchObject({
        User: '1000:1000',
        Healthcheck: { Test: ['CMD', ...image.healthcheck] },
      });
    }
  });

  it('hold page, handbook, command and one binary of the listener, and no package manager', async () => {
    for (const tag of [trial, server]) {
      const look =
        'ls dist/ui/index.html dist/site/index.html.gz bin/downbeat.mjs; ls dist/listener';
      const run = ['run', '--rm', '--entrypoint', 'sh', tag, '-c'];
      const seen = (await engine(...run, look)).split('\n');
      expect(seen).toHaveLength(5);
      expect(seen.filter((name) => name.endsWith('.node'))).toHaveLength(1);
      const absent = 'for it in npm yarn corepack apt-get gcc perl; do command -v $it; done; true';
      expect(await engine(...run, absent)).toBe('');
    }
  });

  it('start on a root that cannot be written, and a new container has the data', async () => {
    const [first, session] = await startTrial();
    const tasks = [{ name: 'wait', taskReferenceName: 'wait', type: 'HUMAN' }];
    const definition = { name: 'look', version: 1, tasks, ownerEmail: 'a@b.co' };
    expect(await session.status('POST', '/api/metadata/workflow', definition)).toBe(200);
    const { text: execution } = await session.post('/api/workflow/look', {});
    expect(await engine('exec', first, 'sh', '-c', 'touch /app/x 2>&1; true')).toMatch(
      /read-only/i,
    );
    expect(await engine('exec', first, 'id', '-u')).toBe('1000');
    expect(await stop(first)).toBe(0);
    await engine('rm', first);
    const [second, again] = await startTrial();
    const { body } = await again.get(`/api/workflow/${execution}`);
    expect(body).toMatchObject({ status: 'RUNNING', workflowName: 'look' });
    await engine('kill', '--signal', 'KILL', second);
    await engine('rm', '--force', second);
    const [third, after] = await startTrial();
    expect((await after.get(`/api/workflow/${execution}`)).status).toBe(200);
    expect(await stop(third)).toBe(0);
  });

  it('finds its plug-ins, on a Redis elsewhere', async () => {
    const [redisPort, port, peerPort] = [await freePort(), await freePort(), await freePort()];
    const redis = startProgram('redis-server', ['--port', `${redisPort}`, '--save', '']);
    try {
      const settings = Object.entries({
        DOWNBEAT_PORT: port,
        DOWNBEAT_PEER_PORT: peerPort,
        DOWNBEAT_DATA_DIR: '/tmp/downbeat',
        DOWNBEAT_REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      }).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
      const node = await start(server, '--network', 'host', '--tmpfs', '/tmp', ...settings);
      expect(await engine('logs', node)).toMatch(/plug-ins: .*kafka/);
      expect(await new Session(`http://127.0.0.1:${port}`).status('GET', '/health')).toBe(200);
      expect(await stop(node)).toBe(0);
    } finally {
      signalProcess(redis.pid, 'SIGKILL');
      await redis.ended;
    }
  });
});
