// A node without API for tests: the real parts from poll to store around a real Redis, on a clock
// that moves only when the test says so. Store time follows that clock, so leases, timers and
// sweeps take no waiting.
import { bySystem } from '../../src/shard/executions.js';
import { randomBytes } from 'node:crypto';
import type { EngineContext } from '../../src/engine/context.js';
import type { QueueName } from '../../src/engine/decision.js';
import type { Task, TaskResult } from '../../src/model/execution.js';
import type { JsonMap } from '../../src/model/json.js';
import { readWorkflowDef } from '../../src/model/workflow-def.js';
import { Payload } from '../../src/model/payload.js';
import { createDerivedStarts } from '../../src/operation/start-derived.js';
import { Membership } from '../../src/placement/membership.js';
import { ShardMap } from '../../src/placement/shard-map.js';
import { Placement } from '../../src/placement/placement.js';
import type { PlacementMonitor } from '../../src/placement/placement-parts.js';
import { StoreClock } from '../../src/placement/store-clock.js';
import { PollHub } from '../../src/queue/poll-hub.js';
import { PollLog } from '../../src/queue/poll-log.js';
import { RedisClient } from '../../src/redis/client.js';
import { RedisExecutionStore } from '../../src/redis/execution-store.js';
import { RedisPollDataStore } from '../../src/redis/poll-data-store.js';
import { RedisPermitStore } from '../../src/redis/permit-store.js';
import { RedisQuarantineStore } from '../../src/redis/quarantine-store.js';
import { RedisQueueStore } from '../../src/redis/queue-store.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { createSandbox } from '../../src/sandbox/script-sandbox.js';
import { EventCounters } from '../../src/telemetry/event-counters.js';
import { ExecutionHost } from '../../src/shard/execution-host.js';
import type { PublishedEvent, ShardMonitor, StartRequest } from '../../src/shard/executions.js';
import { HeldLoads } from '../../src/shard/held-loads.js';
import { OwnedShards } from '../../src/shard/owned-shards.js';
import type { QueueAudit } from '../../src/shard/queue-audit.js';
import { parseTaskId, type ExecutionId } from '../../src/std/ids.js';
import { testLimits } from '../engine/support/test-limits.js';
import { World } from '../engine/support/world.js';
import { PeerNetwork } from '../support/peer-network.js';
import type { RunningRedis } from '../../testkit/redis.js';
import { pause } from '../../testkit/until.js';
import type { VirtualClock } from '../support/virtual-clock.js';
import type { WireTask } from '../../testkit/wire.js';

export const shards = 4;

export interface NodeOptions {
  nodeId?: string;
  prefix: string;
  clock: VirtualClock;
  /** False: queues are written apart from commits, as on a store with slots. */
  ridesWithCommits?: boolean;
  readyHeldMax?: number;
  actorBytesMax?: number;
  itemsPerStepMax?: number;
  commitsPerBatchMax?: number;
  /** Program of processes for scripts; absent: only those that run in place do. */
  workerUrl?: URL;
  scriptTimeMsMax?: number;
  taskDefs?: JsonMap[];
  workflowDefs?: JsonMap[];
  /** Value of every environment variable. */
  variable?: () => string;
}

export class ShardNode {
  readonly redis: RedisClient;
  readonly world: World;
  readonly store: RedisExecutionStore;
  readonly queues: RedisQueueStore;
  readonly quarantine: RedisQuarantineStore;
  readonly lease = { holdsLease: true, holdsLeaseOf: (): boolean => false };
  readonly owned = new OwnedShards(this.lease);
  readonly hub: PollHub;
  /** What has happened, for those that ask. */
  readonly counters = new EventCounters();
  /** Both once it has been started. */
  shards!: ExecutionHost;
  placement!: Placement;
  /** What parts reported, newest last. */
  readonly failures: unknown[] = [];
  readonly counts: string[] = [];
  /** Sizes of the batches that were confirmed. */
  readonly batches: number[] = [];
  /** Runs of system tasks that were asked for, and what ends each. */
  readonly runs: { task: Task; end: () => void }[] = [];
  /** References of tasks for which a load made sure that the outside world can reach them. */
  readonly confirmed: string[] = [];
  readonly published: PublishedEvent[] = [];
  readonly clock: VirtualClock;
  readonly #storeClock: StoreClock;
  readonly #shardStore: RedisShardStore;
  isServing = false;

  constructor(
    server: RunningRedis,
    readonly options: NodeOptions,
  ) {
    const { clock: local, prefix, taskDefs = [], workflowDefs = [] } = options;
    const { itemsPerStepMax = testLimits.itemsPerStepMax } = options;
    this.clock = local;
    this.#storeClock = new StoreClock(local);
    const timeOffsetMs = (): number => local.now() - Date.now();
    this.redis = new RedisClient({ url: server.url, prefix, timeOffsetMs });
    this.world = new World({ reloads: false, taskDefs, workflowDefs, limits: { itemsPerStepMax } });
    this.store = new RedisExecutionStore(this.redis, shards);
    if (options.ridesWithCommits === false) {
      Object.defineProperty(this.store, 'movesRideWithCommits', { value: false });
    }
    this.queues = new RedisQueueStore(this.redis);
    this.quarantine = new RedisQuarantineStore(this.redis, shards);
    this.#shardStore = new RedisShardStore(this.redis);
    const clock = this.#storeClock;
    const failed = (error: unknown): void => void this.failures.push(error);
    this.hub = new PollHub({
      ...{ clock, counters: this.counters },
      store: this.queues,
      ridesWithCommits: this.store.movesRideWithCommits,
      pollLog: new PollLog(new RedisPollDataStore(this.redis), clock, failed),
      settings: {
        parkedPollsMax: 100,
        readyHeldMax: options.readyHeldMax ?? 1000,
        provisionalLeaseMs: 5000,
        claimTimeoutMs: 1000,
        popMax: 100,
      },
      failed,
    });
  }

  get audit(): QueueAudit {
    return this.shards.audit;
  }

  #build(secret: Buffer): void {
    const clock = this.#storeClock;
    const { owned, hub, options } = this;
    const monitor = this.#monitor();
    this.shards = new ExecutionHost({
      ...{ clock, owned, hub, monitor, secret, counters: this.counters },
      loads: new HeldLoads(),
      store: this.store,
      queues: this.queues,
      quarantine: this.quarantine,
      sandbox: this.#sandbox(),
      context: this.#context(),
      capacity: { refusal: () => undefined },
      settings: {
        shards,
        actorBytesMax: options.actorBytesMax ?? 1 << 30,
        commitsPerBatchMax: options.commitsPerBatchMax ?? 500,
        retention: { seconds: 3600, byStatus: new Map(), byDefinition: new Map() },
        uncommittedBytesMax: 1 << 26,
        settleTimeoutMs: 1000,
      },
      handedOut: undefined,
    });
    const { world } = this;
    const definitions = {
      ...world.context.definitions,
      snapshot: (def: Parameters<World['snapshot']>[0]) => world.snapshot(def),
      nameOwner: (_name: string, owner: string) => ({ registration: '', owner }),
    };
    this.shards.connect({
      executions: this.shards,
      starts: createDerivedStarts({
        ...{ executions: this.shards, definitions, childDepthMax: 32 },
        workflowUse: { requireStart: () => undefined },
      }),
      systemTasks: {
        run: (_open, task) => new Promise((end) => void this.runs.push({ task, end })),
        cancel: () => undefined,
        confirm: (_open, task) => Promise.resolve(void this.confirmed.push(task.ref)),
      },
      humanTasks: { changed: () => Promise.resolve() },
      permits: new RedisPermitStore(this.redis),
      events: { publish: (event) => Promise.resolve(void this.published.push(event)) },
      lost: (lost, error) => this.placement.lost(error, lost),
    });
    hub.connect({ owner: this.shards.claims });
    const nodeId = options.nodeId ?? 'n1';
    const bootId = randomBytes(8).toString('hex');
    const address = '127.0.0.1:1';
    const store = this.#shardStore;
    const node = { nodeId, bootId, address, peerAddress: '', version: '1' };
    this.placement = new Placement({
      ...{ clock, owned, shards, monitor, store },
      membership: new Membership(
        store,
        clock,
        { ...node, state: 'serving' },
        // Jumps of the virtual clock leave no time to renew: here a lease holds until its end.
        { monotonic: () => 0 },
      ),
      map: new ShardMap(shards, clock),
      // Nodes of these tests do not reach each other. With links a refused connection would let
      // one take the shards of another that lives.
      peers: Object.assign(new PeerNetwork().join(nodeId), { follow: () => undefined }),
      executions: this.shards,
    });
  }

  #monitor(): ShardMonitor & PlacementMonitor {
    return {
      failed: (error) => void this.failures.push(error),
      count: (metric, label) => void this.counts.push(label === '' ? metric : label),
      batch: (size) => void this.batches.push(size),
      serving: (isServing) => (this.isServing = isServing),
    };
  }

  #sandbox(): Sandbox {
    const { workerUrl, scriptTimeMsMax = 1000 } = this.options;
    return createSandbox({
      ...(workerUrl === undefined ? {} : { workerUrl }),
      scriptTimeMsMax,
      scriptMemoryBytesMax: 1 << 24,
      scriptOutputBytesMax: 1 << 20,
      scriptWorkersMax: 1,
      clock: this.clock,
    });
  }

  #context(): EngineContext {
    const { world } = this;
    const clock = this.#storeClock;
    const { variable } = this.options;
    return {
      ...world.context,
      ...(variable === undefined ? {} : { environmentVariable: variable }),
      get now() {
        return (world.now = clock.now());
      },
    };
  }

  /** Connects and takes the shards. Without `leaseEnds` nothing looks at leases by itself. */
  async start(): Promise<this> {
    await this.redis.connect();
    const { secret } = await this.#shardStore.openKeyspace(shards);
    this.#build(secret);
    this.redis.onState((up) => {
      if (!up) this.placement.lost(new Error('the connection to the store was lost'));
    });
    await this.placement.start();
    await this.shards.timers.start();
    await this.hub.leaseEnds.start();
    return this;
  }

  /** Dies: nothing is handed over, nothing that was decided gets out. */
  crash(): void {
    this.redis.disconnect();
  }

  async stop(): Promise<void> {
    this.hub.close();
    let hasStopped = false;
    const stopped = this.placement.stop().then(() => (hasStopped = true));
    // It may be in the pause between two tries to take shards.
    await this.until('the stop', () => hasStopped);
    await stopped;
    this.redis.disconnect();
  }

  startRequest(def: JsonMap, input: JsonMap = {}): StartRequest {
    return {
      snapshot: this.world.snapshot(readWorkflowDef(def, 'def')),
      attributes: { priority: 0, taskToDomain: {} },
      input: Payload.of(input),
    };
  }

  startExecution(def: JsonMap, input: JsonMap = {}): Promise<ExecutionId> {
    return this.shards.start(this.startRequest(def, input));
  }

  /** A poll with what its client may do. */
  poll(
    queue: QueueName | string,
    options: { count?: number; timeoutMs?: number; workerId?: string } = {},
  ): { tasks: Promise<WireTask[]>; abort: () => void } {
    const { count = 1, timeoutMs = 60_000, workerId = 'w' } = options;
    let abort = (): void => undefined;
    const tasks = this.hub
      .poll({
        queue: typeof queue === 'string' ? { taskType: queue } : queue,
        workerId,
        count,
        timeoutMs,
        onAbort: (listener) => (abort = listener),
      })
      .then((texts) => texts.map((text) => JSON.parse(text) as WireTask));
    return { tasks, abort: () => abort() };
  }

  async complete(task: WireTask, output: JsonMap = {}): Promise<void> {
    await this.report(task, { status: 'COMPLETED', output: Payload.of(output) });
  }

  async report(task: WireTask, result: Pick<TaskResult, 'status' | 'output'>): Promise<void> {
    await this.shards.command(
      task.workflowInstanceId,
      {
        kind: 'update-task',
        task: { taskNumber: parseTaskId(task.taskId)?.taskNumber ?? 0 },
        result: { ...result, callbackAfterSeconds: 0, extendLease: false },
        mergeOutput: false,
      },
      bySystem,
    );
  }

  async terminate(id: string): Promise<void> {
    await this.shards.command(
      id,
      {
        kind: 'terminate',
        triggerFailureWorkflow: false,
        byParent: false,
      },
      bySystem,
    );
  }

  /**
   * Statuses by reference name, of the newest attempt, as the store has them; undefined when there
   * is no such execution.
   */
  async stored(id: ExecutionId): Promise<{ [ref: string]: string } | undefined> {
    const found = await this.store.load(Number.parseInt(id.slice(0, 4), 16) % shards, id);
    if (found === undefined) return undefined;
    const { tasks, state } = found.execution;
    return Object.fromEntries([
      ['', state.status],
      ...tasks.map((task) => [task.ref, task.status]),
    ]) as { [ref: string]: string };
  }

  async dirty(): Promise<ExecutionId[]> {
    const ids = await Promise.all(
      Array.from({ length: shards }, (_, shard) => this.store.dirty(shard)),
    );
    return ids.flat();
  }

  /** Moves the clock in small steps until `result` is there. */
  async whileTimePasses<T>(result: Promise<T>): Promise<T> {
    let isThere = false;
    const settled = result.finally(() => (isThere = true));
    settled.catch(() => undefined);
    await this.until('a result', () => isThere);
    return await settled;
  }

  /** Moves the clock in small steps until something has come about. */
  async until<T>(
    what: string,
    look: () => Promise<T | undefined | false> | T | undefined | false,
    stepMs = 50,
  ): Promise<T> {
    for (let step = 0; step < 1000; step++) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      this.clock.advance(stepMs);
      await pause(4);
    }
    const failures = this.failures.slice(-3).map(String).join('; ');
    throw new Error(`${what} did not come about in ${1000 * stepMs} ms; failures: ${failures}`);
  }
}

/**
 * A workflow definition of worker tasks, one after the other; each reference is its task type too.
 */
export function chainOf(name: string, ...refs: string[]): JsonMap {
  return {
    name,
    version: 1,
    tasks: refs.map((ref) => ({ name: ref, taskReferenceName: ref, type: 'SIMPLE' })),
  };
}
