// One task beside the graph: why it stands as it does, what can be done about it, its attempts,
// input, output and logs.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { ask } from '../../api/client';
import type { Task, TaskExecLog, WaitReason } from '../../api/types';
import { CopyId } from '../../design/copy-id';
import { Icon } from '../../design/icon';
import { JsonView } from '../../design/json-view';
import { Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { firstLine, WholeReason } from '../../design/reason';
import { Status, statusKind } from '../../design/status';
import { whyMs } from '../../live/polling';
import { taskKind } from '../../graph/graph-node';
import { causeOf, plainReason, remedyOf } from '../../state/causes';
import { fineDuration, moment, sentence, withMoments } from '../../state/format';
import { useCalm } from '../../state/calm';
import { Attempts } from './attempts';
import { ChildFailure } from './child-failure';
import { hasEnded, ranMs, type Outline } from './outline';
import { TaskActions } from './task-actions';

interface TaskPaneProps {
  readonly taskId: string;
  readonly outline: Outline;
  /** Why the caller may not change the execution. */
  readonly lacks: string | undefined;
  readonly onClose: () => void;
  readonly openExecution: (id: string) => void;
}

export function TaskPane(props: TaskPaneProps): ReactElement {
  const { taskId, outline, lacks, onClose, openExecution } = props;
  const revision = useCalm(outline.revision);
  // That a worker has taken it changes no revision.
  const refetchInterval = hasEnded(outline.head.status) ? false : whyMs;
  const task = useQuery({
    queryKey: ['task', taskId, revision],
    queryFn: ({ signal }) => ask<Task>(`/api/tasks/${taskId}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval,
  });
  const why = useQuery({
    queryKey: ['task-why', taskId, revision],
    queryFn: ({ signal }) => ask<WaitReason>(`/api/tasks/${taskId}/why`, { signal }),
    refetchInterval,
  });
  const logs = useQuery({
    queryKey: ['task-logs', taskId, revision],
    queryFn: ({ signal }) => ask<TaskExecLog[]>(`/api/tasks/${taskId}/log`, { signal }),
  });
  const row = outline.tasks.find((each) => each.taskId === taskId);
  const name = task.data?.referenceTaskName ?? row?.referenceTaskName ?? 'Task';
  const { icon, word } = taskKind(task.data?.workflowTask?.type ?? row?.taskType ?? '');
  return (
    <aside className="x-pane" aria-label={`Task ${name}`} aria-busy={task.isPending}>
      <header className="pane-head" data-kind={statusKind(row?.status ?? '')}>
        <span className="tile">
          <Icon name={icon} />
        </span>
        <div className="grow">
          <h2>{name}</h2>
          <p className="quiet">
            {word}
            {task.data !== undefined &&
              task.data.taskType !== task.data.workflowTask?.type &&
              ` ${task.data.taskType}`}
          </p>
        </div>
        <button
          type="button"
          className="button bare only-icon"
          aria-label="Close"
          onClick={onClose}
        >
          <Icon name="x" />
        </button>
      </header>
      <div className="pane-body">
        <Loaded query={task}>
          {(shown) => (
            <>
              <CauseOrChild task={shown} why={why.data} isAsked={why.isPending} />
              <TaskActions task={shown} outline={outline} lacks={lacks} />
              <dl className="facts">
                <Fact name="Status">
                  <Status status={shown.status} />
                </Fact>
                <Fact name="Attempt">{String((shown.retryCount ?? 0) + 1)}</Fact>
                <Fact name="Scheduled">{moment(shown.scheduledTime)}</Fact>
                <Fact name="Ran">{ranWords(shown)}</Fact>
                {isQueued(shown) && (
                  <Fact name="Worker">
                    {shown.workerId ?? (shown.endTime ? 'not told' : 'none yet')}
                  </Fact>
                )}
                <Fact name="Id">
                  <CopyId id={shown.taskId} />
                </Fact>
              </dl>
              {shown.subWorkflowId !== undefined && (
                <button
                  type="button"
                  className="button"
                  onClick={() => openExecution(shown.subWorkflowId ?? '')}
                >
                  <Icon name="sub" />
                  Open the child execution
                </button>
              )}
              {shown.status === 'SCHEDULED' && isQueued(shown) && (
                <PageLink to="/first-steps" view={{ execution: outline.head.workflowId }}>
                  Write a worker for it
                </PageLink>
              )}
              {isQueued(shown) && (
                <PageLink to={`/queues/${encodeURIComponent(shown.taskType)}`}>
                  Open its queue
                </PageLink>
              )}
              <Attempts outline={outline} taskId={taskId} refName={shown.referenceTaskName} />
              <Part title="Input">
                <JsonView value={shown.inputData ?? {}} label="Input of the task" />
              </Part>
              <Part title="Output">
                <JsonView
                  value={shown.outputData ?? {}}
                  label="Output of the task"
                  path={`${shown.referenceTaskName}.output`}
                />
              </Part>
              {shown.workflowTask !== undefined && (
                <Part title="Definition in force" isFolded>
                  <JsonView value={shown.workflowTask} label="Definition in force" />
                </Part>
              )}
              <Part title="Logs">
                <Loaded query={logs}>
                  {(lines) =>
                    lines.length === 0 ? (
                      <p className="quiet">The worker has logged nothing.</p>
                    ) : (
                      <pre tabIndex={0} aria-label="Logs" className="logs">
                        {lines
                          .map(({ createdTime, log }) => `${moment(createdTime)}  ${log}\n`)
                          .join('')}
                      </pre>
                    )
                  }
                </Loaded>
              </Part>
            </>
          )}
        </Loaded>
      </div>
    </aside>
  );
}

interface CauseProps {
  readonly task: Task;
  readonly why: WaitReason | undefined;
  /** The answer is to come. */
  readonly isAsked: boolean;
}

/** The failure below it, where it started an execution that failed. */
function CauseOrChild(props: CauseProps): ReactElement {
  const { subWorkflowId, status } = props.task;
  const cause = <Cause {...props} />;
  if (subWorkflowId === undefined || status === 'COMPLETED') return cause;
  return <ChildFailure id={subWorkflowId} otherwise={cause} />;
}

/** The failure, in the words of the worker with its lines; or the reason why it waits. */
function Cause({ task, why, isAsked }: CauseProps): ReactElement | null {
  const { reasonForIncompletion: reason, status } = task;
  const isFailed = /^(?:FAILED|TIMED_OUT)/.test(status);
  if (isFailed && reason !== undefined && reason !== '') {
    const whole = causeOf(reason);
    const first = firstLine(whole);
    const rest = first.endsWith('…') ? whole : whole.slice(first.length + 1);
    return (
      <div className="cause" data-kind="failed">
        <b>{first}</b>
        {rest !== '' && <WholeReason text={rest} />}
      </div>
    );
  }
  if (why === undefined && !isAsked) return null;
  return (
    <section className="cause" aria-label="What the task waits for">
      <h3>Why</h3>
      <p>{why === undefined ? '' : sentence(withMoments(plainReason(why.reason)))}</p>
      {why !== undefined && why.moves !== '' && (
        <p className="quiet">Moves on: {remedyOf(why.moves)}</p>
      )}
    </section>
  );
}

function ranWords(task: Task): string {
  const ms = ranMs(task, Date.now());
  return ms === undefined ? (task.endTime ? 'not at all' : 'not yet') : fineDuration(ms);
}

/** Whether workers poll for tasks of its type: of the types of the server its own name is known. */
export function isQueued({ taskType, workflowTask }: Task): boolean {
  return taskType === 'SIMPLE' || (workflowTask?.type ?? 'SIMPLE') === 'SIMPLE';
}

interface PartProps {
  readonly title: string;
  readonly isFolded?: boolean;
  readonly children: ReactNode;
}

function Part({ title, isFolded = false, children }: PartProps): ReactElement {
  return (
    <details className="part" open={!isFolded}>
      <summary>
        <Icon name="right" />
        <h3>{title}</h3>
      </summary>
      {children}
    </details>
  );
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactElement | string;
}): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
