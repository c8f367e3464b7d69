// The servers that speak the Conductor API: this one, and the open-source Conductor server on
// Redis. Both get the same requests of the same driver.
import { ApiClient } from '../../testkit/api-client.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort, signalProcess, startProgram } from '../../testkit/process.js';
import { startServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import type { LoadSettings } from '../load-driver.js';
import { measure, type MeasuredServer } from '../measure.js';
import { chain } from '../scenarios.js';
import { steps, type Peer, type PeerLoad, type PeerRun } from './contract.js';
import { startDurableRedis } from './durable-redis.js';

const scenario = chain(steps, 1, 64);
/** Executions that are read back. */
const checkedMax = 20;
const startTimeoutMs = 180_000;

/** One worker that takes one task, or crews that take what there is. */
function settingsOf({ window }: PeerLoad): LoadSettings {
  if (window === 1) {
    return {
      ...{ mode: 'in-turn', window, starters: 1 },
      ...{ pollers: 1, pollCount: 1, pollTimeoutMs: 1_000, workers: 1 },
    };
  }
  return {
    ...{ mode: 'crews', window, starters: 8 },
    ...{ pollers: 8, pollCount: 50, pollTimeoutMs: 200, workers: 32 },
  };
}

async function runOn(server: MeasuredServer, client: ApiClient, load: PeerLoad): Promise<PeerRun> {
  const run = await measure(server, scenario, load.executions, settingsOf(load));
  const wrong: string[] = [];
  for (const id of run.load.workflowIds.slice(-checkedMax)) {
    const { status, tasks } = await client.untilEnd(id);
    const whole = tasks.filter((task) => task.status === 'COMPLETED').length === steps;
    if (status !== 'COMPLETED' || !whole) wrong.push(`${id} is ${status}, ${tasks.length} tasks`);
  }
  return {
    tasks: run.tasks,
    elapsedMs: run.load.elapsedMs,
    serverUs: run.nodeUsPerTask,
    redisUs: run.redisUsPerTask,
    clientUs: run.driverUsPerTask,
    wrong,
  };
}

async function register(client: ApiClient): Promise<void> {
  await client.registerTasks(...scenario.taskDefs);
  await client.registerWorkflows(...scenario.workflowDefs);
}

export async function startDownbeat(): Promise<Peer> {
  const server = await startServer();
  const client = new ApiClient(server.url);
  await register(client);
  return {
    name: 'Downbeat',
    settings: 'defaults: a private Redis that syncs every write',
    run: (load) => runOn(server, client, load),
    async stop() {
      await client.close();
      await server.stop();
    },
  };
}

/**
 * `jar`: Conductor's boot jar. Redis for executions, queues and locks, no index, as its documents
 * advise for throughput.
 */
export async function startConductor(java: string, jar: string): Promise<Peer> {
  const redis = await startDurableRedis();
  const folder = createFolder();
  const port = await freePort();
  const settings = {
    'server.port': port,
    // Else a connection is closed after a hundred requests.
    'server.tomcat.max-keep-alive-requests': -1,
    'conductor.db.type': 'redis_standalone',
    'conductor.queue.type': 'redis_standalone',
    'conductor.redis.hosts': `127.0.0.1:${redis.port}:us-east-1c`,
    'conductor.redis-lock.serverAddress': `redis://127.0.0.1:${redis.port}`,
    'conductor.workflow-execution-lock.type': 'redis',
    'conductor.app.workflowExecutionLockEnabled': true,
    'conductor.redis.workflowNamespacePrefix': 'conductor',
    'conductor.redis.queueNamespacePrefix': 'conductor_queues',
    'conductor.indexing.enabled': false,
    'logging.level.root': 'ERROR',
  };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const program = startProgram(java, ['-Xmx1500m', '-jar', jar, ...args], { cwd: folder });
  const url = `http://127.0.0.1:${port}`;
  const client = new ApiClient(url);
  const stop = async (): Promise<void> => {
    await client.close();
    signalProcess(program.pid, 'SIGKILL');
    await program.ended;
    await redis.stop();
    removeFolder(folder);
  };
  try {
    await until(
      'Conductor',
      async () => {
        if (program.hasEnded()) throw new Error(`Conductor ended:\n${program.output()}`);
        const health = await fetch(`${url}/health`).catch(() => undefined);
        return health?.ok === true;
      },
      { timeoutMs: startTimeoutMs },
    );
    await register(client);
  } catch (error) {
    await stop();
    throw error;
  }
  const server = { pid: program.pid, redisPid: redis.pid, port };
  return {
    name: 'Conductor',
    settings: 'executions, queues and locks on Redis, no index, 1,500 MB of heap',
    run: (load) => runOn(server, client, load),
    stop,
  };
}
