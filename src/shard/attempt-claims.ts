// Answers queues and polls about attempts of this node's executions (invariants M7): whether one
// that the queue has leased is still wanted, what becomes of a lease that has ended, and the
// hand-out of attempts from the head of a queue.
import { executionOf, numberOf, parseTaskId, shardOf, type ExecutionId } from '../std/ids.js';
import { publishesStart } from '../engine/state-changes.js';
import { isTerminalTask } from '../model/status.js';
import type { Task } from '../model/execution.js';
import type { QueueName } from '../engine/decision.js';
import type {
  AttemptOwner,
  Claimed,
  Leased,
  LeaseWish,
  NotLeased,
} from '../queue/attempt-owner.js';
import type { Attempt, LeaseRecord, QueueStore } from '../store/queue-store.js';
import type { ActorCache } from './actor-cache.js';
import type { CommitPipeline } from './commit-pipeline.js';
import type { ExecutionActor } from './execution-actor.js';
import type { LeaseNumbers } from './lease-numbers.js';
import { attemptKey, pushOf } from './open-work.js';
import type { OwnedShards } from './owned-shards.js';
import type { RecoverExecution } from './recover-execution.js';
import { unavailable } from './refusals.js';
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

/** Where an attempt of the head is, and what was found out about it. */
interface Place {
  readonly attempt: Attempt;
  readonly id: ExecutionId;
  readonly taskNumber: number;
  /** The execution in memory at the last `#look`; undefined: none. */
  actor: ExecutionActor | undefined;
  task: Task | undefined;
  isMissing: boolean;
  isGivenBack: boolean;
}

function placeOf(attempt: Attempt): Place {
  const id = executionOf(attempt.taskId);
  const taskNumber = numberOf(attempt.taskId);
  const nothing = { actor: undefined, task: undefined };
  return { attempt, id, taskNumber, ...nothing, isMissing: false, isGivenBack: false };
}

/** An attempt claimed for a poll, on the way to its lease. */
interface ReadyClaim {
  readonly actor: ExecutionActor;
  readonly task: Task;
  readonly lease: LeaseRecord;
  readonly leased: Leased;
  /** Where the execution is traced: epoch ms with fractions. */
  readonly claimedAt: number;
  /** Before the claim. False: it was in progress, and its lease had gone back. */
  readonly wasScheduled: boolean;
}

export class AttemptClaims implements AttemptOwner {
  /**
   * Tasks whose grant is on its way, with the number of its lease, until somebody else claims the
   * attempt. Not with the claim: a table that the map has outgrown would keep what it named, with
   * the text of the task, until the next collection of old objects.
   */
  readonly #leasing = new Map<Task, number>();
  /**
   * Tasks that a script has popped, while its claim is carried out: its answer may have to wait for
   * a commit, and a grant that is refused meanwhile leaves that claim alone.
   */
  readonly #claiming = new Set<Task>();

  constructor(private readonly parts: AttemptClaimsParts) {}

  async claim(attempt: Attempt, workerId: string | undefined): Promise<Claimed | undefined> {
    const parsed = parseTaskId(attempt.taskId);
    const actor = parsed && (await this.parts.recovery.actorOf(parsed.executionId));
    if (!parsed || !actor) return undefined;
    const wanted = actor.open.byNumber.get(parsed.taskNumber);
    // No queue can have it yet: it was popped before the hand-out that a report has ended.
    if (actor.work.isDecided(pushOf(attemptKey({ ...attempt, number: parsed.taskNumber })))) {
      throw unavailable();
    }
    if (wanted !== undefined) this.#claiming.add(wanted);
    try {
      return await this.#claimPopped(actor, attempt, { ...parsed, workerId });
    } finally {
      if (wanted !== undefined) this.#claiming.delete(wanted);
    }
  }

  async #claimPopped(
    actor: ExecutionActor,
    { reopenCount }: Attempt,
    { taskNumber, workerId }: { taskNumber: number; workerId: string | undefined },
  ): Promise<Claimed | undefined> {
    const claim = { kind: 'claim-task', taskNumber, reopenCount, workerId } as const;
    const claimedAt = actor.spans?.now() ?? 0;
    const reply = await this.parts.pipeline.submit(actor, claim);
    if (reply.kind !== 'claimed') return undefined;
    const { task } = reply;
    actor.spans?.handedOut(task, claimedAt);
    // The queue has leased it: a grant on its way does not come about.
    this.#leasing.delete(task);
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
    const task = actor.open.byNumber.get(taskNumber);
    if (task?.status === 'SCHEDULED' && task.reopenCount === reopenCount) {
      await this.parts.recovery.settleLease(actor, task);
    }
    await this.parts.pipeline.submit(actor, { kind: 'end-lease', taskNumber, reopenCount });
    const isOpen = task?.reopenCount === reopenCount && !isTerminalTask(task.status);
    // The queue forgets an attempt only once its end is durable.
    if (!isOpen && actor.isUnconfirmed) await confirmed(actor);
    return isOpen;
  }

  get isServing(): boolean {
    return this.parts.owned.all.length > 0;
  }

  owns({ taskId }: Attempt): boolean {
    return this.parts.owned.has(shardOf(executionOf(taskId), this.parts.shards));
  }

  async lease(wish: LeaseWish): Promise<(Leased | NotLeased)[]> {
    const { queue, attempts, workerId } = wish;
    const places = attempts.map(placeOf);
    this.#look(places);
    if (places.some(({ actor }) => actor === undefined)) await this.#load(places);
    const suspects = this.#suspects(places);
    if (suspects.length > 0) await this.#findGivenBack(queue, places, suspects);
    const claims: (ReadyClaim | NotLeased)[] = [];
    for (const [i, place] of places.entries()) {
      if (waitsForPush(place)) {
        claims.push('later');
        continue;
      }
      if (wish.mustEnd === true && place.task?.responseTimeoutSeconds === 0) {
        claims.push('by-script');
        continue;
      }
      if (publishes(place)) {
        claims.push(await this.#claimByStep(place, workerId));
        this.#look(places.slice(i + 1));
      } else claims.push(this.#claimReady(place, workerId));
    }
    const given = claims.filter((claim) => typeof claim === 'object');
    if (given.length === 0) return claims as NotLeased[];
    const isLeased = await this.#grant(queue, given);
    for (const { actor } of given) if (actor.isUnconfirmed) await confirmed(actor);
    let next = 0;
    return claims.map((claim) => {
      if (typeof claim !== 'object') return claim;
      if (isLeased[next++] !== true) return 'taken';
      claim.actor.spans?.handedOut(claim.task, claim.claimedAt);
      return claim.leased;
    });
  }

  /**
   * Takes a claim back whose grant did not come about, unless the attempt is somebody else's by
   * now: a script of the store that had popped it may have claimed it meanwhile.
   */
  #unclaim({ actor, task, lease, wasScheduled }: ReadyClaim): void {
    if (!wasScheduled) return;
    actor.unclaim(task, lease.attempt.reopenCount);
    this.parts.pipeline.conclude(actor);
  }

  async #grant(queue: QueueName, claims: readonly ReadyClaim[]): Promise<readonly boolean[]> {
    const shards: number[] = [];
    const leases: LeaseRecord[] = [];
    for (const claim of claims) {
      shards.push(claim.actor.shard);
      leases.push(claim.lease);
      this.#leasing.set(claim.task, claim.lease.leaseNumber);
    }
    let isLeased: readonly boolean[] = [];
    try {
      isLeased = await this.parts.pipeline.grant({ queue, leases }, shards);
    } finally {
      for (const [i, claim] of claims.entries()) {
        if (this.#leasing.get(claim.task) !== claim.lease.leaseNumber) continue;
        this.#leasing.delete(claim.task);
        const isClaimed = this.#claiming.has(claim.task);
        if (isLeased[i] === false && !isClaimed) this.#unclaim(claim);
      }
    }
    return isLeased;
  }

  /** Once for each attempt, and again for those that are left after each wait. */
  #look(places: readonly Place[]): void {
    for (const place of places) {
      place.actor = this.parts.cache.live(place.id);
      place.task = place.actor?.open.byNumber.get(place.taskNumber);
    }
  }

  /** Loads executions that are not in memory, and notes which do not exist. */
  async #load(places: readonly Place[]): Promise<void> {
    const { recovery } = this.parts;
    const missing = places.filter(({ actor }) => actor === undefined);
    const loading = missing.map(async (place) => {
      place.isMissing = (await recovery.actorOf(place.id)) === undefined;
    });
    // One that cannot be loaded now is found in ready again.
    await Promise.allSettled(loading);
    this.#look(places);
  }

  /** Attempts that were handed out and stand in ready all the same. */
  #suspects(places: readonly Place[]): Place[] {
    return places.filter(({ task }) => task?.status === 'IN_PROGRESS' && !this.#leasing.has(task));
  }

  /**
   * Notes of which suspects the lease has gone back, because the worker was gone or a claim was not
   * answered in time.
   */
  async #findGivenBack(
    queue: QueueName,
    places: readonly Place[],
    suspects: readonly Place[],
  ): Promise<void> {
    const attempts = suspects.map(({ attempt }) => attempt);
    const leases = await this.parts.queues.leases(queue, attempts);
    for (const [i, place] of suspects.entries()) place.isGivenBack = leases[i] === undefined;
    this.#look(places);
  }

  /** Claims an attempt for a lease that the queue is to keep. */
  #claimReady(place: Place, workerId: string | undefined): ReadyClaim | NotLeased {
    const { attempt, taskNumber } = place;
    const { reopenCount } = attempt;
    const { actor, task: wanted } = place;
    if (actor === undefined) return place.isMissing ? 'over' : 'later';
    // Without its lease the node may not believe its memory: another one may own the shard.
    if (actor.isBusy || !this.parts.owned.accepts(actor.shard)) return 'later';
    if (wanted?.reopenCount !== reopenCount || isTerminalTask(wanted.status)) {
      // Its lease ends with the commit that ends it, not before: that commit may not get through,
      // and the next owner would hand the attempt out a second time (invariants I5).
      return actor.isUnconfirmed ? 'taken' : 'over';
    }
    const isGivenBack = place.isGivenBack && !this.#leasing.has(wanted);
    if (wanted.status !== 'SCHEDULED' && !isGivenBack) return 'taken';
    const wasScheduled = wanted.status === 'SCHEDULED';
    const task = actor.claim({ taskNumber, reopenCount, workerId });
    return task === undefined ? 'taken' : this.#toClaim({ place, actor, task, wasScheduled });
  }

  async #claimByStep(place: Place, workerId: string | undefined): Promise<ReadyClaim | NotLeased> {
    const { actor } = place;
    if (actor === undefined || actor.isBusy) return 'later';
    if (!this.parts.owned.accepts(actor.shard)) return 'later';
    const { taskNumber, attempt } = place;
    const { reopenCount } = attempt;
    const claim = { kind: 'claim-task', taskNumber, reopenCount, workerId } as const;
    const wasScheduled = place.task?.status === 'SCHEDULED';
    const reply = await this.parts.pipeline.submit(actor, claim);
    if (reply.kind !== 'claimed') return 'over';
    return this.#toClaim({ place, actor, task: reply.task, wasScheduled });
  }

  #toClaim(claimed: {
    place: Place;
    actor: ExecutionActor;
    task: Task;
    wasScheduled: boolean;
  }): ReadyClaim {
    const { task, actor, wasScheduled } = claimed;
    const { attempt } = claimed.place;
    const workerId = task.workerId;
    const { startAt, pollCount, updateAt } = task;
    const lengthMs = task.responseTimeoutSeconds * 1000;
    const endAt = lengthMs === 0 ? 0 : updateAt + lengthMs;
    const leaseNumber = this.parts.leaseNumbers.next();
    const lease = { attempt, leaseNumber, workerId, startAt, pollCount, endAt };
    const text = this.parts.texts.of(actor.open, task);
    const claimedAt = actor.spans?.now() ?? 0;
    return { actor, task, lease, leased: { text, leaseNumber, endAt }, wasScheduled, claimedAt };
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

/**
 * Whether the task is SCHEDULED and its push has not been carried out: the head saw it in ready
 * before its last hand-out. A claim now would count as the hand-out that the push is for. The push
 * would then not be sent, and the grant would be refused.
 */
function waitsForPush({ actor, task }: Place): boolean {
  if (task?.status !== 'SCHEDULED' || actor?.work.isEmpty !== false) return false;
  return actor.work.has(pushOf(attemptKey(task)));
}

/** A start of the task publishes events, which takes a step. */
function publishes({ actor, task }: Place): boolean {
  return (
    actor !== undefined && task !== undefined && publishesStart(actor.context, actor.open, task)
  );
}
