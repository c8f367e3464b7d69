// Executions and a connected store for tests and figures of stores.
import { randomBytes } from 'node:crypto';
import { executionIdOf, type ExecutionId } from '../src/std/ids.js';
import { Changes, taskPart } from '../src/engine/decision.js';
import { Payload } from '../src/model/payload.js';
import type { DefinitionSnapshot, Execution, Task } from '../src/model/execution.js';
import type { TaskDef } from '../src/model/task-def.js';
import type { WorkflowDef, WorkflowTask } from '../src/model/workflow-def.js';
import type { Commit, Fence } from '../src/store/execution-store.js';
import { RedisClient, type RedisSettings } from '../src/redis/client.js';
import { createFolder, removeFolder } from './folder.js';
import { freePort, signalProcess, startProgram } from './process.js';
import { startRedis, type RunningRedis } from './redis.js';
import { until } from './until.js';

export interface TestStore {
  readonly server: RunningRedis;
  readonly redis: RedisClient;
  stop(): Promise<void>;
}

/**
 * The stores behave alike on one Redis and on a cluster, where the keys of a script must share a
 * slot.
 */
export const storeKinds = ['one Redis', 'a cluster'] as const;

export async function startStore(
  kind: (typeof storeKinds)[number] = 'one Redis',
  options: Pick<RedisSettings, 'timeOffsetMs' | 'partitions'> = {},
): Promise<TestStore> {
  const server = kind === 'a cluster' ? await startCluster() : await startRedis();
  const redis = new RedisClient({ url: server.url, prefix: 'test', ...options });
  await redis.connect();
  return {
    server,
    redis,
    async stop() {
      redis.disconnect();
      await server.stop();
    },
  };
}

/** A cluster of one node: it has all slots, and refuses keys of several slots all the same. */
async function startCluster(): Promise<RunningRedis> {
  const folder = createFolder();
  const port = await freePort();
  const program = startProgram('redis-server', [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
    ...['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
    ...['--cluster-port', String(await freePort())],
  ]);
  const stop = async (): Promise<void> => {
    signalProcess(program.pid, 'SIGKILL');
    await program.ended;
    removeFolder(folder);
  };
  const setUp = new RedisClient({ url: `redis://127.0.0.1:${port}`, prefix: 'test' });
  try {
    await until('the cluster node', () =>
      setUp.connect().then(
        () => true,
        () => false,
      ),
    );
    await setUp.reads.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    await until('its slots', async () =>
      String(await setUp.reads.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
    );
  } catch (error) {
    await stop();
    throw error;
  } finally {
    setUp.disconnect();
  }
  return { url: `redis-cluster://127.0.0.1:${port}`, stop };
}

export function sampleTaskDef(name: string): TaskDef {
  return {
    name,
    createTime: 1,
    updateTime: 0,
    retryCount: 3,
    retryLogic: 'FIXED',
    retryDelaySeconds: 60,
    backoffScaleFactor: 1,
    maxRetryDelaySeconds: 0,
    backoffJitterMs: 0,
    timeoutSeconds: 0,
    timeoutPolicy: 'TIME_OUT_WF',
    responseTimeoutSeconds: 3600,
    totalTimeoutSeconds: 0,
    rateLimitPerFrequency: 0,
    rateLimitFrequencyInSeconds: 1,
    inputKeys: [],
    outputKeys: [],
    inputTemplate: {},
    enforceSchema: false,
    taskStatusListenerEnabled: true,
    runtimeMetadata: [],
  };
}

export function sampleConfig(ref: string): WorkflowTask {
  return {
    name: `task_${ref}`,
    taskReferenceName: ref,
    inputParameters: { from: '${workflow.input.a}' },
    type: 'SIMPLE',
    decisionCases: {},
    defaultCase: [],
    forkTasks: [],
    joinOn: [],
    defaultExclusiveJoinTask: [],
    loopOver: [],
    startDelay: 0,
    optional: false,
    permissive: false,
    asyncComplete: false,
    onStateChange: {},
    metadata: {},
    taskDefinition: sampleTaskDef(`task_${ref}`),
  };
}

export function sampleSnapshot(name: string, refs: readonly string[]): DefinitionSnapshot {
  const def: WorkflowDef = {
    name,
    version: 1,
    createTime: 1,
    updateTime: 0,
    tasks: refs.map(sampleConfig),
    inputParameters: [],
    outputParameters: {},
    schemaVersion: 2,
    restartable: true,
    workflowStatusListenerEnabled: false,
    timeoutPolicy: 'ALERT_ONLY',
    timeoutSeconds: 0,
    variables: {},
    inputTemplate: {},
    enforceSchema: true,
    metadata: {},
    maskedFields: [],
  };
  return { hash: `${name}-${refs.join('-').slice(0, 40)}`, def };
}

export function sampleTask(number: number, config: WorkflowTask): Task {
  return {
    number,
    ref: config.taskReferenceName,
    config,
    taskType: config.name,
    defName: config.name,
    status: 'SCHEDULED',
    seq: number,
    retryCount: 0,
    reopenCount: 0,
    retried: false,
    executed: false,
    iteration: 0,
    scheduledAt: 1_700_000_000_000,
    firstScheduledAt: 1_700_000_000_000,
    startAt: 0,
    firstStartAt: 0,
    endAt: 0,
    updateAt: 1_700_000_000_000,
    startDelaySeconds: 0,
    callbackAfterSeconds: 0,
    callbackAfterMs: 0,
    responseTimeoutSeconds: 3600,
    rateLimitPerFrequency: 0,
    rateLimitFrequencyInSeconds: 1,
    pollCount: 0,
    subworkflowChanged: false,
    waitUntilAt: 0,
    input: Payload.of({ number, text: 'something to work on' }),
    output: Payload.empty,
  };
}

export function sampleId(shard: number): ExecutionId {
  return executionIdOf(shard, randomBytes(10));
}

export function sampleExecution(shard: number, snapshot: DefinitionSnapshot): Execution {
  return {
    id: sampleId(shard),
    snapshot,
    attributes: { priority: 0, taskToDomain: {} },
    state: {
      status: 'RUNNING',
      createTime: 1_700_000_000_000,
      updateTime: 1_700_000_000_000,
      endTime: 0,
      lastRetriedTime: 0,
      failedReferenceTaskNames: [],
      failedTaskNames: [],
      taskCounter: 0,
      seqCounter: 0,
      outboxCounter: 0,
      generation: 0,
      unsettled: false,
    },
    input: Payload.of({ a: 1, list: [], digits: 12345678901234567890n }),
    output: Payload.empty,
    variables: Payload.empty,
    tasks: [],
    outbox: new Map(),
    messages: [],
  };
}

/** Changes of a first commit, with all tasks that the execution has. */
export function createdChanges(execution: Execution): Changes {
  const changes = new Changes();
  changes.created = true;
  changes.state = true;
  changes.input = true;
  for (const task of execution.tasks) {
    changes.touch(task, taskPart.record | taskPart.input | taskPart.output);
  }
  return changes;
}

export function sampleCommit(
  fence: Fence,
  execution: Execution,
  rest: Partial<Commit> & Pick<Commit, 'changes' | 'head' | 'nextHead'>,
): Commit {
  return {
    fence,
    execution,
    wakeAt: undefined,
    dirty: undefined,
    compactUntilAt: undefined,
    rewrite: false,
    remove: false,
    idempotency: undefined,
    moves: [],
    ...rest,
  };
}

/** Reads every payload, so that values and not their cached forms are compared. */
export function plain(execution: Execution | undefined): unknown {
  if (!execution) return undefined;
  return {
    ...execution,
    input: execution.input.text,
    output: execution.output.text,
    variables: execution.variables.text,
    tasks: execution.tasks.map((task) => ({
      ...task,
      input: task.input.text,
      output: task.output.text,
    })),
    outbox: [...execution.outbox.values()].map((message) =>
      'request' in message
        ? { ...message, request: { ...message.request, input: message.request.input.text } }
        : message,
    ),
  };
}
