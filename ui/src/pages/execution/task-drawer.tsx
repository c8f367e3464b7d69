// One task beside the page: why, input, output, logs, its worker and its other attempts.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Task, TaskExecLog, WaitReason } from '../../api/types';
import { Button, Dialog } from '../../design/controls';
import { PageLink } from '../../design/page-link';
import { JsonView } from '../../design/json-view';
import { Loaded } from '../../design/notes';
import { Status } from '../../design/status';
import { duration, moment, sentence, withMoments } from '../../state/format';
import { useCalm } from '../../state/calm';
import { Attempts } from './attempts';
import type { Outline } from './outline';

interface TaskDrawerProps {
  readonly taskId: string;
  readonly outline: Outline;
  readonly onClose: () => void;
  readonly openExecution: (id: string) => void;
}

export function TaskDrawer(props: TaskDrawerProps): ReactElement {
  const { taskId, outline, onClose, openExecution } = props;
  const revision = useCalm(outline.revision);
  const task = useQuery({
    queryKey: ['task', taskId, revision],
    queryFn: ({ signal }) => ask<Task>(`/api/tasks/${taskId}`, { signal }),
    placeholderData: keepPreviousData,
  });
  const why = useQuery({
    queryKey: ['task-why', taskId, revision],
    queryFn: ({ signal }) => ask<WaitReason>(`/api/tasks/${taskId}/why`, { signal }),
  });
  const logs = useQuery({
    queryKey: ['task-logs', taskId, revision],
    queryFn: ({ signal }) => ask<TaskExecLog[]>(`/api/tasks/${taskId}/log`, { signal }),
  });
  return (
    <Dialog title={task.data?.referenceTaskName ?? 'Task'} onClose={onClose} side>
      <Loaded query={task}>
        {(shown) => (
          <>
            <dl className="facts">
              <Fact name="Status">
                <Status status={shown.status} />
              </Fact>
              <Fact name="Type">{shown.taskType}</Fact>
              <Fact name="Attempt">{String((shown.retryCount ?? 0) + 1)}</Fact>
              <Fact name="Worker">{shown.workerId ?? 'none yet'}</Fact>
              <Fact name="Scheduled">{moment(shown.scheduledTime)}</Fact>
              <Fact name="Ran">
                {shown.startTime
                  ? duration((shown.endTime || Date.now()) - shown.startTime)
                  : 'not yet'}
              </Fact>
            </dl>
            <Attempts outline={outline} taskId={taskId} refName={shown.referenceTaskName} />
            {shown.subWorkflowId !== undefined && (
              <Button onClick={() => openExecution(shown.subWorkflowId ?? '')}>
                Open the child execution
              </Button>
            )}
            {isQueued(shown) && (
              <PageLink to={`/queues/${encodeURIComponent(shown.taskType)}`}>
                Open its queue
              </PageLink>
            )}
          </>
        )}
      </Loaded>
      {why.data !== undefined && (
        <section className="panel">
          <h3>Why</h3>
          <p>{sentence(withMoments(why.data.reason))}</p>
          {why.data.moves !== '' && (
            <p className="quiet">Moves on: {sentence(withMoments(why.data.moves))}</p>
          )}
        </section>
      )}
      <Loaded query={task}>
        {(shown) => (
          <>
            <h3>Input</h3>
            <JsonView value={shown.inputData ?? {}} label="Input of the task" />
            <h3>Output</h3>
            <JsonView
              value={shown.outputData ?? {}}
              label="Output of the task"
              path={`${shown.referenceTaskName}.output`}
            />
          </>
        )}
      </Loaded>
      {task.data?.workflowTask !== undefined && (
        <details>
          <summary>Definition in force</summary>
          <JsonView value={task.data.workflowTask} label="Definition in force" />
        </details>
      )}
      <h3>Logs</h3>
      <Loaded query={logs}>
        {(lines) =>
          lines.length === 0 ? (
            <p className="quiet">The worker has logged nothing.</p>
          ) : (
            <pre tabIndex={0} aria-label="Logs" className="logs">
              {lines.map(({ createdTime, log }) => `${moment(createdTime)}  ${log}\n`).join('')}
            </pre>
          )
        }
      </Loaded>
    </Dialog>
  );
}

/** Whether workers poll for tasks of its type: of the types of the server its own name is known. */
function isQueued({ taskType, workflowTask }: Task): boolean {
  return taskType === 'SIMPLE' || (workflowTask?.type ?? 'SIMPLE') === 'SIMPLE';
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
