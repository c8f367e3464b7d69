// One simulation: a cluster, its clients, and faults, all from one seed. Faults happen for the
// first seconds; then everything is mended, and all that was started must end.
import type { NetworkWeather } from './network.js';
import { SimulatedNetwork } from './network.js';
import { NodeClock } from './node-clock.js';
import { shardOf, type ExecutionId } from '../../src/std/ids.js';
import { shards, SimulatedNode, type SimulatedStores } from './node.js';
import { inPlaceOfPlatform } from './platform.js';
import { Scheduler, startOfTime } from './scheduler.js';
import { SimulatedClient, type StoreWeather } from './store/simulated-client.js';
import { SimulatedStore } from './store/simulated-store.js';
import { twins, type Twins } from './store/twins/list.js';
import { Keys } from '../../src/redis/keys.js';
import { judge } from './judge.js';
import { areEventsDone } from './events.js';
import { SimulatedSchedules } from './schedules.js';
import { Outside } from './outside/outside.js';
import { HandOutWatch, recoveryMs } from './hand-out-watch.js';
import { Punctual } from './punctual.js';
import { isPunctual, isWide, meetsOutside } from './seeds.js';
import { chooseFaults, inflict, losesWrites, type Fault, type FaultName } from './faults.js';
import type { MemoryRedis } from './store/memory-redis.js';
import { Workload } from './workload.js';
import { definitions } from './workload-definitions.js';

/** A fault in the product, planted from outside. */
export interface Plant {
  readonly twins?: Twins;
  readonly stores?: (stores: SimulatedStores) => SimulatedStores;
  readonly spoil?: (node: SimulatedNode) => void;
}

export interface SimulationOptions {
  readonly seed: number;
  /** Absent: the seed says how many. */
  readonly nodes?: number;
  /** Of the store; absent: it is one server. */
  readonly primaries?: number | undefined;
  /** Whether there are schedules; absent: as the seed says. */
  readonly isScheduled?: boolean;
  /** Whether the world outside is met; absent: as the seed says. */
  readonly meetsOutside?: boolean | undefined;
  /** Whether a punctual worker comes once everything is mended; absent: as the seed says. */
  readonly isPunctual?: boolean | undefined;
  /** Only faults of this kind. */
  readonly fault?: FaultName | undefined;
  /** Only executions of this workflow are started. */
  readonly workflow?: string | undefined;
  readonly plant?: Plant;
  /** Errors keep their stacks, for the reader of a failure. */
  readonly withStacks?: boolean;
}

export interface SimulationResult {
  readonly seed: number;
  /** One sentence per violation. */
  readonly violations: readonly string[];
  readonly faults: readonly Fault[];
  /** What parts of nodes reported. */
  readonly reported: readonly string[];
  readonly events: number;
  readonly traceHash: string;
}

const faultsMs = 8000;
/** After the last fault everything has to end within so long. */
const endsMs = 120_000;
const startsMs = 6000;
const prefix = 'sim';

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const scheduler = new Scheduler(options.seed);
  const { stackTraceLimit } = Error;
  if (options.withStacks !== true) Error.stackTraceLimit = 0;
  try {
    return await inPlaceOfPlatform(scheduler, () => new Cluster(scheduler, options).run());
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export class Cluster {
  readonly storeWeather: StoreWeather = {
    ...{ delayMs: 2, breaks: 0, stuck: 0, stuckMs: 4000, repeats: 0, away: false },
  };
  readonly networkWeather: NetworkWeather = { delayMs: 2, lost: 0, repeated: 0 };
  readonly network = new SimulatedNetwork(this.networkWeather);
  readonly store: SimulatedStore;
  readonly workload: Workload;
  readonly schedules: SimulatedSchedules;
  /** undefined: this run does not meet it. */
  readonly outside: Outside | undefined;
  /** undefined: this run has none. */
  readonly punctual: Punctual | undefined;
  readonly handOuts: HandOutWatch;
  readonly nodes = new Map<string, SimulatedNode>();
  readonly clients = new Map<string, SimulatedClient>();
  readonly nodeIds: readonly string[];
  readonly faults: readonly Fault[];
  /** What parts reported, for the reader of a failure. */
  readonly reported: string[] = [];
  /** What the audits of queues had to repair. */
  readonly repairs: string[] = [];
  #isMended = false;

  constructor(
    readonly scheduler: Scheduler,
    private readonly options: SimulationOptions,
  ) {
    const count = options.nodes ?? scheduler.random.between(1, 4);
    this.nodeIds = Array.from({ length: count }, (_, i) => `n${i + 1}`);
    const isMet = options.meetsOutside ?? meetsOutside(scheduler.seed);
    this.faults = chooseFaults(scheduler, faultsMs, { only: options.fault, meetsOutside: isMet });
    const { primaries = 1 } = options;
    const keepsLog = primaries > 1 || this.faults.some(({ name }) => losesWrites.has(name));
    const keys = new Keys(prefix);
    this.store = new SimulatedStore(scheduler, {
      ...{ keys, keepsLog, primaries, twins: options.plant?.twins ?? twins },
    });
    this.schedules = new SimulatedSchedules(scheduler, keys, options.isScheduled);
    this.workload = new Workload(
      scheduler,
      () => [...this.nodes.values()],
      () => this.store.lostSince.length > 0,
      (id) => this.#isRunning(id),
      options.workflow,
    );
    if (isMet) this.outside = this.#buildOutside(keys);
    const redis = (): MemoryRedis => this.store.redis;
    this.handOuts = new HandOutWatch({
      ...{ scheduler, prefix, redis, nodes: () => this.nodes.values() },
      faults: () => this.#troubled,
    });
    if (options.isPunctual ?? isPunctual(scheduler.seed)) {
      this.punctual = new Punctual(scheduler, this.workload.requests, redis, prefix);
    }
  }

  /** From the first fault until everything is mended; never where there is no fault. */
  get #troubled(): { from: number; until: number } {
    const from = startOfTime + Math.min(...this.faults.map(({ at }) => at));
    return { from, until: startOfTime + faultsMs };
  }

  #buildOutside(keys: Keys): Outside {
    const { scheduler, workload, store } = this;
    const { requests, journal } = workload;
    const isRunning = (id: string): boolean => this.#isRunning(id);
    const parts = { scheduler, requests, journal, definitions, isRunning };
    return new Outside(parts, keys, () => ({
      ...{ redis: store.redis, hasFailover: store.lostSince.length > 0 },
    }));
  }

  async run(): Promise<SimulationResult> {
    const { scheduler, workload } = this;
    for (const nodeId of this.nodeIds) this.startNode(nodeId);
    workload.begin(scheduler.random.between(3, 10), startsMs);
    this.outside?.begin(startsMs);
    this.handOuts.begin();
    for (const fault of this.faults) scheduler.after(fault.at, () => inflict(this, fault));
    const violations: string[] = [];
    try {
      await scheduler.run(startOfTime + faultsMs, () => false);
      this.mend();
      if (this.punctual) scheduler.after(recoveryMs, () => this.punctual?.begin());
      await scheduler.run(scheduler.now + endsMs, () => this.isDone);
      violations.push(...(await this.#judged()));
    } catch (error) {
      violations.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    return {
      ...{ seed: scheduler.seed, violations, faults: this.faults, reported: this.reported },
      ...{ events: scheduler.events, traceHash: scheduler.traceHash },
    };
  }

  /** What a failover has undone the leader believes to be done. */
  get #areSchedulesDone(): boolean {
    return this.store.lostSince.length > 0 || this.schedules.isDone(this.store.redis);
  }

  /** A failover may undo what was told of. */
  get #areEventsDone(): boolean {
    const { redis, lostSince } = this.store;
    return !this.hasEvents || lostSince.length > 0 || areEventsDone(redis, new Keys(prefix));
  }

  get hasEvents(): boolean {
    return isWide(this.scheduler.seed);
  }

  /** The store has the execution, and not as the compact record of one that has ended. */
  #isRunning(id: string): boolean {
    const execution = id as ExecutionId;
    const key = new Keys(prefix).execution(shardOf(execution, shards), execution);
    const value = this.store.redis.entry(key)?.value;
    return value !== undefined && typeof value !== 'string';
  }

  /** Everything that was started or was due has ended. */
  get isDone(): boolean {
    const isOutsideDone = this.outside?.isDone ?? true;
    const areWorkersDone = this.workload.isDone && (this.punctual?.isDone ?? true);
    return areWorkersDone && this.#areSchedulesDone && this.#areEventsDone && isOutsideDone;
  }

  async #judged(): Promise<string[]> {
    let found: string[] | undefined;
    void judge(this).then(
      (violations) => (found = violations),
      (error: unknown) => (found = [`The judgement failed: ${String(error)}`]),
    );
    await this.scheduler.run(this.scheduler.now + endsMs, () => found !== undefined);
    return found ?? ['The cluster does not answer'];
  }

  /** Starts the node's process, unless there is one: nobody runs two under one id. */
  startNode(nodeId: string): void {
    if (this.nodes.get(nodeId)?.clock.isOver === false) return;
    const { scheduler, options } = this;
    const clock = new NodeClock(scheduler, scheduler.random.between(-5000, 5000));
    const client = new SimulatedClient(clock, this.store, this.storeWeather, prefix);
    const node = new SimulatedNode({
      ...{ nodeId, clock, client, definitions, schedules: this.schedules },
      ...{ hasEvents: this.hasEvents, address: this.outside?.address },
      network: this.network,
      plant: options.plant?.stores ?? ((stores) => stores),
      spoil: options.plant?.spoil ?? (() => undefined),
      repaired: (what) => void this.repairs.push(what),
      failed: (error) => void this.reported.push(`${scheduler.now} ${nodeId} ${String(error)}`),
    });
    this.nodes.set(nodeId, node);
    this.clients.set(nodeId, client);
    this.#tryStart(node);
  }

  /** The store went back in time: what had been done may not have. */
  lookAgain(): void {
    this.workload.lookAgain();
    this.outside?.lookAgain();
  }

  /** A start that fails for want of the store is tried again, as a supervisor does. */
  #tryStart(node: SimulatedNode): void {
    node.start().catch((error: unknown) => {
      this.reported.push(`${node.nodeId} did not start: ${String(error)}`);
      if (node.clock.isOver) return;
      node.die();
      this.scheduler.after(500, () => this.startNode(node.nodeId));
    });
  }

  /** The time of faults is over. */
  get isMended(): boolean {
    return this.#isMended;
  }

  /** No faults from now on; every node runs. */
  mend(): void {
    this.#isMended = true;
    Object.assign(this.storeWeather, { delayMs: 2, breaks: 0, stuck: 0, repeats: 0, away: false });
    this.store.isLockOpen = false;
    for (const client of this.clients.values()) {
      client.letGo();
      // A failover that waits for a commit would come now.
      client.forgetNext();
    }
    Object.assign(this.networkWeather, { delayMs: 2, lost: 0, repeated: 0 });
    this.network.mend();
    this.workload.requests.lostAnswers = 0;
    this.outside?.mend();
    for (const nodeId of this.nodeIds) {
      this.startNode(nodeId);
      this.nodes.get(nodeId)?.clock.proceed();
    }
  }
}
