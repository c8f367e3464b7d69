// Work that is under way in a test server, for its automatic clock: work that takes real time holds
// the clock, and delays of queued tasks are what it moves to.
import type { OpenExecution } from '../engine/open-execution.js';
import { isWorkerTask } from '../engine/task-kinds.js';
import { queueDelay, queueOf, queueText } from '../engine/worker-queue.js';
import { isTerminalTask } from '../model/status.js';

export interface WorkUnderWay {
  /** One sentence about what holds the clock; undefined: nothing does. */
  readonly heldBy: string | undefined;
  /** When a queued task becomes visible first, epoch ms; Infinity: none is hidden. */
  readonly visibleAt: number;
}

interface LiveExecution {
  readonly isUnsettled: boolean;
  readonly open: OpenExecution;
}

/** Looks at the executions in memory: those of a test are all there. */
export function workUnderWay(executions: Iterable<LiveExecution>, now: number): WorkUnderWay {
  let heldBy: string | undefined;
  let visibleAt = Infinity;
  for (const execution of executions) {
    const work = workOf(execution, now);
    heldBy ??= work.heldBy;
    visibleAt = Math.min(visibleAt, work.visibleAt);
  }
  return { heldBy, visibleAt };
}

function workOf({ isUnsettled, open }: LiveExecution, now: number): WorkUnderWay {
  const { id, outbox } = open.execution;
  if (isUnsettled) return { heldBy: `Execution ${id} is being decided.`, visibleAt: Infinity };
  // An order that a quota holds back waits for another execution.
  if (outbox.size > open.heldOrders.size) {
    return { heldBy: `Execution ${id} sends a message to another one.`, visibleAt: Infinity };
  }
  let visibleAt = Infinity;
  for (const task of open.openTasks) {
    if (isTerminalTask(task.status) || !isWorkerTask(task)) continue;
    if (task.status === 'IN_PROGRESS') {
      return { heldBy: `A worker holds task ${task.ref} of execution ${id}.`, visibleAt };
    }
    const at = queueDelay(task, now);
    if (at === 0) {
      const queue = queueText(queueOf(task));
      return {
        heldBy: `Task ${task.ref} of execution ${id} waits for a worker in the queue ${queue}.`,
        visibleAt,
      };
    }
    visibleAt = Math.min(visibleAt, at);
  }
  return { heldBy: undefined, visibleAt };
}
