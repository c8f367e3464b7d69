// Loads executions and brings each to where its last owner left it (invariants M5): a transition
// that stopped half-way goes on, leases that the queues remember are believed before SCHEDULED is,
// and what was promised but perhaps not done is released again: pushes, messages, runs of system
// tasks. All of it is repeatable.
import { durable } from '../std/durable.js';
import { groupBy } from '../std/group-by.js';
import type { Port } from '../std/port.js';
import { Limiter } from '../std/limiter.js';
import { shardOf, taskIdOf, type ExecutionId } from '../std/ids.js';
import { atOnce, inSlices } from '../std/slices.js';
import type { Task } from '../model/execution.js';
import { openInSteps } from '../engine/load-execution.js';
import { nextWakeAt } from '../engine/wake-up.js';
import { isRunWanted, isWorkerTask } from '../engine/task-kinds.js';
import { queueOf } from '../engine/worker-queue.js';
import { queueKey } from '../queue/queue-key.js';
import type { ExecutionStore, StoredExecution } from '../store/execution-store.js';
import type { QueueStore } from '../store/queue-store.js';
import type { AbandonedExecutions } from './abandoned.js';
import type { ActorCache } from './actor-cache.js';
import { roughBytes } from './actor-size.js';
import type { CommitPipeline } from './commit-pipeline.js';
import { ExecutionActor, type StepWorld } from './execution-actor.js';
import type { ExecutionTimers } from './execution-timers.js';
import type { SystemTasks } from './executions.js';
import { attemptKey, pushOf, recovery } from './open-work.js';
import type { HeldLoads } from './held-loads.js';
import type { OwnedShards } from './owned-shards.js';
import type { DurableOutput } from './pending-commit.js';
import type { Quarantine } from './quarantine.js';
import { shardMoved, unavailable } from './refusals.js';

const loadsAtOnceMax = 256;

export interface RecoverExecutionParts {
  readonly shards: number;
  readonly world: StepWorld;
  readonly store: Pick<ExecutionStore, 'load'>;
  readonly queues: Pick<QueueStore, 'leases'>;
  readonly owned: OwnedShards;
  readonly cache: ActorCache;
  readonly abandoned: AbandonedExecutions;
  readonly timers: ExecutionTimers;
  readonly pipeline: CommitPipeline;
  readonly loads: HeldLoads;
  readonly quarantine: Quarantine;
  readonly partners: Port<{ readonly systemTasks: Pick<SystemTasks, 'confirm'> }>;
}

/** Tasks up to which an execution is opened in one go. */
const openedAtOnceMax = 1000;

export class RecoverExecution {
  readonly #loading = new Map<ExecutionId, Promise<ExecutionActor | undefined>>();
  readonly #limiter = new Limiter(loadsAtOnceMax);

  constructor(private readonly parts: RecoverExecutionParts) {}

  /**
   * The actor of an execution, loaded if need be, once however many ask; undefined when there is
   * none. Rejects with AppError 'unavailable' while its shard is not this node's, and while the
   * store is away.
   */
  actorOf(id: ExecutionId): Promise<ExecutionActor | undefined> {
    const live = this.parts.cache.live(id);
    if (live !== undefined) return Promise.resolve(live);
    const loading = this.#loading.get(id);
    if (loading !== undefined) return loading;
    const mine = this.#limiter
      .run(() => this.#load(id))
      .finally(() => {
        if (this.#loading.get(id) === mine) this.#loading.delete(id);
      });
    this.#loading.set(id, mine);
    return mine;
  }

  /** Loads under way end with their callers; who asks from now on starts a new one. */
  forget(shards: ReadonlySet<number>): void {
    for (const id of this.#loading.keys()) {
      if (shards.has(shardOf(id, this.parts.shards))) this.#loading.delete(id);
    }
  }

  async #load(id: ExecutionId): Promise<ExecutionActor | undefined> {
    const { cache, quarantine, shards } = this.parts;
    await cache.blocked(id);
    const shard = shardOf(id, shards);
    return await quarantine.load(id, shard, () => this.#read(id, shard));
  }

  async #read(id: ExecutionId, shard: number): Promise<ExecutionActor | undefined> {
    const { abandoned, cache, owned, store, timers, world } = this.parts;
    const fence = owned.fenceOf(shard);
    if (fence === undefined) throw shardMoved();
    const reason = abandoned.reasonOf(id);
    const stored = await store.load(shard, id);
    const opening = stored && openInSteps(stored.execution);
    const isLarge = stored !== undefined && stored.execution.tasks.length > openedAtOnceMax;
    const open = opening && (isLarge ? await inSlices(opening) : atOnce(opening));
    // A record that was read before the shard was lost may be older than the stored one.
    if (owned.fenceOf(shard) !== fence) throw shardMoved();
    if (stored === undefined || open === undefined) return undefined;
    const live = cache.live(id);
    if (live) return live;
    const { head, wakeAt, dirty, compact } = stored;
    const facts = { head, wakeAt, isDirty: dirty, isCompact: compact };
    const actor = new ExecutionActor(id, shard, open, facts, world);
    this.parts.loads.loaded(actor);
    if (!compact) await this.#recover(actor, stored, reason);
    if (reason !== undefined) abandoned.done(id);
    if (cache.live(id) === undefined) timers.arm(id, nextWakeAt(actor.open));
    return cache.rejoin(actor, roughBytes(actor));
  }

  /**
   * Rejects when the actor was dropped meanwhile: its shard was lost, or its first commit was
   * refused. `endedBy`: why it is to end before anything else (abandoned.ts).
   */
  async #recover(
    actor: ExecutionActor,
    stored: StoredExecution,
    endedBy: string | undefined,
  ): Promise<void> {
    this.parts.cache.recovering(actor, true);
    // Its commits keep the mark until what that stands for has begun anew: the node may die before.
    if (stored.dirty) actor.work.begin(recovery);
    try {
      if (endedBy !== undefined) {
        await this.parts.pipeline.submit(actor, { kind: 'abandon', reason: endedBy });
      }
      if (actor.open.isBusy) await this.parts.pipeline.submit(actor, { kind: 'continue' });
      await this.#confirmWaits(actor);
      const again = await this.#promised(actor, stored);
      if (actor.isDropped) throw unavailable();
      this.parts.pipeline.release(actor, [{ outputs: again, trace: undefined }]);
      const { room } = actor.open.execution.state;
      if (stored.dirty && room !== undefined) {
        await this.parts.pipeline.submit(actor, { kind: 'ask-place' });
      }
      if (actor.work.end(recovery)) this.parts.pipeline.conclude(actor);
    } catch (error) {
      actor.drop(unavailable());
      throw error;
    } finally {
      this.parts.cache.recovering(actor, false);
    }
  }

  /**
   * The queue holds a lease of a task that is SCHEDULED here, and no push is on its way to end it.
   * A lease that this owner does not know is believed; one that a report gave back goes back.
   */
  async settleLease(actor: ExecutionActor, task: Task): Promise<void> {
    for (const given of await this.#restore(actor, [task])) {
      if (actor.isDropped || actor.work.has(pushOf(attemptKey(given)))) continue;
      const kind = 'requeue' as const;
      const again = durable({ kind, task: given, givenBackAtPoll: given.pollCount });
      this.parts.pipeline.release(actor, [{ outputs: [again], trace: undefined }]);
    }
  }

  /** A reader who is shown that a task waits may send at once the event that it waits for. */
  async #confirmWaits({ open }: ExecutionActor): Promise<void> {
    const { systemTasks } = this.parts.partners.part;
    const waiting = [...open.openTasks].filter(
      (task) => task.status === 'IN_PROGRESS' && !isWorkerTask(task),
    );
    await Promise.all(waiting.map((task) => systemTasks.confirm(open, task)));
  }

  /** The promises of the execution that may not have been kept. */
  async #promised(actor: ExecutionActor, stored: StoredExecution): Promise<DurableOutput[]> {
    const scheduled = [...actor.open.openTasks].filter(
      (task) => task.status === 'SCHEDULED' && isWorkerTask(task),
    );
    const givenBack = new Set(await this.#restoreLeases(actor, scheduled));
    const again: DurableOutput[] = [];
    for (const task of stored.dirty ? scheduled : []) {
      if (task.status !== 'SCHEDULED') continue;
      const givenBackAtPoll = givenBack.has(task) ? task.pollCount : 0;
      again.push(durable({ kind: 'requeue', task, givenBackAtPoll }));
    }
    for (const message of stored.execution.outbox.values()) {
      again.push(durable({ kind: 'send', message }));
    }
    for (const task of actor.open.openTasks) {
      if (isRunWanted(task)) again.push(durable({ kind: 'run-system-task', task }));
    }
    return again;
  }

  /** Tasks whose lease a report had given back. */
  async #restoreLeases(actor: ExecutionActor, scheduled: readonly Task[]): Promise<Task[]> {
    const byQueue = groupBy(scheduled, (task) => queueKey(queueOf(task)));
    const restoring = [...byQueue.values()].map((tasks) => this.#restore(actor, tasks));
    return (await Promise.all(restoring)).flat();
  }

  /**
   * Tasks of one queue; returns those whose lease is to go back. A lease that the record does not
   * know yet counts one poll more than the record; one that counts no more was given back by a
   * report, and the crash came before the queue heard of it.
   */
  async #restore(actor: ExecutionActor, tasks: readonly Task[]): Promise<Task[]> {
    const attempts = tasks.map((task) => ({
      taskId: taskIdOf(actor.id, task.number),
      reopenCount: task.reopenCount,
    }));
    const leases = await this.parts.queues.leases(queueOf(tasks[0] as Task), attempts);
    const givenBack: Task[] = [];
    for (const [i, task] of tasks.entries()) {
      const lease = leases[i];
      if (lease === undefined || lease.startAt === 0) continue;
      if (lease.pollCount <= task.pollCount) {
        givenBack.push(task);
        continue;
      }
      const { number, reopenCount } = task;
      const { workerId, startAt, pollCount } = lease;
      await this.parts.pipeline.submit(actor, {
        kind: 'restore-lease',
        ...{ taskNumber: number, reopenCount, workerId, startAt, pollCount },
      });
    }
    return givenBack;
  }
}
