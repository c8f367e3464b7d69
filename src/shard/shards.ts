// Executions of the shards that this node owns: the hub between commands from outside, actors,
// group commit and everything that is released behind the gate. It wires and dispatches; each
// mechanism has its own file beside it.
//
// When a write fails or its outcome is unclear, all executions leave memory (invariants M3): the
// node takes its shards again under new tokens and goes on from what is stored. Callers that waited
// are told that the outcome is unknown.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../std/clock.js';
import { parseExecutionId, shardOf, taskIdOf, type ExecutionId } from '../std/ids.js';
import { SparseSet } from '../std/sparse.js';
import { currentTrace } from '../telemetry/trace.js';
import { AppError } from '../model/errors.js';
import type { Task } from '../model/execution.js';
import { isTerminalWorkflow } from '../model/status.js';
import type { Command } from '../engine/command.js';
import type { EngineContext } from '../engine/context.js';
import type { Output, Reply } from '../engine/decision.js';
import { createExecution, openExecution } from '../engine/load-execution.js';
import { nextWakeAt, type OpenExecution } from '../engine/open-execution.js';
import { queueOf } from '../engine/worker-queue.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Commit, ExecutionStore, Fence, StoredExecution } from '../store/execution-store.js';
import type { QueueStore } from '../store/queue-store.js';
import type { PollHub } from '../queue/poll-hub.js';
import { Activation } from './activation.js';
import { Admission } from './admission.js';
import { commandBytes, roughBytes } from './actor-size.js';
import { isDirty, isFinished, planCommit } from './commit-plan.js';
import { DirtyMarks } from './dirty-marks.js';
import type { MessageDelivery } from './message-delivery.js';
import { ExecutionActor, type ActorHost } from './execution-actor.js';
import type { CommandOptions, Executions, StartRequest } from './executions.js';
import type { Flight } from './flight.js';
import { GroupCommit } from './group-commit.js';
import { HandOut, type ResolveSecrets } from './hand-out.js';
import { IdempotentStart } from './idempotent-start.js';
import { Outbox, type SystemTasks } from './outbox.js';
import { RandomIds } from './random-ids.js';
import { changedElsewhere, notFound, unavailable } from './refusals.js';
import { Removal } from './removal.js';
import { Releases } from './releases.js';
import { Residency } from './residency.js';
import { WakeUps } from './wake-ups.js';
import { Watchers } from './watchers.js';

export interface ShardSettings {
  shards: number;
  actorBytesMax: number;
  commitsPerBatchMax: number;
  retentionMs: number;
  /** Bytes of reported payloads that may wait for their commit; then 503. */
  uncommittedBytesMax: number;
  /** How long a control waits for the messages that it caused, ms. */
  settleTimeoutMs: number;
  plantReplyBeforeCommit: boolean;
  plantPushNotRepeated: boolean;
}

export interface ShardsParts {
  clock: Clock;
  store: ExecutionStore;
  queues: QueueStore;
  sandbox: Sandbox;
  settings: ShardSettings;
  hub: () => PollHub;
  context: () => EngineContext;
  systemTasks: (shards: Shards) => SystemTasks;
  delivery: (shards: Shards) => MessageDelivery;
  fenceOf: (shard: number) => Fence | undefined;
  ownedShards: () => readonly number[];
  secret: () => Buffer;
  /** Why starts are refused now (memory of the store), undefined when they are not. */
  startsRefused: () => string | undefined;
  resolveSecrets: ResolveSecrets | undefined;
  /** A write failed or another owner has a shard: the shards must be taken again. */
  lost: (error: unknown) => void;
  measured: (size: number, gateMs: number) => void;
  count: (metric: string, label: string) => void;
  failed: (error: unknown) => void;
}

export class Shards implements Executions, ActorHost {
  readonly sandbox: Sandbox;
  readonly handOut: HandOut;
  readonly groupCommit: GroupCommit;
  readonly residency: Residency;
  readonly wakeUps: WakeUps;
  readonly #admission: Admission;
  readonly #watchers: Watchers;
  readonly #delivery: MessageDelivery;
  readonly #activation: Activation;
  readonly #outbox: Outbox;
  readonly #releases: Releases;
  readonly #dirtyMarks: DirtyMarks;
  readonly #idempotentStart: IdempotentStart;
  readonly #removal: Removal;
  readonly #starting = new Map<ExecutionId, Promise<ExecutionActor>>();
  readonly #extending = new Map<Task, Promise<unknown>>();
  /** Being brought to where their last owner left them; not in memory for anybody else yet. */
  readonly #resuming = new Set<ExecutionActor>();
  #serving = false;
  /** How often the shards were lost. */
  #tenure = 0;
  readonly #randomIds = new RandomIds();
  readonly #headPrefix = randomBytes(6).toString('base64url');
  #headCounter = 0;

  constructor(private readonly parts: ShardsParts) {
    const { clock, store, settings } = parts;
    this.sandbox = parts.sandbox;
    this.handOut = new HandOut({
      clock,
      hub: parts.hub,
      actorOf: (id) => this.actorOf(id),
      settled: (actor) => this.settled(actor),
      resolveSecrets: parts.resolveSecrets,
    });
    this.groupCommit = new GroupCommit({
      store,
      commitOf: (actor, flight) => this.#plan(actor, flight, false),
      landed: (actor, flight, commit) => this.#landed(actor, flight, commit),
      refused: (actor, result) => this.#refused(actor, result),
      failed: (error) => parts.lost(error),
      measured: parts.measured,
      monotonic: () => clock.monotonic(),
      commitsPerBatchMax: settings.commitsPerBatchMax,
      plantReplyBeforeCommit: settings.plantReplyBeforeCommit,
    });
    this.residency = new Residency(
      settings.actorBytesMax,
      (id) => this.#load(id),
      (actor) => !this.#watchers.has(actor.id),
    );
    this.#admission = new Admission({
      serving: () => this.#serving,
      uncommittedBytesMax: settings.uncommittedBytesMax,
      startsRefused: parts.startsRefused,
    });
    this.#watchers = new Watchers(clock);
    this.wakeUps = new WakeUps({
      clock,
      store,
      shards: parts.ownedShards,
      wake: (id) => void this.#wake(id).catch((error: unknown) => this.#wakeLater(id, error)),
      failed: parts.failed,
    });
    this.#delivery = parts.delivery(this);
    this.#activation = new Activation({
      queues: parts.queues,
      handOut: this.handOut,
      delivery: this.#delivery,
      runSystemTask: (actor, task) => this.#runSystemTask(actor, task),
      plantPushNotRepeated: settings.plantPushNotRepeated,
    });
    this.#dirtyMarks = new DirtyMarks({
      clock,
      store,
      fenceOf: parts.fenceOf,
      cleared: (actor) => this.#leaveIfFinished(actor),
      failed: parts.failed,
    });
    this.#outbox = new Outbox({
      handOut: this.handOut,
      delivery: this.#delivery,
      systemTasks: parts.systemTasks(this),
      extend: (actor, task) => this.#extend(actor, task),
      count: parts.count,
    });
    this.#releases = new Releases(
      (actor, output) => this.#release(actor, output),
      (actor) => this.settled(actor),
    );
    this.#removal = new Removal({
      store,
      handOut: this.handOut,
      existing: (id) => this.#existing(id),
      isLive: (actor) => !actor.dropped && this.residency.live(actor.id) === actor,
      plan: (actor) => this.#plan(actor, actor.collecting(), true),
      forget: (actor) => this.residency.remove(actor),
      refused: (actor, result) => this.#refused(actor, result),
    });
    this.#idempotentStart = new IdempotentStart({
      secret: parts.secret,
      shards: settings.shards,
      record: (shard, name, key) => store.idempotency(shard, name, key),
      statusOf: (id) => this.read(id, (open) => open.execution.state.status),
      start: async (id, request, idempotency) => {
        await this.#startAs(id, request, idempotency);
      },
    });
  }

  get uncommittedBytes(): number {
    return this.#admission.uncommittedBytes;
  }

  // ---- Executions ----

  async start(request: StartRequest): Promise<ExecutionId> {
    this.#admission.admitStart();
    const bytes = request.input.text.length;
    this.#admission.hold(bytes);
    try {
      if (request.idempotency) {
        return await this.#idempotentStart.start(request, request.idempotency);
      }
      // Nobody else can ask for an id that was drawn just now.
      const starting =
        request.id === undefined
          ? this.#startNew(this.#randomId(), request, undefined)
          : this.#startAs(request.id, request, undefined);
      return (await starting).id;
    } finally {
      this.#admission.letGo(bytes);
    }
  }

  /** Starts under a derived id, or finds the execution that is already there. */
  async startDerived(id: ExecutionId, request: StartRequest): Promise<ExecutionActor> {
    this.#admission.admit();
    return (await this.actorOf(id)) ?? this.#startAs(id, request, undefined);
  }

  async command(id: string, command: Command, options?: CommandOptions): Promise<Reply> {
    this.#admission.admit();
    const actor =
      this.residency.live(id as ExecutionId) ?? this.residency.rejoined(await this.#existing(id));
    const outboxBefore = actor.open.execution.state.outboxCounter;
    const bytes = commandBytes(command);
    this.#admission.hold(bytes);
    let reply: Reply;
    try {
      reply = await actor.submit(command, currentTrace());
    } finally {
      this.#admission.letGo(bytes);
    }
    if (reply.kind === 'refused') throw reply.error;
    if (options?.awaitDelivery) {
      const { settleTimeoutMs } = this.parts.settings;
      await this.#delivery.settled(actor, outboxBefore, settleTimeoutMs, options.awaitStarts);
    }
    if (reply.kind === 'updated' && reply.task && this.#extending.size > 0) {
      await this.#extending.get(reply.task);
    }
    return reply;
  }

  async read<T>(id: string, view: (open: OpenExecution) => T): Promise<T | undefined> {
    const parsed = parseExecutionId(id);
    if (parsed === undefined) return undefined;
    let actor = await this.actorOf(parsed);
    // Dropped since it was found: what it knows may never have been stored.
    if (actor?.dropped) actor = await this.actorOf(parsed);
    if (actor === undefined) return undefined;
    if (actor.dropped) throw unavailable();
    const seen = view(actor.open);
    this.#leaveIfFinished(actor);
    if (actor.pending === undefined && actor.inFlight === undefined) return seen;
    return new Promise((resolve, reject) => actor.gate(() => resolve(seen), reject));
  }

  async watch<T>(options: {
    id: string;
    until: (open: OpenExecution) => boolean;
    timeoutMs: number;
    view: (open: OpenExecution, timedOut: boolean) => T;
  }): Promise<T> {
    const actor = await this.#existing(options.id);
    const timedOut =
      !options.until(actor.open) &&
      (await new Promise<boolean>((resolve) => {
        this.#watchers.add(actor.id, options.until, {
          timeoutMs: options.timeoutMs,
          reached: () => resolve(false),
          timedOut: () => resolve(true),
        });
      }));
    const seen = await this.read(options.id, (open) => ({ view: options.view(open, timedOut) }));
    if (seen === undefined) throw notFound(options.id);
    return seen.view;
  }

  async remove(id: string): Promise<void> {
    this.#admission.admit();
    await this.#removal.remove(id);
  }

  // ---- ActorHost ----

  context(): EngineContext {
    return this.parts.context();
  }

  settled(actor: ExecutionActor): void {
    if (actor.dropped) return;
    this.#lookAtOutputs(actor);
    this.#watchers.look(actor.id, actor.open);
    this.#arm(actor);
    const flight = actor.pending;
    if (flight === undefined) {
      if (actor.dirtyStored && !isDirty(actor)) this.#dirtyMarks.strikeOff(actor);
      this.#leaveIfFinished(actor);
    } else if (flight.mustWrite) this.groupCommit.ready(actor);
    else this.#releaseUnwritten(actor, flight);
  }

  progressed(actor: ExecutionActor): void {
    if (actor.pending?.mustWrite) this.groupCommit.ready(actor);
  }

  broken(actor: ExecutionActor, error: unknown): void {
    this.parts.failed(error);
    this.parts.count('assertions_failed', 'actor');
    const cause = error instanceof Error ? error.message : String(error);
    actor.drop(
      new AppError('internal', `The execution ${actor.id} was reloaded after an internal error`, {
        cause,
      }),
    );
    this.residency.remove(actor);
  }

  // ---- ownership ----

  get isServing(): boolean {
    return this.#serving;
  }

  /**
   * The shards are this node's: serve them, outbox messages and due timers first. Resolves once the
   * dirty ones are under way.
   */
  async takeOver(shards: readonly number[]): Promise<void> {
    this.groupCommit.resume();
    this.#serving = true;
    this.parts.hub().wakeAll();
    await this.wakeUps.lookAt(shards);
    const dirty = await Promise.all(shards.map((shard) => this.parts.store.dirty(shard)));
    for (const id of dirty.flat()) this.#activate(id);
    for (const id of this.#watchers.ids()) this.#activate(id);
  }

  /** Loads an execution that has something to do, until that succeeds or the shards are lost. */
  #activate(id: ExecutionId): void {
    const tenure = this.#tenure;
    this.actorOf(id).catch((error: unknown) => {
      if (tenure !== this.#tenure) return;
      this.parts.failed(error);
      this.parts.clock.after(retryMs, () => {
        if (tenure === this.#tenure && this.#serving) this.#activate(id);
      });
    });
  }

  /** Forgets everything in memory; callers that wait learn that the outcome is unknown. */
  dropAll(): void {
    this.#serving = false;
    this.#tenure += 1;
    this.groupCommit.halt();
    const error = new AppError(
      'unknown-outcome',
      'The store did not confirm in time: the outcome is unknown, repeat the request',
      { retryAfterSeconds: 1 },
    );
    for (const actor of [...this.residency.clear(), ...this.#resuming]) actor.drop(error);
    this.parts.hub().reset();
  }

  /** Lets what is decided get out; for a stop. */
  async drain(): Promise<void> {
    this.#serving = false;
    await this.groupCommit.drained();
  }

  /**
   * The actor of an execution, loaded if need be; undefined when there is none. Rejects while the
   * store is away.
   */
  actorOf(id: ExecutionId): Promise<ExecutionActor | undefined> {
    if (!this.#serving) return Promise.reject(unavailable());
    return this.residency.get(id);
  }

  // ---- inside ----

  async #existing(id: string): Promise<ExecutionActor> {
    if (id.trim() === '') {
      throw new AppError('bad-request', 'WorkflowId cannot be null or empty.');
    }
    const parsed = parseExecutionId(id);
    const actor = parsed && (await this.actorOf(parsed));
    if (!actor) throw notFound(id);
    return actor;
  }

  #randomId(): ExecutionId {
    const id = this.#randomIds.next(this.parts.ownedShards());
    if (id === undefined) throw unavailable();
    return id;
  }

  #startAs(
    id: ExecutionId,
    request: StartRequest,
    idempotency: Flight['idempotency'],
  ): Promise<ExecutionActor> {
    const running = this.#starting.get(id);
    if (running) return running;
    const starting = this.#startNew(id, request, idempotency).finally(() =>
      this.#starting.delete(id),
    );
    this.#starting.set(id, starting);
    return starting;
  }

  async #startNew(
    id: ExecutionId,
    request: StartRequest,
    idempotency: Flight['idempotency'],
  ): Promise<ExecutionActor> {
    const shard = shardOf(id, this.parts.settings.shards);
    const actor = new ExecutionActor(id, shard, openExecution(createExecution(id)), '', this);
    actor.queued = new SparseSet();
    this.residency.add(actor);
    actor.collecting().idempotency = idempotency;
    const { snapshot, attributes, input } = request;
    const start = { kind: 'start', snapshot, attributes, input } as const;
    const reply = await actor.submit(start, currentTrace());
    if (reply.kind === 'refused') {
      actor.drop(reply.error);
      this.residency.remove(actor);
      throw reply.error;
    }
    return actor;
  }

  async #load(id: ExecutionId): Promise<ExecutionActor | undefined> {
    const starting = this.#starting.get(id);
    if (starting) return starting;
    await this.#removal.underWay(id);
    const shard = shardOf(id, this.parts.settings.shards);
    const tenure = this.#tenure;
    const stored = await this.parts.store.load(shard, id);
    // What was read before the shards were lost may be older than what is stored now.
    if (tenure !== this.#tenure) throw unavailable();
    if (stored === undefined) return undefined;
    const live = this.residency.live(id);
    if (live) return live;
    const actor = new ExecutionActor(id, shard, openExecution(stored.execution), stored.head, this);
    actor.wakeStoredAt = stored.wakeAt;
    actor.dirtyStored = stored.dirty;
    actor.compactStored = stored.compact;
    actor.bytes = roughBytes(actor);
    if (!stored.compact) await this.#resume(actor, stored);
    if (this.residency.live(id) === undefined) this.#arm(actor);
    return this.residency.rejoined(actor);
  }

  /**
   * Rejects when the actor was dropped meanwhile: its shards were lost, or its first commit was
   * refused.
   */
  async #resume(actor: ExecutionActor, stored: StoredExecution): Promise<void> {
    this.#resuming.add(actor);
    try {
      await this.#activation.resume(actor, stored);
      if (actor.dropped) throw unavailable();
    } catch (error) {
      actor.drop(unavailable());
      throw error;
    } finally {
      this.#resuming.delete(actor);
    }
  }

  #arm(actor: ExecutionActor): void {
    const wakeAt = nextWakeAt(actor.open);
    if (wakeAt === 0 || wakeAt === actor.wakeArmedAt) return;
    actor.wakeArmedAt = wakeAt;
    this.wakeUps.arm(actor.id, wakeAt);
  }

  async #wake(id: ExecutionId): Promise<void> {
    const found = await this.actorOf(id);
    if (found === undefined) return;
    const actor = this.residency.rejoined(found);
    actor.wakeArmedAt = 0;
    await actor.submit({ kind: 'wake' });
    const now = this.parts.clock.now();
    if (actor.wakeStoredAt !== 0 && actor.wakeStoredAt <= now && !actor.dropped) {
      // The stored moment has passed: store the next one, or none.
      actor.collecting().rewake = true;
      this.settled(actor);
    }
  }

  /** A wake-up that could not be carried out is not lost: it comes again until it is. */
  #wakeLater(id: ExecutionId, error: unknown): void {
    if (!this.#serving) return; // Taking the shards again looks at all that is due.
    this.parts.failed(error);
    this.wakeUps.arm(id, this.parts.clock.now() + retryMs);
  }

  #plan(actor: ExecutionActor, flight: Flight, remove: boolean): Commit | undefined {
    const fence = this.parts.fenceOf(actor.shard);
    if (fence === undefined) return undefined;
    this.#headCounter += 1;
    return planCommit(actor, flight, {
      fence,
      nextHead: `${this.#headPrefix}${this.#headCounter.toString(36)}`,
      retentionMs: this.parts.settings.retentionMs,
      remove,
    });
  }

  /**
   * Looks at what the turn decided, before it is flushed: tasks go to polls that wait, the rest is
   * kept for the gate.
   */
  #lookAtOutputs(actor: ExecutionActor): void {
    const { fresh } = actor;
    for (let i = 0; i < fresh.length; i += 1) {
      const output = fresh[i];
      if (output === undefined) continue;
      // A large fork's branches are offered behind the gate, in portions.
      const may = i < matchesPerTurn;
      if (output.kind === 'schedule' && this.handOut.match(actor, output.task, may)) continue;
      if (output.kind === 'run-system-task') actor.running.add(output.task.number);
      actor.collecting().outputs.push(output);
    }
    if (fresh.length > 0) fresh.length = 0;
  }

  #releaseUnwritten(actor: ExecutionActor, flight: Flight): void {
    actor.pending = undefined;
    if (actor.inFlight !== undefined) {
      actor.inFlight.outputs.push(...flight.outputs);
      actor.inFlight.waiters.push(...flight.waiters);
      return;
    }
    flight.pass();
    this.#releases.add(actor, flight.outputs);
  }

  #landed(actor: ExecutionActor, flight: Flight, commit: Commit): void {
    actor.head = commit.nextHead;
    if (commit.wakeAt !== undefined) actor.wakeStoredAt = commit.wakeAt;
    if (commit.dirty !== undefined) actor.dirtyStored = commit.dirty;
    actor.compactStored = commit.compactUntilAt !== undefined;
    flight.pass();
    this.#releases.add(actor, flight.outputs);
    this.residency.resize(actor, roughBytes(actor));
    if (actor.pending !== undefined) return;
    if (actor.dirtyStored && !isDirty(actor)) this.#dirtyMarks.strikeOff(actor);
    this.#leaveIfFinished(actor);
  }

  #release(actor: ExecutionActor, output: Output): void {
    if (output.kind === 'run-system-task') this.#runSystemTask(actor, output.task);
    else this.#outbox.release(actor, output);
  }

  #runSystemTask(actor: ExecutionActor, task: Task): void {
    actor.running.add(task.number);
    this.#outbox.runSystemTask(actor, task, () => {
      actor.running.delete(task.number);
      this.settled(actor);
    });
  }

  #refused(actor: ExecutionActor, result: 'stale-owner' | 'wrong-head'): void {
    this.parts.count(
      result === 'stale-owner' ? 'commits_refused_fence' : 'commits_refused_chain',
      '',
    );
    if (result === 'stale-owner') {
      this.parts.lost(new Error(`Shard ${actor.shard} has another owner`));
      return;
    }
    this.residency.remove(actor);
    actor.drop(changedElsewhere());
  }

  #extend(actor: ExecutionActor, task: Task): void {
    const endAt =
      task.responseTimeoutSeconds === 0
        ? 0
        : this.parts.clock.now() + task.responseTimeoutSeconds * 1000;
    const attempt = { taskId: taskIdOf(actor.id, task.number), reopenCount: task.reopenCount };
    const extending = this.parts.queues
      .extend(queueOf(task), attempt, endAt)
      .finally(() => this.#extending.delete(task));
    this.#extending.set(task, extending);
    extending.catch(this.parts.failed);
  }

  #leaveIfFinished(actor: ExecutionActor): void {
    if (!isTerminalWorkflow(actor.open.execution.state.status)) return;
    if (!actor.atRest || !isFinished(actor) || this.#watchers.has(actor.id)) return;
    this.residency.remove(actor);
  }
}

const matchesPerTurn = 200;
/** After a load or a wake-up that failed. */
const retryMs = 1000;
