// Completes the tasks that wait for an event (contract-admin 12.5). The index says which ones wait
// for the event's values; what it still names although it has ended is removed from it. A failover
// may undo an end whose removal comes after it: so the tasks are read again after each removal, and
// those that wait again are entered and completed once more (invariants I14).
import { bySystem } from '../../shard/executions.js';
import { mayOnExecution } from '../../access/execution-rights.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import type { JsonMap } from '../../model/json.js';
import { Payload } from '../../model/payload.js';
import { Limiter } from '../../std/limiter.js';
import { parseTaskId, type TaskId } from '../../std/ids.js';
import type { WaitTarget, WebhookWaitStore } from './wait-store.js';
import { ownedOf } from '../../operation/access.js';
import type { OperationContext } from '../../operation/context.js';
import { isOpenTask } from '../../operation/open-task.js';
import { valuesOf } from './wait-target.js';
import { isNotFound } from '../../model/errors.js';

export interface ResumeParts {
  readonly operations: OperationContext;
  readonly waits: WebhookWaitStore;
  /** With whose rights. */
  readonly caller: Caller;
}

/** Tasks completed at the same time for one event. */
const atOnceMax = 64;

/**
 * Resolves with the ids of the executions that went on. Rejects when it may work later; what was
 * completed by then stays so.
 */
export async function resumeWaiting(
  parts: ResumeParts,
  receiver: { workflowName: string; workflowVersion: number },
  payload: JsonMap,
): Promise<string[]> {
  const { operations, waits, caller } = parts;
  const shapes = await waits.shapes(receiver.workflowName, receiver.workflowVersion);
  const targets = shapes.flatMap((shape): WaitTarget[] => {
    const values = valuesOf(shape, payload);
    return values === undefined ? [] : [{ ...receiver, shape, values }];
  });
  const waiting = await waits.waiting(targets);
  const output = Payload.of(payload);
  const woken: string[] = [];
  for (const [i, target] of targets.entries()) {
    const known = waiting[i] ?? [];
    const mayWake = await atOnce(known, (taskId) => mayComplete(operations, caller, taskId));
    for (let left = known.filter((_, n) => mayWake[n]); left.length > 0;) {
      const ids = await atOnce(left, (taskId) => complete(operations, taskId, output));
      woken.push(...ids.filter((id) => id !== undefined));
      await waits.remove(target, left);
      const areOpen = await atOnce(left, (taskId) => isOpenTask(operations.executions, taskId));
      left = left.filter((_, n) => areOpen[n]);
      for (const taskId of left) await waits.register(target, taskId);
    }
  }
  return woken;
}

function atOnce<T>(taskIds: readonly TaskId[], work: (taskId: TaskId) => Promise<T>): Promise<T[]> {
  const limiter = new Limiter(atOnceMax);
  return Promise.all(taskIds.map((taskId) => limiter.run(() => work(taskId))));
}

/** Executions that began before the caller had the name stay as they are (docs/access.md). */
async function mayComplete(
  { access, executions }: OperationContext,
  caller: Caller,
  taskId: TaskId,
): Promise<boolean> {
  const target = parseTaskId(taskId);
  if (target === undefined || isAdministrator(caller)) return true;
  const owned = await executions.read(target.executionId, ({ execution }) => ownedOf(execution));
  return owned === undefined || mayOnExecution(access, caller, 'EXECUTE', owned);
}

/** The id of the execution; undefined when the task has ended before, or is gone. */
async function complete(
  operations: OperationContext,
  taskId: TaskId,
  output: Payload,
): Promise<string | undefined> {
  const target = parseTaskId(taskId);
  if (target === undefined) return undefined;
  const { executionId, taskNumber } = target;
  try {
    if (!(await isOpenTask(operations.executions, taskId))) return undefined;
    const reply = await operations.executions.command(
      executionId,
      {
        kind: 'update-task',
        task: { taskNumber },
        result: { status: 'COMPLETED', output, callbackAfterSeconds: 0, extendLease: false },
        mergeOutput: false,
      },
      bySystem,
    );
    const isDone = reply.kind === 'updated' && reply.task !== undefined && !reply.ignored;
    return isDone ? executionId : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
