// The rolling check for leases of attempts that are over (invariants I8, M10). An attempt leaves
// its queue with the commit that ends it, or, where that cannot be written together, right after
// it. A node that dies in between, or drops the execution because the outcome of its commit is
// unclear, leaves the lease behind: it would hold a slot of its type's limits until its end, and
// for ever if it has none. So each owner compares the leases of its executions with their tasks,
// page after page, and finishes what has ended. An end is final: a finished attempt cannot come
// back.
//
// One page a second costs nothing; after shards were taken over, pages follow each other faster
// until all queues have been looked at once.
import type { Clock } from '../std/clock.js';
import { durable } from '../std/durable.js';
import { executionOf, numberOf, parseTaskId, shardOf } from '../std/ids.js';
import { PeriodicService } from '../std/periodic-service.js';
import type { Task } from '../model/execution.js';
import { isTerminalTask } from '../model/status.js';
import type { QueueName } from '../engine/decision.js';
import type { PollHub } from '../queue/poll-hub.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { Attempt, QueueStore } from '../store/queue-store.js';
import type { ActorCache } from './actor-cache.js';
import type { ShardMonitor } from './executions.js';
import type { OwnedShards } from './owned-shards.js';
import type { Quarantine } from './quarantine.js';

const auditEveryMs = 1000;
/** Pages of leases in a check after shards were taken over; otherwise one. */
const hurriedPages = 20;
const leasesPerPage = 100;
const readsPerCheckMax = 100;
/** An attempt that ended less than so long ago, ms, is on its way out of its queue. */
const settleMs = 5_000;

export interface LeaseAuditParts {
  readonly clock: Clock;
  readonly shards: number;
  readonly queues: Pick<QueueStore, 'queues' | 'leasedPage'>;
  readonly store: Pick<ExecutionStore, 'load'>;
  readonly owned: OwnedShards;
  readonly cache: ActorCache;
  readonly quarantine: Quarantine;
  readonly hub: Pick<PollHub, 'finish'>;
  readonly monitor: ShardMonitor;
}

export class LeaseAudit extends PeriodicService {
  /** Of the round under way; the page begins at the cursor in the first of them. */
  #left: QueueName[] = [];
  #cursor = '0';
  /** Rounds to begin and to end in a hurry. */
  #hurriedRounds = 0;

  constructor(private readonly parts: LeaseAuditParts) {
    const { clock, monitor } = parts;
    super({
      clock,
      everyMs: auditEveryMs,
      failed: (error) => monitor.failed(error),
      runsOn: 'owner',
    });
  }

  /** Shards were taken over: the rest of this round and a whole one follow soon. */
  hurry(): void {
    this.#hurriedRounds = 2;
  }

  /** One check: the next pages. */
  override async runOnce(): Promise<void> {
    const budget = { reads: readsPerCheckMax };
    const pages = this.#hurriedRounds > 0 ? hurriedPages : 1;
    for (let page = 0; page < pages && budget.reads > 0; page++) {
      const [queue] = this.#left;
      if (queue === undefined) {
        this.#left = await this.parts.queues.queues();
        this.#hurriedRounds = Math.max(0, this.#hurriedRounds - 1);
        if (this.#left.length === 0) return;
      } else await this.#checkPage(queue, budget);
    }
  }

  async #checkPage(queue: QueueName, budget: { reads: number }): Promise<void> {
    const { owned, shards, hub, monitor } = this.parts;
    const { attempts, next } = await this.parts.queues.leasedPage(
      queue,
      this.#cursor,
      leasesPerPage,
    );
    for (const attempt of attempts) {
      if (parseTaskId(attempt.taskId) === undefined) continue;
      if (!owned.accepts(shardOf(executionOf(attempt.taskId), shards))) continue;
      if (!(await this.#isOver(attempt, budget))) continue;
      hub.finish(queue, durable(attempt));
      monitor.count('queue_repairs', 'finished');
    }
    this.#cursor = next;
    if (next === '0') this.#left.shift();
  }

  /**
   * Whether the attempt has ended, durably. An execution that cannot be read now is met in a later
   * round.
   */
  async #isOver({ taskId, reopenCount }: Attempt, budget: { reads: number }): Promise<boolean> {
    const before = this.parts.clock.now() - settleMs;
    const isOverIn = (task: Task | undefined): boolean => {
      if (task === undefined) return true;
      const isOver = task.reopenCount > reopenCount || isTerminalTask(task.status);
      return isOver && task.updateAt <= before;
    };
    const id = executionOf(taskId);
    const number = numberOf(taskId);
    const actor = this.parts.cache.peek(id);
    if (actor !== undefined) {
      return !actor.isUnconfirmed && !actor.isBusy && isOverIn(actor.open.byNumber.get(number));
    }
    if (budget.reads <= 0) return false;
    budget.reads -= 1;
    const shard = shardOf(id, this.parts.shards);
    const found = await this.parts.quarantine.inspect(id, shard, () =>
      this.parts.store.load(shard, id),
    );
    if (found === undefined) return false;
    return isOverIn(found.seen?.execution.tasks.find((task) => task.number === number));
  }
}
