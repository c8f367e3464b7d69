// One node of a simulation: the product's engine, execution host, queues, placement, notices and
// leadership, composed as in src/server/build-node.ts and build-cluster.ts beside it, on the clock,
// the store and the network of the simulation.
import { randomBytes } from 'node:crypto';
import { everythingAllowed } from '../../src/access/access-rules.js';
import { systemCaller } from '../../src/model/caller.js';
import type { EngineContext } from '../../src/engine/context.js';
import { EnforcedSchemas } from '../../src/areas/schemas/enforced-schemas.js';
import { JsonSchemas } from '../../src/operation/schemas/json-schema.js';
import { namedViews, namedWaits } from '../../src/operation/named-views.js';
import { createDerivedStarts } from '../../src/operation/start-derived.js';
import { defaultValueLimits } from '../../src/model/value-limits.js';
import { ElectedLeadership } from '../../src/placement/leadership.js';
import { Membership } from '../../src/placement/membership.js';
import { answerOwnerCalls } from '../../src/placement/owner-calls.js';
import { PeerNotices } from '../../src/placement/peer-notices.js';
import { Placement } from '../../src/placement/placement.js';
import type { PlacementMonitor } from '../../src/placement/placement-parts.js';
import { RoutedAttempts } from '../../src/placement/routed-attempts.js';
import { RoutedExecutions } from '../../src/placement/routed-executions.js';
import { ShardMap } from '../../src/placement/shard-map.js';
import { StoreClock } from '../../src/placement/store-clock.js';
import { PollHub } from '../../src/queue/poll-hub.js';
import { PollLog } from '../../src/queue/poll-log.js';
import { RedisEventQueueStore } from '../../src/areas/events/store/redis-event-queue-store.js';
import { RedisEventRecordStore } from '../../src/areas/events/store/redis-event-record-store.js';
import { RedisExecutionStore } from '../../src/redis/execution-store.js';
import { RedisPollDataStore } from '../../src/redis/poll-data-store.js';
import { RedisQuarantineStore } from '../../src/redis/quarantine-store.js';
import { RedisQueueStore } from '../../src/redis/queue-store.js';
import { RedisPermitStore } from '../../src/redis/permit-store.js';
import { RedisScheduleRunStore } from '../../src/areas/schedules/redis-run-store.js';
import { RedisShardStore } from '../../src/redis/shard-store.js';
import { ExecutionHost } from '../../src/shard/execution-host.js';
import type { ShardMonitor, SystemTasks } from '../../src/shard/executions.js';
import { HeldLoads } from '../../src/shard/held-loads.js';
import { OwnedShards } from '../../src/shard/owned-shards.js';
import { createSandbox } from '../../src/sandbox/script-sandbox.js';
import { systemClock } from '../../src/std/clock.js';
import type { EventQueueStore } from '../../src/areas/events/store/event-queue-store.js';
import type { ExecutionStore } from '../../src/store/execution-store.js';
import type { QuarantineStore } from '../../src/store/quarantine-store.js';
import type { QueueStore } from '../../src/store/queue-store.js';
import type { PermitStore } from '../../src/store/permit-store.js';
import type { ScheduleRunStore } from '../../src/areas/schedules/run-store.js';
import type { ShardStore } from '../../src/store/shard-store.js';
import { EventCounters } from '../../src/telemetry/event-counters.js';
import { systemTaskTypes } from '../support/every-plugin.js';
import { withUnwritable } from './unwritable.js';
import type { StaticDefinitions } from './definitions.js';
import { buildConsumer, buildPublisher } from './events.js';
import type { SimulatedNetwork, SimulatedPeers } from './network.js';
import type { Address } from './outside/address.js';
import {
  OutsideListeners,
  OutsidePart,
  outsideStores,
  type OutsideStores,
} from './outside/outside-part.js';
import type { NodeClock } from './node-clock.js';
import { seenView } from './read-judge.js';
import { buildScheduleRunner, runLifeMs, type SimulatedSchedules } from './schedules.js';
import type { SimulatedClient } from './store/simulated-client.js';

export const shards = 8;

/** The stores of a node; planted faults put their own around them. */
export interface SimulatedStores extends OutsideStores {
  readonly executions: ExecutionStore;
  readonly queues: QueueStore;
  readonly quarantine: QuarantineStore;
  readonly shards: ShardStore;
  readonly scheduleRuns: ScheduleRunStore;
  readonly permits: PermitStore;
  readonly events: EventQueueStore;
}

export interface SimulatedNodeParts {
  readonly nodeId: string;
  readonly clock: NodeClock;
  readonly client: SimulatedClient;
  readonly network: SimulatedNetwork;
  readonly definitions: StaticDefinitions;
  readonly schedules: SimulatedSchedules;
  /** Whether there is a handler of events. */
  readonly hasEvents: boolean;
  /** Told by outgoing webhooks; undefined: nothing is met from outside. */
  readonly address: Address | undefined;
  readonly plant: (stores: SimulatedStores) => SimulatedStores;
  /** Changes parts of a node before it starts; for planted faults. */
  readonly spoil: (node: SimulatedNode) => void;
  /** The audit of queues found something lost. */
  readonly repaired: (what: string) => void;
  /** A part reported trouble. */
  readonly failed: (error: unknown) => void;
}

const secret = Buffer.alloc(32, 7);

export class SimulatedNode {
  readonly nodeId: string;
  readonly client: SimulatedClient;
  readonly bootId = randomBytes(8).toString('hex');
  readonly clock: NodeClock;
  readonly stores: SimulatedStores;
  readonly owned: OwnedShards;
  readonly map: ShardMap;
  readonly hub: PollHub;
  readonly #counters = new EventCounters();
  readonly host: ExecutionHost;
  readonly executions: RoutedExecutions;
  readonly membership: Membership;
  readonly placement: Placement;
  readonly leadership: ElectedLeadership;
  readonly peers: SimulatedPeers;
  readonly #notices: PeerNotices;
  readonly #storeClock: StoreClock;
  readonly #listening: OutsideListeners | undefined;
  readonly outside: OutsidePart | undefined;
  #stopScheduler: () => Promise<void> = () => Promise.resolve();
  #stopConsumer: () => Promise<void> = () => Promise.resolve();
  isServing = false;

  constructor(private readonly parts: SimulatedNodeParts) {
    const { nodeId, client, network, failed } = parts;
    const redis = client.asRedisClient;
    this.nodeId = nodeId;
    this.client = client;
    this.clock = parts.clock;
    const clock = (this.#storeClock = new StoreClock(parts.clock));
    this.stores = parts.plant({
      executions: withUnwritable(new RedisExecutionStore(redis, shards)),
      queues: new RedisQueueStore(redis),
      quarantine: new RedisQuarantineStore(redis, shards),
      shards: new RedisShardStore(redis),
      scheduleRuns: new RedisScheduleRunStore(redis, {
        runsPerScheduleMax: 100,
        lifeMs: runLifeMs,
      }),
      permits: new RedisPermitStore(redis),
      events: new RedisEventQueueStore(redis, { messagesMax: 1000, ageMsMax: runLifeMs }),
      ...outsideStores(redis),
    });
    const { stores } = this;
    const membership = (this.membership = this.#buildMembership());
    const owned = (this.owned = new OwnedShards(membership));
    this.#listening = parts.address && new OutsideListeners(clock);
    this.hub = this.#buildHub(new PollLog(new RedisPollDataStore(redis), clock, failed));
    this.host = this.#buildHost();
    const peers = (this.peers = network.join(nodeId, this.bootId, parts.clock));
    const local = this.host;
    const map = (this.map = new ShardMap(shards, clock));
    const views = [...namedViews, seenView];
    answerOwnerCalls(peers, { ...{ local, owned, shards, views }, waits: namedWaits });
    const owner = new RoutedAttempts({
      ...{ nodeId, shards, owned, map, peers },
      local: local.claims,
      store: stores.shards,
    });
    this.#notices = new PeerNotices(this, peers, this.hub, clock, failed);
    this.hub.connect({ owner, notices: this.#notices });
    this.placement = new Placement({
      ...{ clock, shards, membership, map, owned, peers },
      store: stores.shards,
      executions: local,
      monitor: this.#monitor(),
    });
    this.leadership = new ElectedLeadership(stores.shards, membership, clock, failed);
    this.executions = new RoutedExecutions({
      ...{ clock, nodeId, shards, local, owned, map, peers },
      store: stores.executions,
      quarantine: stores.quarantine,
      shardStore: stores.shards,
    });
    this.outside = this.#buildOutside();
    this.#connect();
    parts.spoil(this);
  }

  #buildHub(pollLog: PollLog): PollHub {
    const { queues, executions } = this.stores;
    return new PollHub({
      ...{ clock: this.#storeClock, counters: this.#counters },
      store: queues,
      ridesWithCommits: executions.movesRideWithCommits,
      pollLog,
      settings: {
        parkedPollsMax: 1000,
        readyHeldMax: 3,
        provisionalLeaseMs: 5000,
        claimTimeoutMs: 1000,
        popMax: 100,
      },
      failed: this.parts.failed,
    });
  }

  #buildHost(): ExecutionHost {
    const { owned, hub, stores } = this;
    return new ExecutionHost({
      ...{ owned, hub, secret, counters: this.#counters },
      loads: new HeldLoads(),
      clock: this.#storeClock,
      store: stores.executions,
      queues: stores.queues,
      quarantine: stores.quarantine,
      sandbox,
      context: this.#context(),
      capacity: { refusal: () => undefined },
      settings: {
        shards,
        actorBytesMax: 20_000,
        commitsPerBatchMax: 20,
        retention: { seconds: 86_400, byStatus: new Map(), byDefinition: new Map() },
        uncommittedBytesMax: 1 << 26,
        settleTimeoutMs: 1000,
      },
      monitor: this.#monitor(),
      handedOut: undefined,
    });
  }

  #context(): EngineContext {
    const clock = this.#storeClock;
    const { definitions } = this.parts;
    return {
      get now() {
        return clock.now();
      },
      definitions,
      limits: {
        tasksPerExecutionMax: 1000,
        executionBytesMax: 1 << 24,
        childDepthMax: 8,
        itemsPerStepMax: 3,
        variablesBytesMax: 1 << 18,
        ...defaultValueLimits,
        taskPayloadBytesMax: 1 << 20,
        workflowPayloadBytesMax: 1 << 20,
        messagesMax: 100,
        historyEntriesMax: 1000,
        objectsInText: 'json',
      },
      activeDomain: (_type, domains) => domains.at(-1),
      serverTaskTypes: systemTaskTypes,
      environment: () => undefined,
      environmentVariable: () => undefined,
      mayReadVariable: () => true,
      secrets: undefined,
      schemas: noSchemas,
      ...(this.#listening && { listeners: this.#listening.listeners }),
    };
  }

  #monitor(): ShardMonitor & PlacementMonitor {
    return {
      failed: this.parts.failed,
      count: (metric, label) => {
        if (metric === 'queue_repairs') this.parts.repaired(label);
      },
      batch: () => undefined,
      serving: (isServing) => (this.isServing = isServing),
    };
  }

  #buildMembership(): Membership {
    const { nodeId, bootId } = this;
    const address = `${nodeId}:1`;
    return new Membership(this.stores.shards, this.#storeClock, {
      ...{ nodeId, bootId, address, peerAddress: address },
      version: '1',
      state: 'serving',
    });
  }

  #buildOutside(): OutsidePart | undefined {
    const { executions, stores, clock: nodeClock } = this;
    const { address, definitions, failed } = this.parts;
    const listening = this.#listening;
    if (address === undefined || listening === undefined) return undefined;
    const clock = this.#storeClock;
    return new OutsidePart({
      ...{ clock, nodeClock, executions, definitions, stores, listening, address, failed },
    });
  }

  #connect(): void {
    const { executions, stores, outside } = this;
    const { definitions } = this.parts;
    const publisher = buildPublisher({ queues: stores.events, clock: this.#storeClock });
    this.host.connect({
      executions,
      starts: createDerivedStarts({
        ...{ executions, definitions, childDepthMax: 8 },
        workflowUse: { requireStart: () => undefined },
      }),
      systemTasks: outside?.systemTasks ?? noSystemTasks,
      humanTasks: outside?.humanTasks ?? { changed: () => Promise.resolve() },
      permits: stores.permits,
      events: outside?.publisher(publisher) ?? publisher,
      lost: (lost, error) => this.placement.lost(error, lost),
    });
  }

  async start(): Promise<void> {
    this.client.onState((up) => {
      if (!up) this.placement.lost(new Error('the connection to the store was lost'));
    });
    if (this.outside) await this.outside.load();
    await this.placement.start();
    await this.leadership.start();
    await this.#startScheduler();
    await this.#startConsumer();
    if (this.outside) await this.outside.start();
    await this.#notices.start();
    for (const service of this.host.services) {
      // Its questions would move every other event of a seed; it has tests of its own.
      if (service !== this.host.leaseAudit) await service.start();
    }
    await this.hub.leaseEnds.start();
  }

  async #startScheduler(): Promise<void> {
    const { schedules, definitions, failed } = this.parts;
    if (schedules.all.length === 0) return;
    const { leadership, executions, stores } = this;
    const runner = await buildScheduleRunner({
      ...{ clock: this.#storeClock, leadership, executions, definitions, failed },
      store: stores.scheduleRuns,
      schedules: schedules.all,
    });
    await runner.start();
    this.#stopScheduler = () => runner.stop();
  }

  async #startConsumer(): Promise<void> {
    const { definitions, failed, hasEvents } = this.parts;
    if (!hasEvents) return;
    const { leadership, executions, stores, client } = this;
    const consumer = buildConsumer({
      ...{ clock: this.#storeClock, leadership, executions, definitions, failed },
      queues: stores.events,
      records: new RedisEventRecordStore(client.asRedisClient, {
        recordsMax: 1000,
        lifeMs: runLifeMs,
      }),
    });
    await consumer.start();
    this.#stopConsumer = () => consumer.stop();
  }

  /** As SIGTERM: hands everything over. */
  async stop(): Promise<void> {
    if (this.outside) await this.outside.stop();
    await this.#stopConsumer();
    await this.#stopScheduler();
    this.hub.close();
    await this.host.audit.stop();
    await this.hub.leaseEnds.stop();
    await this.host.timers.stop();
    await this.host.drain();
    await this.#notices.stop();
    await this.leadership.stop();
    await this.placement.stop();
    this.die();
  }

  /** As SIGKILL: nothing of it happens any more. */
  die(): void {
    this.clock.end();
    this.client.break();
    this.parts.network.died(this.nodeId);
  }
}

const noSystemTasks: SystemTasks = {
  run: () => Promise.resolve(),
  cancel: () => undefined,
  confirm: () => Promise.resolve(),
};

const noSchemas = new EnforcedSchemas({ find: () => undefined }, new JsonSchemas(1, systemClock), {
  access: everythingAllowed,
  starterOf: () => systemCaller,
});

/** The workload's few expressions are evaluated in place. */
const sandbox = createSandbox({
  scriptTimeMsMax: 1000,
  scriptMemoryBytesMax: 1 << 24,
  scriptOutputBytesMax: 1 << 20,
  scriptWorkersMax: 1,
  clock: systemClock,
});
