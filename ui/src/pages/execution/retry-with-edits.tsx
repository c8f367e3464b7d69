// Retries the failed tasks of an execution; the input of each can be edited before. A task that
// nobody has edited is retried with the input that it had.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { JsonObject, RetryWorkflowRequest, Task } from '../../api/types';
import { ActionDialog, Field } from '../../design/controls';
import { isRetriable, type Outline, type TaskRow } from './outline';

interface RetryWithEditsProps {
  readonly outline: Outline;
  readonly onClose: () => void;
}

/** Texts of inputs that differ from those of the failed attempts, by reference. */
type Edits = Readonly<Record<string, string>>;

export function RetryWithEdits({ outline, onClose }: RetryWithEditsProps): ReactElement {
  const { head, tasks } = outline;
  const failed = tasks.filter(isRetriable);
  const [chosen, choose] = useState(failed[0]?.referenceTaskName ?? '');
  const [reason, setReason] = useState('');
  const [edits, setEdits] = useState<Edits>({});
  const client = useQueryClient();
  const edited = Object.keys(edits);
  const act = async (): Promise<void> => {
    const body = requestOf(edits, reason);
    const whole = body.taskInputs === undefined ? '?resumeSubworkflowTasks=true' : '';
    await ask(`/api/workflow/${head.workflowId}/retry${whole}`, { method: 'POST', body });
    await client.invalidateQueries();
  };
  const task = failed.find(({ referenceTaskName }) => referenceTaskName === chosen);
  return (
    <ActionDialog
      title="Retry"
      effect={
        edited.length === 0
          ? 'The failed tasks run again with the input that they had. Edit it to change that.'
          : `The failed tasks run again, ${edited.join(', ')} with the input below.`
      }
      confirm="Retry"
      act={act}
      onClose={onClose}
    >
      {failed.length > 1 && (
        <Field
          label="Failed task"
          kind="select"
          value={chosen}
          options={failed.map(({ referenceTaskName }) => referenceTaskName)}
          onChange={choose}
        />
      )}
      {task !== undefined && (
        <InputField
          key={task.taskId}
          task={task}
          edit={edits[chosen]}
          onEdit={(text) => {
            const { [chosen]: _before, ...others } = edits;
            setEdits(text === undefined ? others : { ...others, [chosen]: text });
          }}
        />
      )}
      <Field label="Reason" value={reason} onChange={setReason} hint="Kept with the execution" />
    </ActionDialog>
  );
}

interface InputFieldProps {
  readonly task: TaskRow;
  readonly edit: string | undefined;
  /** undefined: as it was. */
  readonly onEdit: (text: string | undefined) => void;
}

function InputField({ task, edit, onEdit }: InputFieldProps): ReactElement {
  const failed = useQuery({
    queryKey: ['task', task.taskId, 'input'],
    queryFn: ({ signal }) => ask<Task>(`/api/tasks/${task.taskId}`, { signal }),
  });
  const before =
    failed.data === undefined ? '' : JSON.stringify(inputOf(failed.data), undefined, 2);
  const text = edit ?? before;
  return (
    <Field
      label={`Input of ${task.referenceTaskName}`}
      kind="text"
      value={text}
      readOnly={failed.data === undefined}
      onChange={(next) => onEdit(next === before ? undefined : next)}
      error={edit === undefined ? undefined : problemOf(text)}
    />
  );
}

/** Of a task that runs a workflow, the input of that one. */
function inputOf({ taskType, inputData = {} }: Task): unknown {
  return taskType === 'SUB_WORKFLOW' ? (inputData['workflowInput'] ?? {}) : inputData;
}

/** Throws an error that names the task. */
function requestOf(edits: Edits, reason: string): RetryWorkflowRequest {
  const taskInputs: Record<string, JsonObject> = {};
  for (const [ref, text] of Object.entries(edits)) {
    const problem = problemOf(text);
    if (problem !== undefined) throw new Error(`Input of ${ref}: ${problem}`);
    taskInputs[ref] = JSON.parse(text) as JsonObject;
  }
  return {
    ...(Object.keys(edits).length === 0 ? {} : { taskInputs }),
    ...(reason === '' ? {} : { reason }),
  };
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
