// The first five minutes: an execution whose task waits for a worker, the worker to copy in four
// languages, what the server hears of it as it comes, and what to do next.
import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../design/icon';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { PageLink } from '../../design/page-link';
import { StatusMark, statusKind } from '../../design/status';
import { useFeatures } from '../../state/features';
import { useView } from '../../state/view';
import {
  hasEnded,
  outlinePath,
  useOutline,
  type Outline,
  type TaskRow,
} from '../execution/outline';
import { ExecutionGraph } from '../execution/execution-graph';
import { useQueueStats } from '../queues/queue-stats';
import { SampleButton } from './empty-overview';
import { Result } from './result';
import { WorkerTabs } from './worker-tabs';
import { waitingTask } from './worker-code';
import './first-steps.css';

export function FirstSteps(): ReactElement {
  const [{ execution = '' }] = useView();
  if (execution === '') {
    return (
      <>
        <PageHead title="First steps" call={{ method: 'GET', path: '/api/metadata/workflow' }} />
        <Empty action={<SampleButton />} command="downbeat start --demo">
          The sample is a small workflow that waits for a worker of yours.
        </Empty>
      </>
    );
  }
  return <Steps key={execution} id={execution} />;
}

function Steps({ id }: { readonly id: string }): ReactElement {
  const outline = useOutline(id);
  return (
    <>
      <PageHead title="Your first worker" call={{ method: 'GET', path: outlinePath(id) }} />
      <Loaded query={outline} gone="It was removed, or it is past its retention.">
        {(loaded) => <LoadedSteps outline={loaded} />}
      </Loaded>
    </>
  );
}

function LoadedSteps({ outline }: { readonly outline: Outline }): ReactElement {
  const { head, definition, tasks } = outline;
  const row = workersTask(tasks);
  const task = row && waitingTask(definition, row.referenceTaskName);
  const worker = useWorkerOf(row, task?.taskType);
  const isOver = hasEnded(head.status);
  const isDone = row?.status === 'COMPLETED' || isOver;
  const needsKey = (useFeatures()?.user.id ?? '') !== '';
  return (
    <ol className="steps">
      <Step number={1} title={`${head.workflowName} runs`} state="done">
        <p className="quiet">
          The server has done what it can by itself.{' '}
          <PageLink to={`/executions/${head.workflowId}`}>See the execution</PageLink>
        </p>
        <ExecutionGraph outline={outline} showTask={() => undefined} />
      </Step>
      <Step
        number={2}
        title={stepTitle({ worker, isDone, taskType: task?.taskType })}
        state={isDone ? 'done' : worker === undefined ? 'waiting' : 'running'}
      >
        {task === undefined ? (
          <p className="quiet">No task of this execution is for a worker.</p>
        ) : (
          <>
            {!isDone && worker === undefined && (
              <p className="quiet">
                Task {row?.referenceTaskName} waits for a worker of the type{' '}
                <code>{task.taskType}</code>. Copy one and start it: this page sees it when it asks
                for the first time.
              </p>
            )}
            {needsKey && (
              <p className="quiet">
                This server asks who calls. Make a key under Applications, and give it to the worker
                as <code>CONDUCTOR_AUTH_KEY</code> and <code>CONDUCTOR_AUTH_SECRET</code>.
              </p>
            )}
            <WorkerTabs task={task} />
          </>
        )}
      </Step>
      <Step number={3} title={isOver ? 'What next' : 'Then'} state={isOver ? 'done' : 'waiting'}>
        {isOver ? (
          <Result outline={outline} />
        ) : (
          <p className="quiet">The execution goes on by itself once your worker has answered.</p>
        )}
      </Step>
    </ol>
  );
}

/** The task that a worker does: the one that waits, or else the last one that a worker did. */
function workersTask(tasks: readonly TaskRow[]): TaskRow | undefined {
  const forWorkers = tasks.filter(({ taskType }) => !isOfServer(taskType));
  return forWorkers.find(({ status }) => status === 'SCHEDULED') ?? forWorkers.at(-1);
}

const isOfServer = (type: string): boolean => type !== 'SIMPLE' && /^[A-Z][A-Z_]+$/.test(type);

/** Its id, once it has polled since the task waits, or has taken it. */
function useWorkerOf(row: TaskRow | undefined, taskType: string | undefined): string | undefined {
  const { data = [] } = useQueueStats();
  const [poller] = data
    .filter((queue) => queue.taskType === taskType)
    .flatMap(({ workers }) => workers)
    // One that has asked before may have gone.
    .filter(({ lastPollTime }) => lastPollTime >= (row?.scheduledTime ?? 0));
  return row?.workerId ?? poller?.workerId;
}

interface Told {
  readonly worker: string | undefined;
  readonly isDone: boolean;
  readonly taskType: string | undefined;
}

function stepTitle({ worker, isDone, taskType }: Told): string {
  if (worker !== undefined) return `Connected: ${worker} asks for ${taskType ?? 'tasks'}`;
  return isDone ? 'Done without a worker' : 'Waiting for your first worker';
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: 'done' | 'running' | 'waiting';
  readonly children: ReactNode;
}

const statuses = { done: 'COMPLETED', running: 'RUNNING', waiting: 'SCHEDULED' } as const;

function Step({ number, title, state, children }: StepProps): ReactElement {
  const status = statuses[state];
  return (
    <li className="panel" data-state={state} aria-label={`Step ${number}`}>
      <h2 role="status">
        <span data-kind={statusKind(status)} className="row">
          {state === 'done' ? <Icon name="st-ok" /> : <StatusMark status={status} />}
        </span>
        {title}
      </h2>
      {children}
    </li>
  );
}
