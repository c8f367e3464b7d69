// Answers queues and polls about attempts of this node's executions (invariants M7): whether one
// that the queue has leased is still wanted, what becomes of a lease that has ended, and the
// hand-out of attempts from the head of a queue.
import { parseTaskId, shardOf } from '../std/ids.js';
import { isTerminalTask } from '../model/status.js';
import type { Task } from '../model/execution.js';
import type { QueueName } from '../engine/decision.js';
import type { AttemptOwner, Claimed, Leased, NotLeased } from '../queue/attempt-owner.js';
import type { Attempt, LeaseRecord, QueueStore } from '../store/queue-store.js';
import type { ActorCache } from './actor-cache.js';
import type { CommitPipeline } from './commit-pipeline.js';
import type { ExecutionActor } from './execution-actor.js';
import type { LeaseNumbers } from './lease-numbers.js';
import { attemptKey, pushOf } from './open-work.js';
import type { OwnedShards } from './owned-shards.js';
import type { RecoverExecution } from './recover-execution.js';
import { confirmed } from './start-execution.js';
import type { TaskTexts } from './task-texts.js';

export interface AttemptClaimsParts {
  readonly shards: number;
  readonly owned: OwnedShards;
  readonly leaseNumbers: LeaseNumbers;
  readonly cache: ActorCache;
  readonly recovery: RecoverExecution;
  readonly pipeline: CommitPipeline;
  readonly texts: TaskTexts;
  readonly queues: Pick<QueueStore, 'leases'>;
}

const noneMissing: ReadonlySet<Attempt | undefined> = new Set();

/** An attempt claimed for a poll, on the way to its lease. */
interface ReadyClaim {
  readonly actor: ExecutionActor;
  readonly task: Task;
  readonly lease: LeaseRecord;
  readonly leased: Leased;
}

export class AttemptClaims implements AttemptOwner {
  /** Tasks whose grant is on its way. */
  readonly #leasing = new Set<Task>();

  constructor(private readonly parts: AttemptClaimsParts) {}

  async claim(attempt: Attempt, workerId: string | undefined): Promise<Claimed | undefined> {
    const parsed = parseTaskId(attempt.taskId);
    const actor = parsed && (await this.parts.recovery.actorOf(parsed.executionId));
    if (!parsed || !actor) return undefined;
    const reply = await this.parts.pipeline.submit(actor, {
      kind: 'claim-task',
      taskNumber: parsed.taskNumber,
      reopenCount: attempt.reopenCount,
      workerId,
    });
    if (reply.kind !== 'claimed') return undefined;
    const { task } = reply;
    actor.work.end(pushOf(attemptKey(task)));
    return {
      text: this.parts.texts.of(actor.open, task),
      startAt: task.startAt,
      pollCount: task.pollCount,
      leaseMs: task.responseTimeoutSeconds * 1000,
    };
  }

  async leaseEnded(attempt: Attempt): Promise<boolean> {
    const parsed = parseTaskId(attempt.taskId);
    const actor = parsed && (await this.parts.recovery.actorOf(parsed.executionId));
    if (!parsed || !actor) return false;
    const { taskNumber } = parsed;
    const { reopenCount } = attempt;
    await this.parts.pipeline.submit(actor, { kind: 'end-lease', taskNumber, reopenCount });
    const task = actor.open.byNumber.get(taskNumber);
    return task?.reopenCount === reopenCount && !isTerminalTask(task.status);
  }

  get isServing(): boolean {
    return this.parts.owned.all.length > 0;
  }

  owns({ taskId }: Attempt): boolean {
    const id = parseTaskId(taskId)?.executionId;
    return id !== undefined && this.parts.owned.has(shardOf(id, this.parts.shards));
  }

  async lease(
    queue: QueueName,
    attempts: readonly Attempt[],
    workerId: string | undefined,
  ): Promise<(Leased | NotLeased)[]> {
    const loading = this.#load(attempts);
    const missing = loading === undefined ? noneMissing : new Set(await loading);
    const free = await this.#givenBack(queue, attempts);
    const claims = attempts.map((attempt) =>
      missing.has(attempt) ? 'over' : this.#claimReady(attempt, workerId, free?.has(attempt)),
    );
    const given = claims.filter((claim) => typeof claim === 'object');
    if (given.length === 0) return claims as NotLeased[];
    const shards = given.map(({ actor }) => actor.shard);
    const leases = given.map(({ lease }) => lease);
    for (const { task } of given) this.#leasing.add(task);
    const isLeased = await this.parts.pipeline.grant({ queue, leases }, shards).finally(() => {
      for (const { task } of given) this.#leasing.delete(task);
    });
    for (const { actor } of given) if (actor.isUnconfirmed) await confirmed(actor);
    let next = 0;
    return claims.map((claim) => {
      if (typeof claim !== 'object') return claim;
      if (isLeased[next++] === true) return claim.leased;
      claim.actor.unclaim(claim.task, claim.lease.attempt.reopenCount);
      this.parts.pipeline.conclude(claim.actor);
      return 'taken';
    });
  }

  /**
   * Loads executions that are not in memory; resolves with the attempts of those that do not exist.
   * undefined when all are in memory.
   */
  #load(attempts: readonly Attempt[]): Promise<(Attempt | undefined)[]> | undefined {
    const loading: Promise<Attempt | undefined>[] = [];
    for (const attempt of attempts) {
      const id = parseTaskId(attempt.taskId)?.executionId;
      if (id === undefined || this.parts.cache.live(id) !== undefined) continue;
      const missing = this.parts.recovery.actorOf(id).then(
        (actor) => (actor === undefined ? attempt : undefined),
        () => undefined,
      );
      loading.push(missing);
    }
    return loading.length === 0 ? undefined : Promise.all(loading);
  }

  /**
   * Attempts that were handed out and stand in ready all the same: their lease has gone back,
   * because the worker was gone or a claim was not answered in time. undefined when there are none.
   */
  async #givenBack(
    queue: QueueName,
    attempts: readonly Attempt[],
  ): Promise<ReadonlySet<Attempt> | undefined> {
    const suspects = attempts.filter((attempt) => this.#isOut(attempt));
    if (suspects.length === 0) return undefined;
    const leases = await this.parts.queues.leases(queue, suspects);
    return new Set(suspects.filter((_, i) => leases[i] === undefined));
  }

  #isOut(attempt: Attempt): boolean {
    const parsed = parseTaskId(attempt.taskId);
    const actor = parsed && this.parts.cache.live(parsed.executionId);
    const task = actor?.open.byNumber.get(parsed?.taskNumber ?? 0);
    return task?.status === 'IN_PROGRESS' && !this.#leasing.has(task);
  }

  /** Claims an attempt for a lease that the queue is to keep. */
  #claimReady(
    attempt: Attempt,
    workerId: string | undefined,
    isGivenBack = false,
  ): ReadyClaim | NotLeased {
    const parsed = parseTaskId(attempt.taskId);
    const actor = parsed && this.parts.cache.live(parsed.executionId);
    if (actor === undefined || actor.isBusy) return 'later';
    const taskNumber = parsed?.taskNumber ?? 0;
    const { reopenCount } = attempt;
    const wanted = actor.open.byNumber.get(taskNumber);
    if (wanted?.reopenCount !== reopenCount || isTerminalTask(wanted.status)) return 'over';
    const isFree = wanted.status === 'SCHEDULED' || (isGivenBack && !this.#leasing.has(wanted));
    if (!isFree) return 'taken';
    const task = actor.claim({ taskNumber, reopenCount, workerId });
    if (task === undefined) return 'later';
    const { startAt, pollCount, updateAt } = task;
    const lengthMs = task.responseTimeoutSeconds * 1000;
    const endAt = lengthMs === 0 ? 0 : updateAt + lengthMs;
    const leaseNumber = this.parts.leaseNumbers.next();
    const lease = { attempt, leaseNumber, workerId, startAt, pollCount, endAt };
    const text = this.parts.texts.of(actor.open, task);
    return { actor, task, lease, leased: { text, leaseNumber, endAt } };
  }

  returnLease(attempt: Attempt, leaseNumber: number): void {
    const parsed = parseTaskId(attempt.taskId);
    const actor = parsed && this.parts.cache.live(parsed.executionId);
    if (!parsed || !actor) return;
    const { taskNumber } = parsed;
    const { reopenCount } = attempt;
    this.parts.pipeline
      .submit(actor, { kind: 'release-lease', taskNumber, reopenCount, leaseNumber })
      .catch(() => undefined); // Its lease ends by itself then.
  }
}
