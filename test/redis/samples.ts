// Executions and a connected store for the tests of this folder.
import { randomBytes } from 'node:crypto';
import { executionIdOf, type ExecutionId } from '../../src/std/ids.js';
import { Changes, taskPart } from '../../src/engine/decision.js';
import { Payload } from '../../src/model/payload.js';
import type { DefinitionSnapshot, Execution, Task } from '../../src/model/execution.js';
import type { TaskDef } from '../../src/model/task-def.js';
import type { WorkflowDef, WorkflowTask } from '../../src/model/workflow-def.js';
import type { Commit, Fence } from '../../src/store/execution-store.js';
import { RedisClient } from '../../src/redis/client.js';
import { startRedis, type RunningRedis } from '../support/redis.js';

export interface TestStore {
  readonly server: RunningRedis;
  readonly redis: RedisClient;
  stop(): Promise<void>;
}

export async function startStore(
  options: { timeOffsetMs?: () => number } = {},
): Promise<TestStore> {
  const server = await startRedis();
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
    revival: 0,
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
    progress: {
      status: 'RUNNING',
      createTime: 1_700_000_000_000,
      updateTime: 1_700_000_000_000,
      endTime: 0,
      lastRetriedTime: 0,
      failedReferenceTaskNames: [],
      failedTaskNames: [],
      taskCounter: 0,
      seqCounter: 0,
      dutyCounter: 0,
      generation: 0,
      unsettled: false,
    },
    input: Payload.of({ a: 1, list: [], digits: 12345678901234567890n }),
    output: Payload.empty,
    variables: Payload.empty,
    tasks: [],
    duties: new Map(),
    messages: [],
  };
}

/** Changes of a first commit, with all tasks that the execution has. */
export function createdChanges(execution: Execution): Changes {
  const changes = new Changes();
  changes.created = true;
  changes.progress = true;
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
    ...rest,
  };
}
