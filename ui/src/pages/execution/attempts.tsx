// The attempts of one task: status, worker and times, and on demand their reasons, inputs and
// outputs side by side.
import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Task } from '../../api/types';
import { JsonView } from '../../design/json-view';
import { Failure, Skeleton } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { Reason } from '../../design/reason';
import { Status, StatusMark } from '../../design/status';
import { causeOf } from '../../state/causes';
import { useCalm } from '../../state/calm';
import { duration, moment } from '../../state/format';
import { useView } from '../../state/view';
import { ranMs, type Outline, type TaskRow } from './outline';
import { sumsOf } from './timeline-rows';

/** Attempts whose payloads are loaded: the newest ones. */
const shownMax = 10;

interface AttemptsProps {
  readonly outline: Outline;
  readonly refName: string;
  /** The attempt that the drawer shows. */
  readonly taskId: string;
}

export function Attempts({ outline, refName, taskId }: AttemptsProps): ReactElement | null {
  const [isCompared, compare] = useState(false);
  const all = outline.tasks.filter(({ referenceTaskName }) => referenceTaskName === refName);
  if (all.length < 2) return null;
  const attempts = all.slice(-shownMax);
  return (
    <section className="stack" aria-label="Attempts">
      <h3>
        Attempts
        {all.length > attempts.length && (
          <span className="quiet">
            , the last {attempts.length} of {all.length}
          </span>
        )}
      </h3>
      <table className="attempts">
        <thead>
          <tr>
            <th>No.</th>
            <th>Worker</th>
            <th>Began</th>
            <th className="num">Queue</th>
            <th className="num">Run</th>
          </tr>
        </thead>
        <tbody>
          {[...attempts].reverse().map((attempt) => (
            <AttemptRow
              key={attempt.taskId}
              attempt={attempt}
              isShown={attempt.taskId === taskId}
              executionId={outline.head.workflowId}
            />
          ))}
        </tbody>
      </table>
      <details onToggle={({ currentTarget }) => compare(currentTarget.open)}>
        <summary>Inputs and outputs of all attempts</summary>
        {isCompared && <Payloads attempts={attempts} revision={outline.revision} />}
      </details>
    </section>
  );
}

interface AttemptRowProps {
  readonly attempt: TaskRow;
  readonly isShown: boolean;
  readonly executionId: string;
}

function AttemptRow({ attempt, isShown, executionId }: AttemptRowProps): ReactElement {
  const { taskId, retryCount, status, startTime, scheduledTime, workerId } = attempt;
  const [view] = useView();
  const ran = ranMs(attempt, Date.now());
  const { waitedMs } = sumsOf([attempt], Date.now());
  return (
    <tr data-chosen={isShown}>
      <td>
        <PageLink
          to={`/executions/${executionId}`}
          view={{ ...view, task: taskId }}
          title={isShown ? 'Shown here' : 'Show it'}
        >
          <StatusMark status={status} /> {retryCount + 1}
        </PageLink>
      </td>
      <td>{workerId ?? ''}</td>
      <td>
        {moment(startTime || scheduledTime)
          .split(', ')
          .at(-1)}
      </td>
      <td className="num">{startTime === 0 ? '' : duration(waitedMs)}</td>
      <td className="num">{ran === undefined ? '' : duration(ran)}</td>
    </tr>
  );
}

interface PayloadsProps {
  readonly attempts: readonly TaskRow[];
  readonly revision: number;
}

function Payloads({ attempts, revision }: PayloadsProps): ReactElement {
  const calm = useCalm(revision);
  const payloads = useQueries({
    queries: attempts.map((attempt) => ({
      queryKey: ['task', attempt.taskId, attempt.retried ? 'retried' : calm],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        ask<Task>(`/api/tasks/${attempt.taskId}`, { signal }),
    })),
  });
  return (
    <ul className="plain side-by-side">
      {attempts.map(({ taskId, retryCount, status, reasonForIncompletion: reason }, index) => (
        <li key={taskId} className="stack">
          <div className="row">
            <b>{retryCount + 1}.</b>
            <Status status={status} />
          </div>
          {reason !== null && <Reason text={causeOf(reason)} />}
          <Payload query={payloads[index]} />
        </li>
      ))}
    </ul>
  );
}

interface PayloadProps {
  readonly query: UseQueryResult<Task> | undefined;
}

function Payload({ query }: PayloadProps): ReactElement {
  const task = query?.data;
  if (query === undefined || task === undefined)
    return query?.error ? <Failure query={query} /> : <Skeleton />;
  const attempt = `attempt ${(task.retryCount ?? 0) + 1}`;
  return (
    <>
      <JsonView value={task.inputData ?? {}} label={`Input of ${attempt}`} />
      <JsonView value={task.outputData ?? {}} label={`Output of ${attempt}`} />
    </>
  );
}
