// Executions of the shards that this node owns: builds what they consist of, and answers the
// contracts of executions.ts. The life of a command is told in commit-pipeline.ts.
import { Port } from '../std/port.js';
import type { FillRandom } from '../std/seeded-bytes.js';
import { sleep, type Clock } from '../std/clock.js';
import type { Service } from '../std/service.js';
import { ThreadTurns } from '../std/thread-turns.js';
import type { View } from './named-views.js';
import { parseExecutionId, shardOf, type ExecutionId } from '../std/ids.js';
import type { EventCounters } from '../telemetry/event-counters.js';
import { LoopNote } from '../telemetry/loop-note.js';
import { currentTrace } from '../telemetry/trace.js';
import type { Tracing } from '../telemetry/tracing.js';
import { AppError, noSuchWorkflow } from '../model/errors.js';
import type { RetentionRules } from '../model/retention.js';
import { isTerminalWorkflow, type WorkflowStatus } from '../model/status.js';
import type { Command } from '../engine/command.js';
import type { EngineContext } from '../engine/context.js';
import type { Reply } from '../engine/decision.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { QuarantineStore } from '../store/quarantine-store.js';
import type { QueueStore } from '../store/queue-store.js';
import type { PermitStore } from '../store/permit-store.js';
import type { PollHub } from '../queue/poll-hub.js';
import { AbandonedExecutions } from './abandoned.js';
import { Activation } from './activation.js';
import { ActorCache } from './actor-cache.js';
import { commandBytes } from './actor-size.js';
import { Admission } from './admission.js';
import { AttemptClaims } from './attempt-claims.js';
import { CommitPipeline, type LostShards } from './commit-pipeline.js';
import { DirtyMarks } from './dirty-marks.js';
import type { ExecutionActor, StepWorld } from './execution-actor.js';
import { noFollower, type ExecutionFollower } from './execution-follower.js';
import { ExecutionPermits } from './execution-permits.js';
import { ExecutionTimers } from './execution-timers.js';
import type {
  CommandOptions,
  DerivedStarts,
  EventPublisher,
  HumanTaskFollower,
  Executions,
  ShardExecutions,
  ShardMonitor,
  StartRequest,
  StoreCapacity,
  SystemTasks,
  WatchOptions,
} from './executions.js';
import { unshared, type Sharing } from './fair-turns.js';
import { GroupCommit } from './group-commit.js';
import type { HeldLoads } from './held-loads.js';
import { IdempotentStart } from './idempotent-start.js';
import { LeaseAudit } from './lease-audit.js';
import { LeaseNumbers } from './lease-numbers.js';
import { controlOf } from './submitted-command.js';
import { MessageDelivery } from './message-delivery.js';
import { OutputRelease } from './output-release.js';
import type { OwnedShards } from './owned-shards.js';
import { Quarantine } from './quarantine.js';
import { QueueAudit } from './queue-audit.js';
import { RecoverExecution } from './recover-execution.js';
import { shardMoved, unavailable, unknownOutcome } from './refusals.js';
import { Removal } from './removal.js';
import { ShardOutlook } from './shard-outlook.js';
import { confirmed, StartExecution } from './start-execution.js';
import { TaskDispatch } from './task-dispatch.js';
import { TaskTexts, type HandedOutValues } from './task-texts.js';
import { Watchers } from './watchers.js';

export interface ExecutionSettings {
  readonly shards: number;
  readonly actorBytesMax: number;
  readonly commitsPerBatchMax: number;
  readonly retention: RetentionRules;
  /** Bytes of reported payloads that may wait for their commit; then 503. */
  readonly uncommittedBytesMax: number;
  /** How long a control waits for the messages that it caused, ms. */
  readonly settleTimeoutMs: number;
}

export interface ExecutionHostParts {
  readonly clock: Clock;
  readonly store: ExecutionStore;
  readonly queues: QueueStore;
  readonly quarantine: QuarantineStore;
  readonly sandbox: Sandbox;
  readonly context: EngineContext;
  readonly owned: OwnedShards;
  readonly hub: PollHub;
  readonly capacity: StoreCapacity;
  /** Of the deployment, from the keyspace. */
  readonly secret: Buffer;
  readonly settings: ExecutionSettings;
  readonly monitor: ShardMonitor;
  readonly counters: EventCounters;
  /** The sums of what its executions hold, for quotas. */
  readonly loads: HeldLoads;
  /** Absent: nobody takes spans. */
  readonly tracing?: Tracing | undefined;
  /** Puts secrets in place of their names; undefined: names stay. */
  readonly handedOut: HandedOutValues | undefined;
  /** Where ids of executions are drawn from; absent: the system. */
  readonly fillIds?: FillRandom | undefined;
  /** Absent: nobody shares the node. */
  readonly sharing?: Sharing;
  /** The line for the thread; absent: the first steps of starts have one of their own. */
  readonly threadTurns?: ThreadTurns;
}

/**
 * How long a hand-over waits for what was decided to become durable, ms. It mostly takes a few;
 * where the store is slow a late hand-over is better than requests whose outcome is unknown.
 */
const handOverMs = 1000;
const handOverCheckMs = 2;
/** How often a removal is tried again because a command came in while it waited. */
const removalTriesMax = 1000;

/** The parts that executions give work to, and that give commands to executions in turn. */
export interface ExecutionPartners {
  /** Executions of the whole cluster. */
  readonly executions: Executions;
  readonly starts: DerivedStarts;
  readonly systemTasks: SystemTasks;
  readonly events: EventPublisher;
  readonly humanTasks: HumanTaskFollower;
  readonly permits: PermitStore;
  /** Absent: nobody follows what commits store. */
  readonly follower?: ExecutionFollower;
  readonly lost: LostShards;
}

/** The partners as parts of this host use them. */
interface WorkPartners {
  readonly delivery: MessageDelivery;
  readonly permits: ExecutionPermits;
  readonly systemTasks: SystemTasks;
  readonly follower: ExecutionFollower;
  readonly lost: LostShards;
}

export class ExecutionHost implements Executions, ShardExecutions {
  readonly cache: ActorCache;
  readonly outlook: ShardOutlook;
  readonly timers: ExecutionTimers;
  readonly audit: QueueAudit;
  readonly leaseAudit: LeaseAudit;
  /** Executions on which nodes died. */
  readonly quarantine: Quarantine;
  /** Attempts of the executions that this node owns. */
  readonly claims: AttemptClaims;
  /** Which execution's step runs. */
  readonly note = new LoopNote();
  readonly #activation: Activation;
  readonly #abandoned: AbandonedExecutions;
  readonly #admission: Admission;
  readonly #watchers: Watchers;
  readonly #dispatch: TaskDispatch;
  readonly #pipeline: CommitPipeline;
  readonly #recovery: RecoverExecution;
  readonly #starts: StartExecution;
  readonly #idempotentStarts: IdempotentStart;
  readonly #removal: Removal;
  readonly #partners = new Port<WorkPartners>('what executions give work to');

  constructor(private readonly parts: ExecutionHostParts) {
    const { clock, store, queues, owned, hub, monitor, sandbox, context, settings, secret } = parts;
    const { counters, loads, threadTurns = new ThreadTurns(clock) } = parts;
    const { shards, retention } = settings;
    const world: StepWorld = { context, sandbox, note: this.note, tracing: parts.tracing };
    const texts = new TaskTexts(clock, parts.handedOut);
    const groupCommit = new GroupCommit(store, settings.commitsPerBatchMax);
    const watchers = new Watchers(clock);
    const cache = new ActorCache(settings.actorBytesMax, watchers);
    const outlook = new ShardOutlook(owned);
    const timers = new ExecutionTimers({
      ...{ clock, store, owned, outlook, monitor },
      due: (id) => void activation.wake(id),
    });
    const marks = new DirtyMarks(clock, store, owned, monitor, (actor) =>
      pipeline.leaveIfFinished(actor),
    );
    const leaseNumbers = new LeaseNumbers(clock);
    const dispatch = new TaskDispatch({
      ...{ clock, hub, queues, leaseNumbers, texts, monitor, counters },
      ridesWithCommits: store.movesRideWithCommits,
    });
    const outputs = new OutputRelease(dispatch, monitor, this.#partners);
    const abandoned = new AbandonedExecutions((id) => activation.load(id));
    const pipeline = new CommitPipeline({
      abandoned,
      ...{ clock, sandbox, owned, cache, hub, dispatch, groupCommit, outputs, timers, watchers },
      ...{ outlook, marks, monitor, counters, retention, loads },
      partners: this.#partners,
      sharing: parts.sharing ?? unshared,
    });
    const quarantine = new Quarantine({
      ...{ clock, store: parts.quarantine },
      shardOf: (id) => shardOf(id, shards),
      failed: (error) => monitor.failed(error),
    });
    const recovery = new RecoverExecution({
      abandoned,
      ...{ shards, world, store, queues, owned, cache, timers, pipeline, quarantine, loads },
      partners: this.#partners,
    });
    const claims = new AttemptClaims({
      ...{ shards, owned, leaseNumbers, cache, recovery, pipeline, texts, queues },
    });
    const starts = new StartExecution({
      ...{ clock, shards, world, owned, cache, pipeline, turns: threadTurns },
      fillIds: parts.fillIds,
    });
    this.cache = cache;
    this.quarantine = quarantine;
    this.outlook = outlook;
    this.timers = timers;
    this.audit = new QueueAudit({
      ...{ clock, queues, store, owned, outlook, cache, quarantine, recovery, claims },
      ...{ pipeline, monitor },
    });
    this.leaseAudit = new LeaseAudit({
      ...{ clock, shards, queues, store, owned, cache, quarantine, hub, monitor },
    });
    const activation = new Activation({
      ...{ clock, shards, owned, cache, recovery, pipeline, timers, monitor },
    });
    this.#activation = activation;
    this.#abandoned = abandoned;
    this.#admission = new Admission(parts.capacity, settings.uncommittedBytesMax, () =>
      monitor.count('quota_refusals', 'uncommittedBytesMax'),
    );
    this.#watchers = watchers;
    this.#dispatch = dispatch;
    this.#pipeline = pipeline;
    this.#recovery = recovery;
    this.#starts = starts;
    this.#idempotentStarts = new IdempotentStart({
      ...{ secret, shards, store, executions: this, starts },
    });
    this.#removal = new Removal({ store, cache, pipeline });
    this.claims = claims;
  }

  /** Before the first shard is taken. */
  connect({
    systemTasks,
    follower = noFollower,
    permits,
    lost,
    ...partners
  }: ExecutionPartners): void {
    const { clock, monitor } = this.parts;
    const failed = (error: unknown): void => monitor.failed(error);
    const { executions } = partners;
    const executionPermits = new ExecutionPermits({ clock, store: permits, executions, failed });
    const delivery = new MessageDelivery({
      ...{ ...partners, clock, pipeline: this.#pipeline, monitor, permits: executionPermits },
    });
    this.#partners.connect({ delivery, permits: executionPermits, systemTasks, follower, lost });
  }

  /** To start when the first shard is taken. */
  get services(): readonly Service[] {
    const { timers, audit, leaseAudit } = this;
    return [timers, audit, leaseAudit, this.#partners.part.permits];
  }

  /** Bytes of payloads that wait for their commit. */
  get uncommittedBytes(): number {
    return this.#admission.uncommittedBytes;
  }

  /** Lets what is decided get out; for a stop. */
  drain(): Promise<void> {
    return this.#pipeline.drained();
  }

  // ---- Executions ----

  start(request: StartRequest): Promise<ExecutionId> {
    const { idempotency } = request;
    return this.#admitted(request, async () => {
      if (idempotency !== undefined) return this.#idempotentStarts.start(request, idempotency);
      return (await this.#starts.startRandom(request)).id;
    });
  }

  startAs(id: ExecutionId, request: StartRequest, isFirst = false): Promise<WorkflowStatus> {
    return this.#admitted(request, async () => {
      const existing = isFirst ? undefined : await this.#recovery.actorOf(id);
      if (existing !== undefined) await this.#meetAgain(existing);
      const actor = existing ?? (await this.#starts.startAs(id, request, undefined));
      return actor.open.execution.state.status;
    });
  }

  /** A start that comes again finds this execution; one that has ended tells its parent again. */
  async #meetAgain(actor: ExecutionActor): Promise<void> {
    const { state, attributes } = actor.open.execution;
    if (isTerminalWorkflow(state.status) && attributes.parentWorkflowId !== undefined) {
      await this.#pipeline.submit(actor, { kind: 'report-end-again' });
    }
    await confirmed(actor);
  }

  async #admitted<T>(request: StartRequest, start: () => Promise<T>): Promise<T> {
    this.#admission.admitStart();
    const { createdBy = '' } = request.attributes;
    const payload = this.#admission.hold(createdBy, request.input.text.length);
    try {
      const reading = this.parts.context.schemas.prepare?.(request.snapshot, createdBy);
      if (reading !== undefined) await reading;
      return await start();
    } finally {
      payload.release();
    }
  }

  command(id: string, command: Command, options: CommandOptions): Promise<Reply> {
    const live = this.cache.live(id as ExecutionId);
    if (live === undefined || options.awaitDelivery === true || extendsLease(command)) {
      return this.#commandAndWait(id, command, options);
    }
    try {
      this.#admission.admit();
      return this.#submit(live, command, options);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  /** A command of an execution that may have to be loaded, and what its caller waits for. */
  async #commandAndWait(id: string, command: Command, options: CommandOptions): Promise<Reply> {
    this.#admission.admit();
    let actor = this.cache.live(id as ExecutionId) ?? this.cache.rejoin(await this.#loaded(id));
    // Removed or given up since it was found: a second load tells which.
    if (actor.isDropped) actor = this.cache.rejoin(await this.#loaded(id));
    const outboxBefore = actor.open.execution.state.outboxCounter;
    const reply = await this.#submit(actor, command, options);
    if (options.awaitDelivery) {
      const { settleTimeoutMs } = this.parts.settings;
      await this.#partners.part.delivery.settled(
        actor,
        outboxBefore,
        settleTimeoutMs,
        options.awaitStarts,
      );
    }
    if (reply.kind === 'updated' && reply.task) {
      const task = actor.open.byNumber.get(reply.task.number);
      if (task !== undefined) await this.#dispatch.extended(task);
    }
    return reply;
  }

  /** Its shard may be handed over while it is loaded: then nothing is done here. */
  async #loaded(id: string): Promise<ExecutionActor> {
    const actor = await this.#existing(id);
    if (!this.parts.owned.accepts(actor.shard)) throw shardMoved();
    return actor;
  }

  /** Throws AppError 'too-many'. */
  #submit(actor: ExecutionActor, command: Command, options: CommandOptions): Promise<Reply> {
    const bytes = commandBytes(command);
    const caller = actor.open.execution.attributes.createdBy ?? '';
    const payload = bytes === 0 ? undefined : this.#admission.hold(caller, bytes);
    const control = controlOf(command, options);
    return this.#pipeline.submit(actor, command, { trace: currentTrace(), payload, control });
  }

  peek<T>(id: string, view: View<T>): T | undefined {
    const actor = this.cache.live(id as ExecutionId);
    return actor === undefined || actor.isDropped ? undefined : view(actor.open);
  }

  async read<T>(id: string, view: View<T>): Promise<T | undefined> {
    const parsed = parseExecutionId(id);
    if (parsed === undefined) return undefined;
    let actor = await this.#recovery.actorOf(parsed);
    // Dropped since it was found: what it knows may never have been stored.
    if (actor?.isDropped) actor = await this.#recovery.actorOf(parsed);
    if (actor === undefined) return undefined;
    if (actor.isDropped) throw unavailable();
    const seen = view(actor.open);
    this.#pipeline.leaveIfFinished(actor);
    if (!actor.isUnconfirmed) return seen;
    return new Promise((resolve, fail) => actor.gate({ pass: () => resolve(seen), fail }));
  }

  async watch<Args, T>(options: WatchOptions<Args, T>): Promise<T> {
    const { id, wait, args, timeoutMs, signal } = options;
    const actor = await this.#existing(id);
    const reached = (open: OpenExecution): boolean => wait.reached(open, args) !== undefined;
    if (!reached(actor.open)) await this.#watchers.until(actor.id, reached, { timeoutMs, signal });
    const seen = await this.read(id, (open) => ({
      answer: wait.reached(open, args) ?? wait.late(open, args),
    }));
    if (seen === undefined) throw noSuchWorkflow(id);
    return seen.answer;
  }

  /** This node is the owner, or there is none: the cluster's executions tell. */
  ownerTrouble(): undefined {
    return undefined;
  }

  async release(id: string): Promise<boolean> {
    const parsed = parseExecutionId(id);
    if (parsed === undefined || !(await this.quarantine.release(parsed))) return false;
    this.#activation.load(parsed);
    return true;
  }

  async remove(id: string): Promise<void> {
    this.#admission.admit();
    for (let left = removalTriesMax; left > 0; left--) {
      if (await this.#removal.remove(await this.#loaded(id))) return;
    }
    throw unavailable();
  }

  async #existing(id: string): Promise<ExecutionActor> {
    if (id.trim() === '') {
      throw new AppError('bad-request', 'WorkflowId cannot be null or empty.');
    }
    const parsed = parseExecutionId(id);
    const actor = parsed && (await this.#recovery.actorOf(parsed));
    if (!actor) throw noSuchWorkflow(id);
    return actor;
  }

  // ---- ShardExecutions ----

  async takeOver(shards: readonly number[], abandoned: readonly number[]): Promise<void> {
    const suspects = await this.quarantine.take(shards, abandoned);
    this.parts.hub.wakeAll();
    this.leaseAudit.hurry();
    await this.timers.check(shards);
    const dirty = await Promise.all(shards.map((shard) => this.parts.store.dirty(shard)));
    for (const id of new Set([...dirty.flat(), ...suspects])) this.#activation.load(id);
    const taken = new Set(shards);
    for (const id of this.#watchers.ids())
      if (taken.has(this.#shardOf(id))) this.#activation.load(id);
  }

  drop(shards: readonly number[]): void {
    const dropped = new Set(shards);
    const error = unknownOutcome();
    this.quarantine.drop(dropped);
    this.#recovery.forget(dropped);
    this.#abandoned.drop((id) => dropped.has(this.#shardOf(id)));
    for (const actor of this.cache.takeOut(dropped)) actor.drop(error);
    this.parts.hub.drop((id) => dropped.has(this.#shardOf(id)));
  }

  async *handOver(shards: readonly number[]): AsyncGenerator<readonly number[]> {
    const { owned, clock } = this.parts;
    owned.close(shards);
    const left = new Set(shards);
    const endAt = clock.monotonic() + handOverMs;
    const closed = this.cache.unsettled(left);
    while (left.size > 0) {
      const isOver = clock.monotonic() >= endAt;
      const unsettled = closed.filter((actor) => !actor.isDropped && actor.isUnsettled);
      const waiting = new Set(isOver ? [] : unsettled.map(({ shard }) => shard));
      const settled = [...left].filter((shard) => !waiting.has(shard));
      for (const shard of settled) left.delete(shard);
      if (settled.length > 0) yield settled;
      else await sleep(clock, handOverCheckMs);
    }
  }

  #shardOf(id: ExecutionId): number {
    return shardOf(id, this.parts.settings.shards);
  }
}

/** The queue is told as well, and the caller waits for that. */
function extendsLease(command: Command): boolean {
  return command.kind === 'update-task' && command.result.extendLease;
}
