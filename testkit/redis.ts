// A real Redis for tests: in a container where a Docker engine answers, else the redis-server of
// this machine on a Unix socket in a folder of its own. Both keep an append-only file that is
// synced on every write, as the server's private Redis does.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createFolder, removeFolder } from './folder.js';
import { isListening, signalProcess, startProgram } from './process.js';
import { until } from './until.js';

export interface RunningRedis {
  /** For `--redis-url`: redis://host:port or unix:///path. */
  readonly url: string;
  /** Present with a local redis-server. */
  readonly socketPath?: string;
  /** Process id of a local redis-server. */
  readonly pid?: number;
  stop(): Promise<void>;
}

const image = 'redis:7-alpine';
const dockerUrl = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];

/** Starts an empty Redis; the caller stops it. */
export async function startRedis(): Promise<RunningRedis> {
  return (await dockerAnswers()) ? startContainer() : startLocalRedis();
}

/**
 * Whether a Docker engine, or Podman's service, answers within a second where DOCKER_HOST says, by
 * default on its usual socket. One behind TLS or ssh is not asked.
 */
export function dockerAnswers(): Promise<boolean> {
  const { protocol, hostname, port, pathname } = new URL(dockerUrl);
  if (protocol !== 'unix:' && protocol !== 'tcp:') return Promise.resolve(false);
  if (protocol === 'unix:' && !fs.existsSync(pathname)) return Promise.resolve(false);
  const place = protocol === 'unix:' ? { socketPath: pathname } : { host: hostname, port };
  return new Promise((resolve) => {
    const request = http.get({ ...place, path: '/_ping', timeout: 1_000 });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', () => resolve(false));
  });
}

async function startContainer(): Promise<RunningRedis> {
  const { GenericContainer } = await import('testcontainers');
  const container = await new GenericContainer(image)
    .withExposedPorts(6379)
    .withCommand(['redis-server', ...durable])
    .start();
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
    stop: async () => void (await container.stop()),
  };
}

/** A redis-server of this machine, for tests that stop its process. */
export async function startLocalRedis(): Promise<RunningRedis> {
  const folder = createFolder();
  const socketPath = path.join(folder, 'redis.sock');
  const program = startProgram('redis-server', [
    ...['--port', '0', '--unixsocket', socketPath, '--dir', folder],
    ...durable,
  ]);
  const stop = async (): Promise<void> => {
    signalProcess(program.pid, 'SIGKILL');
    await program.ended;
    removeFolder(folder);
  };
  try {
    // Its file is there before it takes connections.
    await until('the socket of redis-server', async () => {
      if (program.hasEnded()) throw new Error(`redis-server ended:\n${program.output()}`);
      return await isListening({ path: socketPath });
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `unix://${socketPath}`, socketPath, pid: program.pid, stop };
}
