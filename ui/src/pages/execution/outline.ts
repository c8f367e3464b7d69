// The outline of an execution: its head and its tasks as objects.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ask } from '../../api/client';
import type { TaskStatus, WorkflowDef, WorkflowStatus } from '../../api/types';
import { executionMs } from '../../live/polling';

export interface ExecutionHead {
  readonly workflowId: string;
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly status: WorkflowStatus;
  readonly startTime: number;
  readonly updateTime: number;
  readonly endTime: number;
  readonly priority: number;
  readonly inputChars: number;
  readonly outputChars: number;
  readonly correlationId?: string;
  readonly parentWorkflowId?: string;
  readonly createdBy?: string;
  readonly reasonForIncompletion?: string;
}

export interface TaskRow {
  readonly taskId: string;
  readonly referenceTaskName: string;
  readonly taskType: string;
  readonly taskDefName: string;
  readonly status: TaskStatus;
  readonly scheduledTime: number;
  readonly startTime: number;
  readonly endTime: number;
  readonly retryCount: number;
  readonly retried: boolean;
  readonly iteration: number;
  readonly workerId: string | null;
  readonly domain: string | null;
  readonly subWorkflowId: string | null;
  readonly reasonForIncompletion: string | null;
}

export interface Outline {
  readonly head: ExecutionHead;
  readonly definition: WorkflowDef;
  readonly revision: number;
  readonly tasks: readonly TaskRow[];
}

interface OutlineAnswer {
  readonly head: ExecutionHead;
  readonly workflowDefinition: WorkflowDef;
  readonly revision: number;
  readonly tasks: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly unknown[])[];
  };
}

export const hasEnded = (status: WorkflowStatus): boolean =>
  status !== 'RUNNING' && status !== 'PAUSED';

/** Tasks that ended without success, unless a later attempt took their place. */
export const isFailed = ({ status, retried }: TaskRow): boolean =>
  !retried && /^(?:FAILED|TIMED_OUT|CANCELED)/.test(status);

export function outlinePath(id: string): string {
  return `/api/workflow/${encodeURIComponent(id)}/outline`;
}

export async function readOutline(id: string, signal?: AbortSignal): Promise<Outline> {
  const answer = await ask<OutlineAnswer>(outlinePath(id), signal === undefined ? {} : { signal });
  const { columns, rows } = answer.tasks;
  return {
    head: answer.head,
    definition: answer.workflowDefinition,
    revision: answer.revision,
    tasks: rows.map(
      (row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])) as unknown as TaskRow,
    ),
  };
}

/** Asked again each second until the execution has ended, then rarely: it may be retried. */
export function useOutline(id: string): UseQueryResult<Outline> {
  return useQuery({
    queryKey: ['outline', id],
    queryFn: ({ signal }) => readOutline(id, signal),
    refetchInterval: ({ state }) =>
      state.data !== undefined && hasEnded(state.data.head.status) ? 5 * executionMs : executionMs,
  });
}
