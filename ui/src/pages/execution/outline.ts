// The outline of an execution: its head and its tasks as objects.
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { ask } from '../../api/client';
import type {
  ExecutionHead,
  TaskStatus,
  WorkflowDef,
  WorkflowOutline,
  WorkflowStatus,
} from '../../api/types';
import { executionMs } from '../../live/polling';
import { useLive } from '../../live/stream';

export type TaskRow = Readonly<{
  taskId: string;
  referenceTaskName: string;
  taskType: string;
  taskDefName: string;
  status: TaskStatus;
  scheduledTime: number;
  startTime: number;
  endTime: number;
  retryCount: number;
  retried: boolean;
  iteration: number;
  workerId: string | null;
  domain: string | null;
  subWorkflowId: string | null;
  reasonForIncompletion: string | null;
  /** How long it was not to be handed out: the delay of a retry, or of its definition. */
  startDelaySeconds: number;
}>;

export interface Outline {
  readonly head: ExecutionHead;
  readonly definition: WorkflowDef;
  readonly revision: number;
  /** Names of the values of a row, as the stream sends it. */
  readonly columns: readonly string[];
  readonly tasks: readonly TaskRow[];
  /** The moment that is shown, epoch ms; absent: now. */
  readonly shownAt?: number;
}

/** A change of an execution, as the stream tells it. */
interface OutlineChange {
  readonly revision: number;
  /** Absent: the execution was removed. */
  readonly head?: ExecutionHead;
  /** Of tasks that are new or have changed, with the columns of the outline. */
  readonly rows: readonly (readonly unknown[])[];
  /** Ids of tasks that are gone. */
  readonly removed: readonly string[];
}

export const hasEnded = (status: WorkflowStatus): boolean =>
  status !== 'RUNNING' && status !== 'PAUSED';

/**
 * Tasks that failed, unless a later attempt took their place. A task that was cancelled when
 * another one failed is no failure.
 */
export const isFailed = ({ status, retried }: TaskRow): boolean =>
  !retried && /^(?:FAILED|TIMED_OUT)/.test(status);

/** How long an attempt ran or runs, ms; undefined: it has not begun, or ended before it did. */
export function ranMs(
  { startTime = 0, endTime = 0 }: { readonly startTime?: number; readonly endTime?: number },
  now: number,
): number | undefined {
  if (startTime === 0) return undefined;
  return Math.max(0, (endTime === 0 ? now : endTime) - startTime);
}

/** Tasks that a retry runs again: those that failed, and those that were cancelled with them. */
export const isRetriable = (task: TaskRow): boolean =>
  isFailed(task) || (!task.retried && task.status === 'CANCELED');

export function outlinePath(id: string): string {
  return `/api/workflow/${encodeURIComponent(id)}/outline`;
}

export async function readOutline(id: string, signal?: AbortSignal): Promise<Outline> {
  const answer = await ask<WorkflowOutline>(
    outlinePath(id),
    signal === undefined ? {} : { signal },
  );
  const { columns, rows } = answer.tasks;
  return {
    head: answer.head,
    definition: answer.workflowDefinition,
    revision: answer.revision,
    columns,
    tasks: rows.map((row) => toTask(columns, row)),
  };
}

function toTask(columns: readonly string[], row: readonly unknown[]): TaskRow {
  return Object.fromEntries(columns.map((name, i) => [name, row[i]])) as TaskRow;
}

/** The outline after a change; undefined when it must be read again. */
function changed(outline: Outline, change: OutlineChange): Outline | undefined {
  const { head, revision, rows, removed } = change;
  if (head === undefined) return undefined;
  if (revision < outline.revision) return outline;
  // Its definition is another one then.
  if (head.workflowVersion !== outline.head.workflowVersion) return undefined;
  const tasks = new Map(outline.tasks.map((task) => [task.taskId, task]));
  for (const taskId of removed) tasks.delete(taskId);
  for (const row of rows) {
    const task = toTask(outline.columns, row);
    tasks.set(task.taskId, task);
  }
  return { ...outline, head, revision, tasks: [...tasks.values()] };
}

/**
 * Follows the stream. Without it the outline is asked for each second until the execution has
 * ended, then rarely: it may be retried.
 */
export function useOutline(id: string): UseQueryResult<Outline> {
  const client = useQueryClient();
  const queryKey = ['outline', id];
  const isLive = useLive(`execution:${id}`, (message) => {
    const known = client.getQueryData<Outline>(queryKey);
    const next =
      message.kind === 'told' && known !== undefined
        ? changed(known, message.data as OutlineChange)
        : undefined;
    if (next !== undefined) client.setQueryData(queryKey, next);
    else if (message.kind === 'ready') void catchUp();
    else void client.invalidateQueries({ queryKey });
  });
  const queryFn = async ({ signal }: { readonly signal: AbortSignal }): Promise<Outline> => {
    const answer = await readOutline(id, signal);
    // The stream may have told of later changes meanwhile.
    const known = client.getQueryData<Outline>(queryKey);
    return known !== undefined && known.revision > answer.revision ? known : answer;
  };
  // A change before the stream told of it shows in the revision: a large outline is read once more
  // only if it is another one.
  const catchUp = async (): Promise<void> => {
    try {
      await client.ensureQueryData({ queryKey, queryFn });
      const path = `${outlinePath(id)}?includeTasks=false`;
      const { revision } = await ask<WorkflowOutline>(path);
      const known = client.getQueryData<Outline>(queryKey);
      if (known !== undefined && known.revision >= revision) return;
    } catch {
      // Reading it again says what is wrong.
    }
    await client.invalidateQueries({ queryKey });
  };
  return useQuery({
    queryKey,
    queryFn,
    refetchInterval: ({ state }) => {
      if (isLive) return false;
      const isOver = state.data !== undefined && hasEnded(state.data.head.status);
      return isOver ? 5 * executionMs : executionMs;
    },
  });
}
