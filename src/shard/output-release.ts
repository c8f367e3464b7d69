// The one place where outputs leave an execution (invariants M4, M5). commit-pipeline.ts calls it
// for confirmed commits, and for what a recovery or an audit finds promised: nothing unpersisted
// leaves the process.
import type { OutboxMessage, Task } from '../model/execution.js';
import type { ExecutionActor } from './execution-actor.js';
import type { ShardMonitor, SystemTasks } from './executions.js';
import { runOf } from './open-work.js';
import type { ReleasedOutput } from './pending-commit.js';
import type { TaskDispatch } from './task-dispatch.js';

/** Carries messages to other executions. */
export interface MessageCarrier {
  deliver(actor: ExecutionActor, message: OutboxMessage): void;
}

export class OutputRelease {
  #messages: MessageCarrier | undefined;
  #systemTasks: SystemTasks | undefined;

  constructor(
    private readonly dispatch: TaskDispatch,
    private readonly monitor: ShardMonitor,
  ) {}

  /** Where messages and runs go; they give commands to executions in turn. */
  connect(messages: MessageCarrier, systemTasks: SystemTasks): void {
    this.#messages = messages;
    this.#systemTasks = systemTasks;
  }

  /** A promise when the execution has to wait for something: it resolves when that is done. */
  release(actor: ExecutionActor, output: ReleasedOutput): Promise<unknown> | undefined {
    switch (output.kind) {
      case 'enqueued':
        this.dispatch.announce(output.task, output.move);
        return undefined;
      case 'push':
        return this.dispatch.release(actor, output);
      case 'requeue':
        return this.dispatch.requeue(actor, output.task, output.givenBackAtPoll);
      case 'unschedule':
        this.dispatch.withdraw(actor, output);
        return undefined;
      case 'extend':
        this.dispatch.extend(actor, output.task);
        return undefined;
      case 'run-system-task':
        return this.#run(actor, output.task);
      case 'cancel-system-task':
        this.#systemTasks?.cancel(actor.open, output.task);
        return undefined;
      case 'send':
        this.#messages?.deliver(actor, output.message);
        return undefined;
      case 'count':
        this.monitor.count(output.metric, output.label);
        return undefined;
    }
  }

  async #run(actor: ExecutionActor, task: Task): Promise<void> {
    actor.work.begin(runOf(task));
    await this.#systemTasks?.run(actor.open, task);
    actor.work.end(runOf(task));
  }
}
