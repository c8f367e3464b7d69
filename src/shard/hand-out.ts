// From a SCHEDULED task to a poll (architecture idea 5; the three ways are told in
// queue/poll-hub.ts). This file is the executions' side: leasing a task in its own commit for a
// poll that waits, offering it, pushing it, and answering claims of tasks that the queue has
// leased.
import type { Clock } from '../std/clock.js';
import { taskIdOf, type ExecutionId } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import { isTerminalTask } from '../model/status.js';
import { toTaskJson } from '../model/task-json.js';
import { attemptLimits, queueDelay, queueOf } from '../engine/worker-queue.js';
import { inputOf, outputOf } from '../engine/derived-payloads.js';
import type { DirectTicket, AttemptOwner, Claimed } from '../queue/attempt-owner.js';
import type { PollHub } from '../queue/poll-hub.js';
import type { Attempt } from '../store/queue-store.js';
import { parseTaskId } from '../std/ids.js';
import type { ExecutionActor } from './execution-actor.js';

/** JSON text of a task with secrets that the starter of the execution may read. */
export type ResolveSecrets = (taskJson: string, startedBy: string | undefined) => string;

export interface HandOutParts {
  clock: Clock;
  /** Set once the hub exists; hub and hand-out need each other. */
  hub: () => PollHub;
  actorOf: (id: ExecutionId) => Promise<ExecutionActor | undefined>;
  /** Something was decided outside a command: match, flush. */
  settled: (actor: ExecutionActor) => void;
  /** Puts secrets in place of their names in what is handed out (semantics 3.7). */
  resolveSecrets: ResolveSecrets | undefined;
}

export function attemptKey(task: Task): string {
  return `${task.number}:${task.reopenCount}`;
}

export class HandOut implements AttemptOwner {
  #leaseCounter: number;

  constructor(private readonly parts: HandOutParts) {
    // Lease numbers need only differ from all earlier ones of the same attempt; a start is seconds
    // after the last one.
    this.#leaseCounter = parts.clock.now() * 1000;
  }

  /**
   * A task became SCHEDULED in the running turn. True when a waiting poll took it: then its lease
   * stands in the same commit. False: it is to be offered once the commit is through. `mayMatch`:
   * false when it is to be offered in any case.
   */
  match(actor: ExecutionActor, task: Task, mayMatch: boolean): boolean {
    if (task.status !== 'SCHEDULED') return true;
    if (
      mayMatch &&
      attemptLimits(task) === undefined &&
      queueDelay(task, this.parts.clock.now()) === 0
    ) {
      const ticket = this.parts.hub().match(queueOf(task));
      if (ticket !== undefined && this.#lease(actor, task, ticket)) return true;
    }
    actor.unqueued.add(attemptKey(task));
    return false;
  }

  /** The commit that scheduled the task is through. */
  release(actor: ExecutionActor, task: Task): void {
    const key = attemptKey(task);
    if (!actor.unqueued.has(key)) return;
    if (task.status !== 'SCHEDULED') return void actor.unqueued.delete(key);
    const visibleAt = queueDelay(task, this.parts.clock.now());
    if (attemptLimits(task) !== undefined || visibleAt > 0) {
      this.#push(actor, task, key, visibleAt);
      return;
    }
    const { reopenCount } = task;
    this.parts.hub().offer(queueOf(task), this.#globalKey(actor, key), {
      claim: (ticket) => this.#claimOffer(actor, task, reopenCount, key, ticket),
      push: () => this.#push(actor, task, key, 0),
    });
  }

  /**
   * A committed SCHEDULED task that its queue may have or not: pushed once more, never offered. A
   * claim of the actor before this one may be on its way to a worker, and only the queue, which
   * leased it provisionally, can tell. `releasesLease`: the queue still has the lease that a report
   * gave back.
   */
  requeue(actor: ExecutionActor, task: Task, releasesLease = false): void {
    const key = attemptKey(task);
    actor.unqueued.add(key);
    this.#push(actor, task, key, queueDelay(task, this.parts.clock.now()), releasesLease);
  }

  /** The attempt is no longer wanted: takes it out of wherever it waits or is leased. */
  withdraw(
    actor: ExecutionActor,
    task: Task,
    reopenCount: number,
    queue: ReturnType<typeof queueOf>,
  ): void {
    const key = `${task.number}:${reopenCount}`;
    if (actor.unqueued.has(key)) {
      if (this.parts.hub().withdraw(queue, this.#globalKey(actor, key))) {
        actor.unqueued.delete(key);
        return;
      }
    }
    if (actor.queued !== undefined && !actor.queued.delete(key)) return;
    this.parts.hub().finish(queue, { taskId: taskIdOf(actor.id, task.number), reopenCount });
  }

  async claim(attempt: Attempt, workerId: string | undefined): Promise<Claimed | undefined> {
    const parsed = parseTaskId(attempt.taskId);
    const actor = parsed && (await this.parts.actorOf(parsed.executionId));
    if (!parsed || !actor) return undefined;
    const reply = await actor.submit({
      kind: 'claim-task',
      taskNumber: parsed.taskNumber,
      reopenCount: attempt.reopenCount,
      workerId,
    });
    if (reply.kind === 'refused') throw reply.error;
    if (reply.kind !== 'claimed') return undefined;
    const { task } = reply;
    actor.unqueued.delete(attemptKey(task));
    return {
      handOut: this.#toJson(actor, task),
      startAt: task.startAt,
      pollCount: task.pollCount,
      leaseMs: task.responseTimeoutSeconds * 1000,
    };
  }

  async leaseEnded(attempt: Attempt): Promise<boolean> {
    const parsed = parseTaskId(attempt.taskId);
    const actor = parsed && (await this.parts.actorOf(parsed.executionId));
    if (!parsed || !actor) return false;
    const { taskNumber } = parsed;
    await actor.submit({ kind: 'end-lease', taskNumber, reopenCount: attempt.reopenCount });
    const task = actor.open.byNumber.get(taskNumber);
    return task?.reopenCount === attempt.reopenCount && !isTerminalTask(task.status);
  }

  #globalKey(actor: ExecutionActor, key: string): string {
    return `${actor.id}:${key}`;
  }

  /** Leases the task in its own commit; the ticket is delivered when that is through the gate. */
  #lease(actor: ExecutionActor, task: Task, ticket: DirectTicket): boolean {
    const leaseNumber = (this.#leaseCounter += 1);
    const reply = actor.submitNow({
      kind: 'claim-task',
      taskNumber: task.number,
      reopenCount: task.reopenCount,
      workerId: ticket.workerId,
      lease: { number: leaseNumber },
    });
    if (reply?.kind !== 'claimed') {
      ticket.fail();
      return false;
    }
    const handOut = this.#toJson(actor, task);
    const giveBack = (): void => this.#giveBack(actor, task, leaseNumber);
    actor.gate(
      () => ticket.deliver(handOut, giveBack),
      () => ticket.fail(),
    );
    return true;
  }

  #claimOffer(
    actor: ExecutionActor,
    task: Task,
    reopenCount: number,
    key: string,
    ticket: DirectTicket,
  ): void {
    if (actor.dropped) return ticket.fail();
    if (task.status !== 'SCHEDULED' || task.reopenCount !== reopenCount) {
      actor.unqueued.delete(key);
      return ticket.fail();
    }
    if (actor.isBusy || !this.#lease(actor, task, ticket)) {
      if (actor.isBusy) ticket.fail();
      this.#push(actor, task, key, 0);
      return;
    }
    actor.unqueued.delete(key);
    this.parts.settled(actor);
  }

  #push(
    actor: ExecutionActor,
    task: Task,
    key: string,
    visibleAt: number,
    releasesLease = task.pollCount > 0,
  ): void {
    const { reopenCount } = task;
    const queue = queueOf(task);
    const attempt = { taskId: taskIdOf(actor.id, task.number), reopenCount };
    actor.queued?.add(key);
    this.parts.hub().push(
      {
        queue,
        attempt,
        priority: actor.open.execution.attributes.priority,
        visibleAt,
        limits: attemptLimits(task),
        releasesLease,
      },
      () => {
        if (!actor.unqueued.delete(key)) return;
        const wanted = task.status === 'SCHEDULED' && task.reopenCount === reopenCount;
        if (!wanted && task.status !== 'IN_PROGRESS') this.parts.hub().finish(queue, attempt);
        this.parts.settled(actor);
      },
    );
  }

  #giveBack(actor: ExecutionActor, task: Task, leaseNumber: number): void {
    if (actor.dropped) return;
    void actor
      .submit({
        kind: 'release-lease',
        taskNumber: task.number,
        reopenCount: task.reopenCount,
        leaseNumber,
      })
      .catch(() => undefined); // Its lease ends by itself then.
  }

  #toJson(actor: ExecutionActor, task: Task): string {
    const { open } = actor;
    const json = toTaskJson(
      open.execution,
      task,
      inputOf(open, task),
      outputOf(open, task),
      this.parts.clock.now(),
    );
    return this.parts.resolveSecrets && json.includes('${workflow.secrets.')
      ? this.parts.resolveSecrets(json, open.execution.attributes.createdBy)
      : json;
  }
}
