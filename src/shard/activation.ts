// Brings a loaded execution to where its last owner left it (architecture idea 5; invariants M5): a
// transition that stopped half-way goes on, leases that the queues remember are believed before
// SCHEDULED is, and what was promised but perhaps not done is done again: pushes, outbox messages,
// runs of system tasks. All of it is repeatable.
import { taskIdOf } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import { isRunWanted, isWorkerTask } from '../engine/task-kinds.js';
import { queueOf } from '../engine/worker-queue.js';
import { queueKey } from '../queue/queue-key.js';
import type { StoredExecution } from '../store/execution-store.js';
import type { QueueStore } from '../store/queue-store.js';
import type { MessageDelivery } from './message-delivery.js';
import type { ExecutionActor } from './execution-actor.js';
import type { HandOut } from './hand-out.js';

export interface ActivationParts {
  queues: QueueStore;
  handOut: HandOut;
  delivery: MessageDelivery;
  runSystemTask: (actor: ExecutionActor, task: Task) => void;
  plantPushNotRepeated: boolean;
}

export class Activation {
  constructor(private readonly parts: ActivationParts) {}

  async resume(actor: ExecutionActor, stored: StoredExecution): Promise<void> {
    const { open } = actor;
    if (open.isBusy) await actor.submit({ kind: 'continue' });
    const scheduled = [...open.openTasks].filter(
      (task) => task.status === 'SCHEDULED' && isWorkerTask(task),
    );
    const givenBack = new Set(await this.#restoreLeases(actor, scheduled));
    if (stored.dirty && !this.parts.plantPushNotRepeated) {
      for (const task of scheduled) {
        if (task.status !== 'SCHEDULED') continue;
        this.parts.handOut.requeue(actor, task, givenBack.has(task));
      }
    }
    for (const message of [...stored.execution.outbox.values()]) {
      this.parts.delivery.deliver(actor, message);
    }
    for (const task of open.openTasks) {
      if (!isRunWanted(task)) continue;
      this.parts.runSystemTask(actor, task);
    }
  }

  /** Tasks whose lease a report had given back. */
  async #restoreLeases(actor: ExecutionActor, scheduled: readonly Task[]): Promise<Task[]> {
    const byQueue = new Map<string, Task[]>();
    for (const task of scheduled) {
      const key = queueKey(queueOf(task));
      const list = byQueue.get(key);
      if (list) list.push(task);
      else byQueue.set(key, [task]);
    }
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
    return tasks.filter((task, i) => {
      const lease = leases[i];
      if (lease === undefined || lease.startAt === 0) return false;
      if (lease.pollCount <= task.pollCount) return true;
      actor.submitNow({
        kind: 'restore-lease',
        taskNumber: task.number,
        reopenCount: task.reopenCount,
        workerId: lease.workerId,
        startAt: lease.startAt,
        pollCount: lease.pollCount,
      });
      return false;
    });
  }
}
