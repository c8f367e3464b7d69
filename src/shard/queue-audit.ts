// The rolling check for work that its queue has lost (invariants I6, I14; M5). A task that is
// SCHEDULED in its execution is the promise that it will be in its queue; pushes and takeovers keep
// it as long as queues keep what they were given. A queue that lost members (a failover, a key that
// somebody removed) is found only by comparing it with the tasks. That is done here, shard after
// shard, once in half a minute:
//
//   SCHEDULED, neither waiting nor leased   pushed again
//   SCHEDULED, and leased for a hand-out    pushed again
//     that was given back
//   lease long past its end                 the queue lost the end: a provisional lease is given
//                                           back, a full one ends at its owner
//   IN_PROGRESS, no lease, past its time    the queue lost the lease: it ends at its owner, as a
//                                           response timeout
//
// Each repair is counted; while all is well there is none. Tasks that moved within the last seconds
// are left alone, so busy executions cost nothing here. An execution that is not in memory is read
// and not loaded, at a bounded rate: with many of them a round takes longer. A shard of which its
// owner knows that no execution is open (shard-outlook.ts) is not read.
import { breathe } from '../std/breather.js';
import { durable } from '../std/durable.js';
import { groupBy } from '../std/group-by.js';
import type { Clock } from '../std/clock.js';
import { taskIdOf, type ExecutionId } from '../std/ids.js';
import { PeriodicService } from '../std/periodic-service.js';
import type { Task } from '../model/execution.js';
import { isWorkerTask } from '../engine/task-kinds.js';
import { queueOf } from '../engine/worker-queue.js';
import { queueKey } from '../queue/queue-key.js';
import type { ExecutionStore, StoredExecution } from '../store/execution-store.js';
import type { Attempt, LeaseRecord, QueueStore } from '../store/queue-store.js';
import type { ActorCache } from './actor-cache.js';
import type { AttemptClaims } from './attempt-claims.js';
import type { CommitPipeline } from './commit-pipeline.js';
import type { ShardMonitor } from './executions.js';
import { attemptKey, pushOf } from './open-work.js';
import type { OwnedShards } from './owned-shards.js';
import type { Quarantine } from './quarantine.js';
import type { RecoverExecution } from './recover-execution.js';
import type { ShardOutlook } from './shard-outlook.js';

export const auditEveryMs = 1000;
/** A round over all shards takes so many checks, if reading does not make it longer. */
export const checksPerRound = 25;
/** Tasks younger than this may be on their way. */
const settleMs = 5_000;
const executionsPerCheckMax = 5_000;
const readsPerCheckMax = 100;
const idsPerPage = 100;
/** Tasks that are compared together: those of a few large executions would hold the process. */
const suspectsMax = 1_000;
/** Tasks between two questions whether others are to get a turn. */
const tasksPerLook = 200;

export interface QueueAuditParts {
  readonly clock: Clock;
  readonly queues: Pick<QueueStore, 'contains' | 'leases' | 'giveBack'>;
  readonly store: Pick<ExecutionStore, 'open' | 'load' | 'noticesFailovers'>;
  readonly owned: OwnedShards;
  readonly outlook: ShardOutlook;
  readonly cache: ActorCache;
  readonly quarantine: Quarantine;
  readonly recovery: RecoverExecution;
  readonly claims: AttemptClaims;
  readonly pipeline: CommitPipeline;
  readonly monitor: ShardMonitor;
}

/** A task to compare with its queue. */
interface Suspect {
  id: ExecutionId;
  task: Task;
  attempt: Attempt;
}

export class QueueAudit extends PeriodicService {
  /** Next in the list of owned shards, and how far that one has been looked at. */
  #position = 0;
  #offset = 0;

  constructor(private readonly parts: QueueAuditParts) {
    const { clock, monitor } = parts;
    super({
      clock,
      everyMs: auditEveryMs,
      failed: (error) => monitor.failed(error),
      runsOn: 'owner',
    });
  }

  /** One check: the next slice of the shards. */
  override async runOnce(): Promise<void> {
    const shards = this.parts.owned.all;
    const budget = { executions: executionsPerCheckMax, reads: readsPerCheckMax };
    const slice = Math.ceil(shards.length / checksPerRound);
    for (let checked = 0; checked < slice; checked += 1) {
      const shard = shards[this.#position % shards.length] as number;
      if (!(await this.#checkShard(shard, budget))) return;
      this.#position = (this.#position + 1) % shards.length;
      this.#offset = 0;
    }
  }

  /** False when the budget was used up before the shard's end. */
  async #checkShard(
    shard: number,
    budget: { executions: number; reads: number },
  ): Promise<boolean> {
    const { outlook, store } = this.parts;
    // A failover that went unnoticed may have opened what had ended.
    if (store.noticesFailovers && outlook.of(shard).isEmpty) return true;
    for (;;) {
      if (budget.executions <= 0 || budget.reads <= 0) return false;
      const reading = outlook.begin(shard);
      const { ids, more } = await this.parts.store.open(shard, this.#offset, idsPerPage);
      if (ids.length === 0 && this.#offset === 0) outlook.learn(reading, { isEmpty: true });
      const suspects: Suspect[] = [];
      for (const id of ids) {
        budget.executions -= 1;
        const actor = this.parts.cache.peek(id);
        if (actor === undefined) {
          budget.reads -= 1;
          const stored = (await this.#inspect(shard, id))?.seen;
          if (stored !== undefined) await this.#collect(id, stored.execution.tasks, suspects);
        } else await this.#collect(id, actor.open.openTasks, suspects);
      }
      await this.#compare(suspects);
      if (!more) return true;
      this.#offset += idsPerPage;
    }
  }

  #inspect(
    shard: number,
    id: ExecutionId,
  ): Promise<{ seen: StoredExecution | undefined } | undefined> {
    const { quarantine, store } = this.parts;
    return quarantine.inspect(id, shard, () => store.load(shard, id));
  }

  /** Adds those of an execution; compares what there is when it becomes many. */
  async #collect(id: ExecutionId, tasks: Iterable<Task>, suspects: Suspect[]): Promise<void> {
    const before = this.parts.clock.now() - settleMs;
    let looked = 0;
    for (const task of tasks) {
      if (++looked % tasksPerLook === 0) await breathe();
      if (suspects.length >= suspectsMax) await this.#compare(suspects.splice(0));
      const isOut = task.status === 'IN_PROGRESS' && task.lease === undefined;
      if (task.status !== 'SCHEDULED' && !isOut) continue;
      if (task.scheduledAt > before || task.updateAt > before || !isWorkerTask(task)) continue;
      const attempt = { taskId: taskIdOf(id, task.number), reopenCount: task.reopenCount };
      suspects.push({ id, task, attempt });
    }
  }

  async #compare(suspects: readonly Suspect[]): Promise<void> {
    const byQueue = groupBy(suspects, ({ task }) => queueKey(queueOf(task)));
    for (const group of byQueue.values()) await this.#compareWith(group);
  }

  /**
   * Suspects of one queue. Waiting tasks are asked for first: what a poll takes in between is then
   * seen as leased.
   */
  async #compareWith(group: readonly Suspect[]): Promise<void> {
    const queue = queueOf((group[0] as Suspect).task);
    const attempts = group.map(({ attempt }) => attempt);
    const waiting = await this.parts.queues.contains(queue, attempts);
    const leases = await this.parts.queues.leases(queue, attempts);
    for (const [i, suspect] of group.entries()) {
      if (waiting[i] === true) continue;
      // One that cannot be repaired now is met again in the next round.
      await this.#judge(suspect, leases[i]).catch((error: unknown) =>
        this.parts.monitor.failed(error),
      );
    }
  }

  async #judge({ id, task, attempt }: Suspect, lease: LeaseRecord | undefined): Promise<void> {
    const late = this.parts.clock.now() - settleMs;
    if (lease !== undefined) {
      const isFull = lease.startAt !== 0;
      // Given back by a report, and the queue has not heard of it.
      if (task.status === 'SCHEDULED' && isFull && lease.pollCount <= task.pollCount) {
        return this.#push(id, task);
      }
      if (lease.endAt === 0 || lease.endAt > late) return;
      if (isFull) return this.#endLease(attempt);
      await this.parts.queues.giveBack(queueOf(task), [lease]);
      return this.#count('given-back');
    }
    if (task.status === 'SCHEDULED') return this.#pushLost({ id, task, attempt });
    const lengthMs = task.responseTimeoutSeconds * 1000;
    if (lengthMs > 0 && task.updateAt + lengthMs <= late) await this.#endLease(attempt);
  }

  /** A push that is on its way could land between the questions, and the task would seem lost. */
  async #pushLost({ id, task, attempt }: Suspect): Promise<void> {
    const actor = await this.parts.recovery.actorOf(id);
    if (actor === undefined || actor.work.has(pushOf(attemptKey(task)))) return;
    if (!(await this.#hasMoved(task, attempt))) await this.#push(id, task);
  }

  async #push(id: ExecutionId, seen: Task): Promise<void> {
    const actor = await this.parts.recovery.actorOf(id);
    const task = actor?.open.byNumber.get(seen.number);
    if (actor === undefined || task?.status !== 'SCHEDULED') return;
    // Without its lease the node may not believe its memory: another one may own the shard.
    if (!this.parts.owned.accepts(actor.shard)) return;
    // Another reopenCount is younger than what was compared; one that waits for its push has not
    // been lost.
    if (task.reopenCount !== seen.reopenCount || actor.work.has(pushOf(attemptKey(task)))) return;
    const kind = 'requeue' as const;
    const again = durable({ kind, task, givenBackAtPoll: task.pollCount });
    this.parts.pipeline.release(actor, [{ outputs: [again], trace: undefined }]);
    this.#count('pushed');
  }

  /** Its lease went back to ready between the two questions; a poll may have it by now. */
  async #hasMoved(task: Task, attempt: Attempt): Promise<boolean> {
    const { queues } = this.parts;
    const [isBack] = await queues.contains(queueOf(task), [attempt]);
    if (isBack === true) return true;
    const [lease] = await queues.leases(queueOf(task), [attempt]);
    return lease !== undefined;
  }

  async #endLease(attempt: Attempt): Promise<void> {
    await this.parts.claims.leaseEnded(attempt);
    this.#count('ended');
  }

  #count(repair: 'pushed' | 'given-back' | 'ended'): void {
    this.parts.monitor.count('queue_repairs', repair);
  }
}
