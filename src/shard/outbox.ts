// Releases what executions decided, once their commit is through the gate (invariants M4, M5). The
// only place from which anything unpersisted could leave, and it is called for confirmed flights
// alone.
import type { Output } from '../engine/decision.js';
import type { Task } from '../model/execution.js';
import type { MessageDelivery } from './message-delivery.js';
import type { ExecutionActor } from './execution-actor.js';
import type { HandOut } from './hand-out.js';

/** Runs system tasks with I/O (folder system-task). */
export interface SystemTasks {
  /** Starts a run unless one of this attempt is under way; the result comes back as a command. */
  run(actor: ExecutionActor, task: Task, done: () => void): void;
  cancel(actor: ExecutionActor, task: Task): void;
}

export interface OutboxParts {
  handOut: HandOut;
  delivery: MessageDelivery;
  systemTasks: SystemTasks;
  extend: (actor: ExecutionActor, task: Task) => void;
  count: (metric: string, label: string) => void;
}

export class Outbox {
  constructor(private readonly parts: OutboxParts) {}

  release(actor: ExecutionActor, output: Output): void {
    switch (output.kind) {
      case 'schedule':
        return this.parts.handOut.release(actor, output.task);
      case 'unschedule':
        return this.parts.handOut.withdraw(actor, output.task, output.reopenCount, output.queue);
      case 'extend':
        return this.parts.extend(actor, output.task);
      case 'cancel-system-task':
        return this.parts.systemTasks.cancel(actor, output.task);
      case 'send':
        return this.parts.delivery.deliver(actor, output.message);
      case 'count':
        return this.parts.count(output.metric, output.label);
      case 'run-system-task':
      case 'notify':
        return;
    }
  }

  /** `done` is called when the run has ended and its result is with the execution. */
  runSystemTask(actor: ExecutionActor, task: Task, done: () => void): void {
    this.parts.systemTasks.run(actor, task, done);
  }
}
