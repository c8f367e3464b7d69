// Answers queues and polls about attempts of this node's executions (invariants M7): whether one
// that the queue has leased is still wanted, what becomes of a lease that has ended, and the
// hand-out of attempts that this node holds for the next poll.
import { parseTaskId } from '../std/ids.js';
import { isTerminalTask } from '../model/status.js';
import type { Task } from '../model/execution.js';
import type { AttemptOwner, Claimed, DirectTicket } from '../queue/attempt-owner.js';
import type { Attempt } from '../store/queue-store.js';
import type { ActorCache } from './actor-cache.js';
import type { CommitPipeline } from './commit-pipeline.js';
import type { ExecutionActor } from './execution-actor.js';
import { attemptKey, pushOf } from './open-work.js';
import type { RecoverExecution } from './recover-execution.js';
import type { TaskDispatch } from './task-dispatch.js';
import type { TaskTexts } from './task-texts.js';

export interface AttemptClaimsParts {
  readonly cache: ActorCache;
  readonly recovery: RecoverExecution;
  readonly pipeline: CommitPipeline;
  readonly dispatch: TaskDispatch;
  readonly texts: TaskTexts;
}

export class AttemptClaims implements AttemptOwner {
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

  claimHeld(attempt: Attempt, ticket: DirectTicket): void {
    const held = this.#held(attempt);
    if (held === undefined) return ticket.fail();
    const { actor, task } = held;
    if (actor.isBusy) {
      ticket.fail();
      this.#push(held);
    } else if (this.parts.dispatch.lease(actor, task, ticket)) {
      actor.work.end(pushOf(attemptKey(task)));
      this.parts.pipeline.conclude(actor);
    } else this.#push(held);
  }

  pushHeld(attempt: Attempt): void {
    const held = this.#held(attempt);
    if (held !== undefined) this.#push(held);
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

  #push({ actor, task }: { actor: ExecutionActor; task: Task }): void {
    void this.parts.dispatch.push(actor, task).then(() => this.parts.pipeline.conclude(actor));
  }

  /** A SCHEDULED attempt that this node holds for a poll; undefined when that is over. */
  #held(attempt: Attempt): { actor: ExecutionActor; task: Task } | undefined {
    const parsed = parseTaskId(attempt.taskId);
    const actor = parsed && this.parts.cache.live(parsed.executionId);
    const task = actor?.open.byNumber.get(parsed?.taskNumber ?? 0);
    if (actor === undefined || task?.reopenCount !== attempt.reopenCount) return undefined;
    if (task.status === 'SCHEDULED') return { actor, task };
    actor.work.end(pushOf(attemptKey(task)));
    return undefined;
  }
}
