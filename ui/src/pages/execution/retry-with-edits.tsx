// Runs a failed execution again from its failed task, with the input of that task edited.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Task } from '../../api/types';
import { ActionDialog, Field } from '../../design/controls';
import { isFailed, type Outline } from './outline';

interface RetryWithEditsProps {
  readonly outline: Outline;
  readonly onClose: () => void;
}

export function RetryWithEdits({ outline, onClose }: RetryWithEditsProps): ReactElement {
  const { head, tasks } = outline;
  const failed = tasks.filter(isFailed);
  const [taskId, choose] = useState(failed[0]?.taskId ?? '');
  const [reason, setReason] = useState('');
  const [text, setText] = useState('');
  const [before, setBefore] = useState('');
  const client = useQueryClient();
  const task = useQuery({
    queryKey: ['task', taskId, outline.revision],
    queryFn: () => ask<Task>(`/api/tasks/${taskId}`),
    enabled: taskId !== '',
  });
  useEffect(() => {
    if (task.data === undefined) return;
    const shown = JSON.stringify(task.data.inputData ?? {}, undefined, 2);
    setText(shown);
    setBefore(shown);
  }, [task.data]);
  const isEdited = text !== before;
  const problem = isEdited ? problemOf(text) : undefined;
  const act = async (): Promise<void> => {
    if (problem !== undefined) throw new Error(problem);
    const why = reason === '' ? '' : `reason=${encodeURIComponent(reason)}`;
    if (!isEdited) {
      const path = `/api/workflow/${head.workflowId}/retry?resumeSubworkflowTasks=true&${why}`;
      await ask(path, { method: 'POST' });
    } else {
      await ask(`/api/workflow/${head.workflowId}/rerun?${why}`, {
        method: 'POST',
        body: { reRunFromTaskId: taskId, taskInput: JSON.parse(text) as unknown },
      });
    }
    await client.invalidateQueries();
  };
  return (
    <ActionDialog
      title="Retry with edits"
      effect={
        isEdited
          ? 'The execution runs again from this task, with the input below.'
          : 'The failed tasks run again with the input that they had. Edit it to change that.'
      }
      confirm="Retry"
      act={act}
      onClose={onClose}
    >
      {failed.length > 1 && (
        <Field
          label="Failed task"
          kind="select"
          value={taskId}
          options={failed.map((each) => each.taskId)}
          onChange={choose}
        />
      )}
      {taskId !== '' && (
        <Field
          label={`Input of ${failed.find((each) => each.taskId === taskId)?.referenceTaskName ?? ''}`}
          kind="text"
          value={text}
          onChange={setText}
          error={problem}
        />
      )}
      <Field label="Reason" value={reason} onChange={setReason} hint="Kept with the execution" />
    </ActionDialog>
  );
}

function problemOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
    return isObject ? undefined : 'The input must be a JSON object';
  } catch (error) {
    return (error as Error).message;
  }
}
