// The actions of a person on one task: complete, fail or put back one that is open, run a failed
// one again. The reason stands in the log of the task, or as the reason of its failure.
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { JsonObject, Task } from '../../api/types';
import { ActionDialog, Button, Field } from '../../design/controls';
import { Icon, type IconName } from '../../design/icon';
import { Menu, type MenuAction } from '../../design/menu';
import { statusWord } from '../../design/status';
import { useView } from '../../state/view';
import { hasEnded, type Outline } from './outline';
import { checkOutput, OutputField, useOutputSchema } from './output-field';

type ActionName =
  'complete' | 'fail' | 'fail-for-good' | 'skip' | 'requeue' | 'extend' | 'retry' | 'rerun';

interface TaskAction {
  readonly name: ActionName;
  readonly title: string;
  readonly icon: IconName;
  readonly effect: string;
  readonly danger?: boolean;
}

const actions: readonly TaskAction[] = [
  {
    name: 'retry',
    title: 'Retry',
    icon: 'retry',
    effect: 'The failed tasks of the execution run again with the input that they had.',
  },
  {
    name: 'rerun',
    title: 'Rerun from here',
    icon: 'rerun',
    effect: 'The execution runs again from this task; what came after it is dropped.',
  },
  {
    name: 'complete',
    title: 'Complete',
    icon: 'check',
    effect: 'The task counts as completed with the output below, and the execution goes on.',
  },
  {
    name: 'fail',
    title: 'Fail',
    icon: 'x',
    effect: 'This attempt counts as failed; it is tried again as its definition says.',
    danger: true,
  },
  {
    name: 'fail-for-good',
    title: 'Fail for good',
    icon: 'stop',
    effect: 'The task counts as failed and is not tried again.',
    danger: true,
  },
  {
    name: 'skip',
    title: 'Skip',
    icon: 'skip',
    effect:
      'The execution goes on without it. Its output is empty; who has it loses it, and a child that it started is ended.',
  },
  {
    name: 'requeue',
    title: 'Put back into the queue',
    icon: 'undo',
    effect: 'The worker that has it loses it, and the next one that polls gets it.',
  },
  {
    name: 'extend',
    title: 'Extend the lease',
    icon: 'sched',
    effect: 'Its worker gets the whole response timeout once more.',
  },
];

interface TaskActionsProps {
  readonly task: Task;
  readonly outline: Outline;
  /** Why the caller may not change the execution. */
  readonly lacks: string | undefined;
}

/** The two that fit best as buttons, the others with their reasons in a menu. */
export function TaskActions({ task, outline, lacks }: TaskActionsProps): ReactElement {
  const [opened, setOpened] = useState<TaskAction>();
  const [view, change] = useView();
  const [shownBefore, remember] = useState('');
  /** Meanwhile the page stays at this task, also when it ends: what is typed is not lost. */
  const open = (action: TaskAction): void => {
    setOpened(action);
    remember(view['task'] ?? '');
    change({ task: task.taskId }, true);
  };
  const close = (): void => {
    setOpened(undefined);
    change({ task: shownBefore }, true);
  };
  const refusalOf = (name: ActionName): string | undefined => lacks ?? refusal(name, task, outline);
  const possible = actions.filter(({ name }) => refusalOf(name) === undefined);
  const shown = possible.slice(0, shownMax);
  const rest = actions.filter((action) => !shown.includes(action));
  return (
    <div className="row" role="group" aria-label="Actions on the task">
      {shown.map((action) => (
        <Button key={action.name} onClick={() => open(action)}>
          <Icon name={action.icon} className="s" />
          {action.title}
        </Button>
      ))}
      <Menu
        label="More actions on the task"
        actions={rest.map((action): MenuAction => ({
          title: action.title,
          icon: action.icon,
          about: action.effect,
          refused: refusalOf(action.name),
          act: () => open(action),
        }))}
      />
      {opened !== undefined && (
        <TaskActionDialog
          action={opened}
          task={task}
          executionId={outline.head.workflowId}
          onClose={close}
        />
      )}
    </div>
  );
}

const shownMax = 3;
const isOpen = (status: string): boolean => status === 'SCHEDULED' || status === 'IN_PROGRESS';

/** Why an action cannot be taken; undefined: it can. */
function refusal(name: ActionName, task: Task, { head }: Outline): string | undefined {
  const word = statusWord(task.status).toLowerCase();
  switch (name) {
    case 'retry':
      if (!hasEnded(head.status)) return 'The execution goes on: retry one that has failed';
      if (head.status === 'COMPLETED') return 'The execution has completed';
      return isOpen(task.status) || task.status === 'COMPLETED' || task.status === 'SKIPPED'
        ? `The task is ${word}`
        : undefined;
    case 'rerun':
      if (task.status === 'SKIPPED') return 'The task was skipped: there is nothing to run again';
      return hasEnded(head.status) ? undefined : 'The execution has not ended';
    default:
      break;
  }
  if (hasEnded(head.status)) return 'The execution has ended';
  if (!isOpen(task.status)) return `The task is ${word}`;
  if (name === 'skip') return refusalOfSkip(task, head.status);
  if (name === 'requeue' || name === 'extend') {
    return task.status === 'IN_PROGRESS' ? undefined : 'No worker has it';
  }
  return undefined;
}

function refusalOfSkip({ taskType }: Task, executionStatus: string): string | undefined {
  if (executionStatus === 'PAUSED') return 'The execution is paused: resume it first';
  const waits = taskType === 'JOIN' || taskType === 'DO_WHILE';
  return waits ? 'It waits for other tasks: skip those' : undefined;
}

interface TaskActionDialogProps {
  readonly action: TaskAction;
  readonly task: Task;
  readonly executionId: string;
  readonly onClose: () => void;
}

function TaskActionDialog(props: TaskActionDialogProps): ReactElement {
  const { action, task, executionId, onClose } = props;
  const { name, title, effect, danger = false } = action;
  const [text, setText] = useState('{}');
  const [reason, setReason] = useState('');
  const client = useQueryClient();
  const hasOutput = name === 'complete' || name === 'fail' || name === 'fail-for-good';
  const schema = useOutputSchema(task);
  const act = async (): Promise<void> => {
    const output = hasOutput ? outputOf(text) : {};
    if (name === 'complete') checkOutput(schema, output);
    await carryOut({ name, task, executionId, output, reason: reason.trim() });
    await client.invalidateQueries();
  };
  return (
    <ActionDialog {...{ title, effect, danger, act, onClose }} confirm={title}>
      {hasOutput && (
        <OutputField schema={name === 'complete' ? schema : undefined} {...{ text, setText }} />
      )}
      <Field
        label="Reason"
        value={reason}
        onChange={setReason}
        required={name === 'fail' || name === 'fail-for-good' || name === 'skip'}
        hint={
          name === 'retry' || name === 'rerun' ? 'Kept with the execution' : 'Kept with the task'
        }
      />
    </ActionDialog>
  );
}

interface Carried {
  readonly name: ActionName;
  readonly task: Task;
  readonly executionId: string;
  readonly output: JsonObject;
  readonly reason: string;
}

async function carryOut({ name, task, executionId, output, reason }: Carried): Promise<void> {
  const { taskId } = task;
  const why = reason === '' ? '' : `reason=${encodeURIComponent(reason)}`;
  const path = `/api/workflow/${executionId}`;
  if (name === 'retry') {
    await ask(`${path}/retry?resumeSubworkflowTasks=true&${why}`, { method: 'POST' });
    return;
  }
  if (name === 'rerun') {
    await ask(`${path}/rerun?${why}`, { method: 'POST', body: { reRunFromTaskId: taskId } });
    return;
  }
  if (name === 'skip') {
    const ref = encodeURIComponent(task.referenceTaskName);
    await ask(`${path}/skiptask/${ref}?evenIfOpen=true&${why}`, { method: 'PUT' });
    return;
  }
  const log = reason === '' ? undefined : `${noted[name]}: ${reason}`;
  const body = {
    ...{ taskId, workflowInstanceId: executionId, ...reports[name] },
    ...(name === 'extend' || name === 'requeue' ? {} : { outputData: output }),
    ...(name.startsWith('fail') ? { reasonForIncompletion: reason } : {}),
    ...(log === undefined ? {} : { logs: [{ log, taskId, createdTime: Date.now() }] }),
  };
  await ask('/api/tasks?onlyIfOpen=true', { method: 'POST', body });
  // A report that extends a lease carries nothing else.
  if (name === 'extend' && log !== undefined) {
    await ask(`/api/tasks/${taskId}/log`, { method: 'POST', body: log });
  }
}

type Reported = Exclude<ActionName, 'retry' | 'rerun' | 'skip'>;

const noted: Readonly<Record<Reported, string>> = {
  complete: 'Completed by hand',
  fail: 'Failed by hand',
  'fail-for-good': 'Failed for good by hand',
  requeue: 'Put back into the queue by hand',
  extend: 'Lease extended by hand',
};

const reports: Readonly<Record<Reported, JsonObject>> = {
  complete: { status: 'COMPLETED' },
  fail: { status: 'FAILED' },
  'fail-for-good': { status: 'FAILED_WITH_TERMINAL_ERROR' },
  requeue: { status: 'IN_PROGRESS', callbackAfterSeconds: 0 },
  extend: { status: 'IN_PROGRESS', extendLease: true },
};

/** Throws an error that names the field. */
function outputOf(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`Output: ${(error as Error).message}`, { cause: error });
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new Error('Output: it must be a JSON object');
  }
  return value as JsonObject;
}
