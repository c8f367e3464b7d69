// Controls of one execution. Each says what it does, asks for a reason, and is done only when the
// server shows the new state.
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ApiError, ask, type Method } from '../../api/client';
import type { WorkflowStatus } from '../../api/types';
import { ActionDialog, Field } from '../../design/controls';
import type { IconName } from '../../design/icon';
import { statusWord } from '../../design/status';
import type { Outline } from './outline';

export type ControlName =
  'pause' | 'resume' | 'retry' | 'restart' | 'terminate' | 'skip' | 'signal' | 'rerun';

interface ControlKind {
  readonly name: ControlName;
  readonly icon: IconName;
  readonly title: string;
  readonly effect: string;
  readonly takes: readonly WorkflowStatus[];
  readonly danger?: boolean;
}

const ended: readonly WorkflowStatus[] = ['COMPLETED', 'FAILED', 'TIMED_OUT', 'TERMINATED'];

export const controls: readonly ControlKind[] = [
  {
    name: 'pause',
    icon: 'pause',
    title: 'Pause',
    effect: 'Tasks that run go on; no further task is scheduled until it is resumed.',
    takes: ['RUNNING'],
  },
  {
    name: 'resume',
    icon: 'play',
    title: 'Resume',
    effect: 'The execution goes on where it was paused.',
    takes: ['PAUSED'],
  },
  {
    name: 'retry',
    icon: 'retry',
    title: 'Retry',
    effect: 'The failed tasks run again with the input that they had.',
    takes: ['FAILED', 'TIMED_OUT', 'TERMINATED'],
  },
  {
    name: 'rerun',
    icon: 'rerun',
    title: 'Rerun from a task',
    effect: 'The execution runs again from the chosen task; what came after it is dropped.',
    takes: ended,
  },
  {
    name: 'restart',
    icon: 'undo',
    title: 'Restart',
    effect: 'All tasks are dropped and the execution begins again, with the latest definition.',
    takes: ended,
  },
  {
    name: 'skip',
    icon: 'skip',
    title: 'Skip a task',
    effect: 'The task counts as skipped when the execution reaches it.',
    takes: ['RUNNING'],
  },
  {
    name: 'signal',
    icon: 'event',
    title: 'Signal',
    effect: 'Completes the task that the execution waits for, with the output below.',
    takes: ['RUNNING'],
  },
  {
    name: 'terminate',
    icon: 'stop',
    title: 'Terminate',
    effect: 'The execution ends as terminated and its open tasks are cancelled.',
    takes: ['RUNNING', 'PAUSED'],
    danger: true,
  },
];

/** Why a control cannot be used with a status; undefined when it can. */
export function refusalOf(name: ControlName, status: WorkflowStatus): string | undefined {
  const takes = controls.find((control) => control.name === name)?.takes ?? [];
  if (takes.includes(status)) return undefined;
  const word = statusWord(status).toLowerCase();
  return takes === ended || !takes.includes('RUNNING')
    ? `Not while it is ${word}`
    : `It is ${word}: only one that runs takes it`;
}

/** Why no signal finds a task; undefined: one may. A child may have one that waits. */
export function signalRefusal({ tasks }: Outline): string | undefined {
  const mayWait = tasks.some(
    ({ status, taskType }) =>
      (status === 'SCHEDULED' || status === 'IN_PROGRESS') && signalled.test(taskType),
  );
  return mayWait ? undefined : 'No task waits for a signal';
}

const signalled = /^(?:WAIT|HUMAN|YIELD|SUB_WORKFLOW)$/;

interface ControlDialogProps {
  readonly name: ControlName;
  readonly outline: Outline;
  readonly onClose: () => void;
}

export function ControlDialog({ name, outline, onClose }: ControlDialogProps): ReactElement | null {
  const [reason, setReason] = useState('');
  const [ref, setRef] = useState('');
  const [text, setText] = useState('{}');
  const client = useQueryClient();
  const kind = controls.find((control) => control.name === name);
  if (kind === undefined) return null;
  const { head, tasks } = outline;
  const choices = name === 'skip' ? refsOf(outline) : [...new Set(tasks.map(refOf))];
  const act = async (): Promise<void> => {
    const taskId = tasks.find((task) => refOf(task) === ref && !task.retried)?.taskId;
    const { method, path, body } = requestOf({ name, id: head.workflowId, ref, text, taskId });
    const separator = path.includes('?') ? '&' : '?';
    const why = reason === '' ? '' : `${separator}reason=${encodeURIComponent(reason)}`;
    try {
      await ask(path + why, { method, ...(body === undefined ? {} : { body }) });
    } catch (error) {
      if (name === 'signal' && error instanceof ApiError && error.status === 404) {
        throw new Error(nothingWaits, { cause: error });
      }
      throw error;
    }
    await client.invalidateQueries();
  };
  return (
    <ActionDialog
      title={kind.title}
      effect={kind.effect}
      confirm={kind.title}
      danger={kind.danger === true}
      act={act}
      onClose={onClose}
    >
      {(name === 'skip' || name === 'rerun') && (
        <Field
          label="Task"
          kind="select"
          value={ref}
          options={['', ...choices]}
          required={name === 'skip'}
          onChange={setRef}
          hint={name === 'rerun' ? 'None: from the beginning' : undefined}
        />
      )}
      {name === 'signal' && <Field label="Output" kind="text" value={text} onChange={setText} />}
      <Field label="Reason" value={reason} onChange={setReason} hint="Kept with the execution" />
    </ActionDialog>
  );
}

const nothingWaits = 'No task waits for a signal, so nothing has changed';

const refOf = ({ referenceTaskName }: { readonly referenceTaskName: string }): string =>
  referenceTaskName;

/** Throws an error that names the field. */
function parsedOutput(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`Output: ${(error as Error).message}`, { cause: error });
  }
}

/** References of the definition that have no task yet. */
function refsOf({ definition, tasks }: Outline): readonly string[] {
  const known = new Set(tasks.map(refOf));
  const refs: string[] = [];
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    const { taskReferenceName: ref, type } = value as Record<string, unknown>;
    if (typeof ref === 'string' && typeof type === 'string' && !known.has(ref)) refs.push(ref);
    Object.values(value).forEach(visit);
  };
  visit(definition.tasks);
  return refs;
}

interface Asked {
  readonly name: ControlName;
  readonly id: string;
  readonly ref: string;
  readonly text: string;
  readonly taskId: string | undefined;
}

interface ControlRequest {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
}

function requestOf({ name, id, ref, text, taskId }: Asked): ControlRequest {
  const path = `/api/workflow/${id}`;
  switch (name) {
    case 'pause':
    case 'resume':
      return { method: 'PUT', path: `${path}/${name}` };
    case 'retry':
      return { method: 'POST', path: `${path}/retry?resumeSubworkflowTasks=true` };
    case 'restart':
      return { method: 'POST', path: `${path}/restart?useLatestDefinitions=true` };
    case 'rerun': {
      const body = taskId === undefined ? {} : { reRunFromTaskId: taskId };
      return { method: 'POST', path: `${path}/rerun`, body };
    }
    case 'skip':
      return { method: 'PUT', path: `${path}/skiptask/${encodeURIComponent(ref)}`, body: {} };
    case 'signal':
      return {
        method: 'POST',
        // Unlike the plain form it says when nothing waited.
        path: `/api/tasks/${id}/COMPLETED/signal/sync?timeoutMillis=0`,
        body: parsedOutput(text),
      };
    case 'terminate':
      return { method: 'DELETE', path };
  }
}
