// Waits until an execution has ended or blocks (contract-core 16.1, semantics 1.7): it is terminal,
// a task named in `refs` is through, or a WAIT without timer or a YIELD is open, here or in a child
// at any depth. Nothing is polled: each execution concerned is watched, and a child gets its own
// watch when its SUB_WORKFLOW task is seen in progress.
import { setMaxListeners } from 'node:events';
import { mayOnExecution, requireOnExecution } from '../access/execution-rights.js';
import { isAdministrator, type Caller } from '../model/caller.js';
import type { ExecutionId } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import { isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import type { NamedWait } from '../shard/named-views.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { taskTypeOf } from '../engine/task-types/list.js';
import { ownedOf } from './access.js';
import type { OperationContext } from './context.js';
import type { Waiting } from './waiting-callers.js';
import { isNotFound } from '../model/errors.js';

export interface BlockedWait {
  readonly id: string;
  /** Waits as long as the right to the execution lasts. */
  readonly caller: Caller;
  /** Reference names; one of them being terminal ends the wait. */
  readonly refs: readonly string[];
  readonly timeoutMs: number;
  readonly onAbort: (listener: () => void) => void;
}

/**
 * Resolves with whether the wait ended in time. Throws AppError 'not-found' for an unknown
 * execution, 'unauthenticated' or 'forbidden' when the right to the execution ends meanwhile.
 */
export async function waitUntilBlocked(
  context: OperationContext,
  wait: BlockedWait,
): Promise<boolean> {
  const search = new Search(context, wait);
  wait.onAbort(() => search.stop());
  let refusal: unknown;
  const waiting: Waiting = {
    caller: wait.caller,
    requireRight: await rightTo(context, wait),
    end: (why) => {
      refusal = why;
      search.stop();
    },
  };
  context.waiting?.add(waiting);
  try {
    const isInTime = (await search.watch(wait.id, 0)) !== 'time-over';
    if (refusal !== undefined) throw refusal;
    return isInTime;
  } finally {
    context.waiting?.remove(waiting);
    search.stop();
  }
}

/** READ on the execution does, and EXECUTE, which a start takes. */
async function rightTo(
  { access, executions }: OperationContext,
  { id, caller }: BlockedWait,
): Promise<Waiting['requireRight']> {
  const owned = isAdministrator(caller)
    ? undefined
    : await executions.read(id, ({ execution }) => ownedOf(execution));
  return (now) => {
    if (owned === undefined || mayOnExecution(access, now, 'EXECUTE', owned)) return;
    requireOnExecution(access, now, 'READ', owned, id);
  };
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

interface BlockedArgs {
  readonly refs: readonly string[];
  /** Children count too. */
  readonly descends: boolean;
  /** Children that are watched already. */
  readonly watched: readonly ExecutionId[];
}

/** Ends when the execution blocks or ends, or has children that are not watched yet. */
export const blockedWait: NamedWait<BlockedArgs, Outcome | ExecutionId[]> = {
  name: 'blocked',
  reached: (open, args) => {
    if (isBlocked(open, args.refs)) return 'blocked';
    if (isTerminalWorkflow(open.execution.state.status)) return 'ended';
    if (!args.descends) return undefined;
    const children = openChildrenOf(open).filter((child) => !args.watched.includes(child));
    return children.length > 0 ? children : undefined;
  },
  late: () => 'time-over',
};

function isBlocked(open: OpenExecution, refs: readonly string[]): boolean {
  for (const ref of refs) {
    const task = open.lastByRef(ref) ?? open.lastByPlainRef(ref);
    if (task !== undefined && isTerminalTask(task.status)) return true;
  }
  for (const task of open.openTasks) {
    if (isBlocking(task)) return true;
  }
  return false;
}

/** The reason of a search that was stopped. */
const stopReason = 'Nobody waits any more';

class Search {
  readonly #endAt: number;
  readonly #stopping = new AbortController();
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

  /** Ends every watch of this search. */
  stop(): void {
    this.#stop();
    this.#stopping.abort(stopReason); // Without a reason it makes an error with its stack.
  }

  /** Watches one execution and, as they appear, its children. */
  async watch(id: string, depth: number): Promise<Outcome> {
    const watched = new Set<ExecutionId>();
    const children: Promise<Outcome>[] = [];
    for (;;) {
      const next = this.#look(id, depth, watched);
      // Prevents an unhandled rejection once the search has been stopped.
      next.catch(() => undefined);
      const seen = await Promise.race([next, this.#stopSignal, this.#anyBlocked(children)]);
      if (typeof seen === 'string') return seen;
      // One watch for each execution of the tree.
      setMaxListeners(0, this.#stopping.signal);
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
    const descends = depth < this.context.limits.childDepthMax;
    return this.context.executions.watch({
      id,
      wait: blockedWait,
      args: { refs: this.wait.refs, descends, watched: [...watched] },
      timeoutMs: Math.max(0, this.#endAt - this.context.clock.monotonic()),
      signal: this.#stopping.signal,
    });
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
