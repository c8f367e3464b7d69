// Waits until an execution has ended or blocks (contract-core 16.1, semantics 1.7): it is terminal,
// a task named in `refs` is through, or a WAIT without timer or a YIELD is open, here or in a child
// at any depth. Nothing is polled: each execution concerned is watched, and a child gets its own
// watch when its SUB_WORKFLOW task is seen in progress.
import type { ExecutionId } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import { isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { taskTypeOf } from '../engine/task-types/list.js';
import type { OperationContext } from './context.js';
import { isNotFound } from './refusals.js';

export interface BlockedWait {
  readonly id: string;
  /** Reference names; one of them being terminal ends the wait. */
  readonly refs: readonly string[];
  readonly timeoutMs: number;
  readonly onAbort: (listener: () => void) => void;
}

/**
 * Resolves with whether the wait ended in time. Throws AppError 'not-found' for an unknown
 * execution.
 */
export async function waitUntilBlocked(
  context: OperationContext,
  wait: BlockedWait,
): Promise<boolean> {
  const search = new Search(context, wait);
  wait.onAbort(() => search.stop());
  try {
    return (await search.watch(wait.id, 0)) !== 'time-over';
  } finally {
    search.stop();
  }
}

/** First task by list order that blocks: a WAIT without timer or with `yield`, or a YIELD. */
export function blockingTaskOf(open: OpenExecution): Task | undefined {
  if (open.openTasks.size === 0) return undefined;
  return open.execution.tasks.find(isBlocking);
}

/** Children whose SUB_WORKFLOW tasks are open, in list order. */
export function openChildrenOf(open: OpenExecution): ExecutionId[] {
  const children: ExecutionId[] = [];
  for (const task of open.openTasks) {
    const { role } = taskTypeOf(task);
    if (role === 'sub-workflow' && task.status === 'IN_PROGRESS' && task.subWorkflowId) {
      children.push(task.subWorkflowId);
    }
  }
  return children;
}

/**
 * Semantics 1.7 and 4.13: with `yield: true` a running timer does not keep synchronous callers
 * waiting.
 */
function isBlocking(task: Task): boolean {
  return !isTerminalTask(task.status) && taskTypeOf(task).blocksCallers(task);
}

/** `ended`: the execution is terminal. */
type Outcome = 'blocked' | 'ended' | 'time-over';

class Search {
  readonly #endAt: number;
  #stopped = false;
  /** Ends every watch of this search when it is checked next. */
  #stop = (): void => undefined;
  readonly #stopSignal: Promise<'time-over'>;

  constructor(
    private readonly context: OperationContext,
    private readonly wait: BlockedWait,
  ) {
    this.#endAt = context.clock.monotonic() + wait.timeoutMs;
    this.#stopSignal = new Promise((resolve) => {
      this.#stop = () => resolve('time-over');
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#stop();
  }

  /** Watches one execution and, as they appear, its children. */
  async watch(id: string, depth: number): Promise<Outcome> {
    const watched = new Set<ExecutionId>();
    const children: Promise<Outcome>[] = [];
    for (;;) {
      const next = this.#look(id, depth, watched);
      const seen = await Promise.race([next, this.#stopSignal, this.#anyBlocked(children)]);
      if (typeof seen === 'string') return seen;
      for (const child of seen) {
        watched.add(child);
        children.push(this.#watchChild(child, depth + 1));
      }
    }
  }

  /**
   * Resolves when this execution is done, the time is over, or it has children that are not watched
   * yet.
   */
  #look(
    id: string,
    depth: number,
    watched: ReadonlySet<ExecutionId>,
  ): Promise<Outcome | ExecutionId[]> {
    const newChildren = (open: OpenExecution): ExecutionId[] =>
      depth >= this.context.limits.childDepthMax
        ? []
        : openChildrenOf(open).filter((child) => !watched.has(child));
    return this.context.executions.watch({
      id,
      until: (open) => this.#stopped || this.#isDone(open) || newChildren(open).length > 0,
      timeoutMs: Math.max(0, this.#endAt - this.context.clock.monotonic()),
      view: (open, timedOut) => {
        if (this.#isBlocked(open)) return 'blocked';
        if (isTerminalWorkflow(open.execution.state.status)) return 'ended';
        // Nothing new and not late: the state has changed since it was read, so read it again.
        return timedOut || this.#stopped ? 'time-over' : newChildren(open);
      },
    });
  }

  #isDone(open: OpenExecution): boolean {
    return isTerminalWorkflow(open.execution.state.status) || this.#isBlocked(open);
  }

  #isBlocked(open: OpenExecution): boolean {
    for (const ref of this.wait.refs) {
      const task = open.lastByRef(ref) ?? open.lastByPlainRef(ref);
      if (task !== undefined && isTerminalTask(task.status)) return true;
    }
    for (const task of open.openTasks) {
      if (isBlocking(task)) return true;
    }
    return false;
  }

  /** A child that is gone ends no wait. */
  async #watchChild(child: ExecutionId, depth: number): Promise<Outcome> {
    try {
      return await this.watch(child, depth);
    } catch (error) {
      if (isNotFound(error)) return 'ended';
      throw error;
    }
  }

  /**
   * Resolves when one of the children blocks, rejects when one fails; stays pending otherwise: the
   * parent handles a child that has ended.
   */
  #anyBlocked(children: readonly Promise<Outcome>[]): Promise<'blocked'> {
    return new Promise((resolve, reject) => {
      for (const child of children) {
        child.then((outcome) => {
          if (outcome === 'blocked') resolve(outcome);
        }, reject);
      }
    });
  }
}
