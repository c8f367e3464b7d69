// The attempts of one task side by side: status, times, worker, reason, input and output.
import { useQueries } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Task } from '../../api/types';
import { JsonView } from '../../design/json-view';
import { ErrorNote, Skeleton } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { Status } from '../../design/status';
import { useCalm } from '../../state/calm';
import { duration, moment } from '../../state/format';
import type { Outline, TaskRow } from './outline';

/** Attempts whose payloads are loaded: the newest ones. */
const shownMax = 10;

interface AttemptsProps {
  readonly outline: Outline;
  readonly refName: string;
  /** The attempt that the drawer shows. */
  readonly taskId: string;
}

export function Attempts({ outline, refName, taskId }: AttemptsProps): ReactElement | null {
  const revision = useCalm(outline.revision);
  const all = outline.tasks.filter(({ referenceTaskName }) => referenceTaskName === refName);
  const attempts = all.length < 2 ? [] : all.slice(-shownMax);
  const payloads = useQueries({
    queries: attempts.map((attempt) => ({
      queryKey: ['task', attempt.taskId, attempt.retried ? 'retried' : revision],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        ask<Task>(`/api/tasks/${attempt.taskId}`, { signal }),
    })),
  });
  if (attempts.length === 0) return null;
  return (
    <section className="panel" aria-label="Attempts">
      <h3>Attempts</h3>
      {all.length > attempts.length && (
        <p className="quiet">
          The last {attempts.length} of {all.length}.
        </p>
      )}
      <ul className="plain side-by-side">
        {attempts.map((attempt, index) => (
          <li key={attempt.taskId} className="stack">
            <AttemptHead
              attempt={attempt}
              isShown={attempt.taskId === taskId}
              executionId={outline.head.workflowId}
            />
            <Payload task={payloads[index]?.data} error={payloads[index]?.error ?? null} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AttemptHeadProps {
  readonly attempt: TaskRow;
  readonly isShown: boolean;
  readonly executionId: string;
}

function AttemptHead({ attempt, isShown, executionId }: AttemptHeadProps): ReactElement {
  const { retryCount, status, startTime, endTime, scheduledTime, workerId } = attempt;
  return (
    <>
      <div className="row">
        <b>{retryCount + 1}.</b>
        <Status status={status} />
        {isShown ? (
          <b>shown here</b>
        ) : (
          <PageLink to={`/executions/${executionId}`} view={{ task: attempt.taskId, tab: 'tasks' }}>
            Show
          </PageLink>
        )}
      </div>
      <p className="quiet">
        {moment(startTime || scheduledTime)}
        {startTime !== 0 && endTime !== 0 && `, ${duration(endTime - startTime)}`}
        {workerId !== null && workerId !== '' && `, ${workerId}`}
      </p>
      {attempt.reasonForIncompletion !== null && <p>{attempt.reasonForIncompletion}</p>}
    </>
  );
}

interface PayloadProps {
  readonly task: Task | undefined;
  readonly error: Error | null;
}

function Payload({ task, error }: PayloadProps): ReactElement {
  if (task === undefined) return error === null ? <Skeleton /> : <ErrorNote error={error} />;
  const attempt = `attempt ${(task.retryCount ?? 0) + 1}`;
  return (
    <>
      <JsonView value={task.inputData ?? {}} label={`Input of ${attempt}`} />
      <JsonView value={task.outputData ?? {}} label={`Output of ${attempt}`} />
    </>
  );
}
