// Why the execution does not go on, what would move it, and links to what it waits for.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Task, WaitReason, WhyAnswer } from '../../api/types';
import { PageLink } from '../../design/page-link';
import { Button } from '../../design/controls';
import { Loaded } from '../../design/notes';
import { statusKind, StatusMark } from '../../design/status';
import { whyMs } from '../../live/polling';
import { useCalm } from '../../state/calm';
import { causeOf, count, counted, duration, sentence, withMoments } from '../../state/format';
import { hasEnded, isFailed, type Outline, type TaskRow } from './outline';

interface WhyPanelProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
}

export function WhyPanel({ outline, showTask }: WhyPanelProps): ReactElement | null {
  const { head, tasks } = outline;
  const revision = useCalm(outline.revision);
  const why = useQuery({
    queryKey: ['why', head.workflowId, revision],
    queryFn: ({ signal }) => ask<WhyAnswer>(`/api/workflow/${head.workflowId}/why`, { signal }),
    refetchInterval: hasEnded(head.status) ? false : whyMs,
    placeholderData: keepPreviousData,
  });
  if (head.status === 'COMPLETED') return null;
  const isOver = hasEnded(head.status);
  const failed = isOver ? tasks.filter(isFailed) : [];
  return (
    <section
      className="why"
      aria-label="Why"
      data-kind={statusKind(head.status)}
      data-pending={why.isPending && failed.length === 0}
    >
      <StatusMark status={head.status} />
      <div className="grow">
        <h2 className="hidden-text">{isOver ? 'Why it ended' : 'Why it waits'}</h2>
        <Loaded query={why}>
          {(answer) => (
            <>
              {failed.length > 0 ? (
                <Failures {...{ failed, outline, showTask }} />
              ) : (
                (isOver || answer.waitsFor.length === 0) && (
                  <p className="reason">{readable(answer.reason, outline)}</p>
                )
              )}
              {answer.nextMoveTime > 0 && <Countdown until={answer.nextMoveTime} />}
              {!isOver && <Reasons answer={answer} outline={outline} showTask={showTask} />}
            </>
          )}
        </Loaded>
      </div>
      {failed.length > 0 && (
        <PageLink
          to="/failures"
          view={{ workflowType: head.workflowName }}
          className="button"
          title="Executions that failed, by cause"
        >
          Others like this
        </PageLink>
      )}
    </section>
  );
}

interface FailuresProps extends WhyPanelProps {
  readonly failed: readonly TaskRow[];
}

/** The failed tasks, how often each was tried, and why, in the words of the worker. */
function Failures({ failed, outline, showTask }: FailuresProps): ReactElement {
  const [first, ...others] = failed;
  const { reasonForIncompletion: whole } = outline.head;
  if (first === undefined) return <p className="reason">{sentence(whole ?? '')}</p>;
  const reason = first.reasonForIncompletion ?? causeOf(whole);
  const attempts = first.retryCount + 1;
  const verb = first.status === 'TIMED_OUT' ? 'timed out' : 'failed';
  return (
    <p className="reason">
      <button type="button" className="link" onClick={() => showTask(first.taskId)}>
        {first.referenceTaskName}
      </button>{' '}
      {verb}
      {attempts > 1 && ` after ${count(attempts)} attempts`}
      {reason === '' ? '.' : `: ${sentence(shownReason(reason))}`}
      {others.length > 0 && ' Also failed: '}
      {others.slice(0, shownMax).map(({ taskId, referenceTaskName }, index) => (
        <span key={taskId}>
          {index > 0 && ', '}
          <button type="button" className="link" onClick={() => showTask(taskId)}>
            {referenceTaskName}
          </button>
        </span>
      ))}
      {others.length > shownMax && ` and ${count(others.length - shownMax)} more.`}
    </p>
  );
}

/** The first line: the whole reason stands beside the task. */
function shownReason(reason: string): string {
  const [line = ''] = reason.split('\n');
  return line.length > reasonCharsMax ? `${line.slice(0, reasonCharsMax)}…` : line;
}

const reasonCharsMax = 300;
const shownMax = 5;

/** Times and tasks of a sentence of the server as people name them. */
function readable(text: string, { tasks }: Outline): string {
  const named = text.replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, (id) => {
    return tasks.find(({ taskId }) => taskId === id)?.referenceTaskName ?? id;
  });
  return sentence(withMoments(named));
}

interface ReasonsProps extends WhyPanelProps {
  readonly answer: WhyAnswer;
}

/** The reasons why it waits; of many alike the first one and their number. */
function Reasons({ answer, outline, showTask }: ReasonsProps): ReactElement | null {
  const groups = new Map<string, { first: WaitReason; alike: number }>();
  for (const reason of answer.waitsFor) {
    const key = `${reason.kind} ${reason.moves}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: reason, alike: 0 });
    else group.alike += 1;
  }
  if (groups.size === 0) return null;
  const hidden = [...groups.values()].slice(shownMax).map(({ alike }) => alike + 1);
  const omitted = hidden.reduce((sum, tasks) => sum + tasks, answer.omitted);
  return (
    <ul className="plain">
      {[...groups].slice(0, shownMax).map(([key, { first, alike }]) => (
        <li key={key}>
          <Reason reason={first} outline={outline} showTask={showTask} />
          {alike > 0 && (
            <p className="quiet">
              {counted(alike, 'more task waits', 'more tasks wait')} for the same.
            </p>
          )}
        </li>
      ))}
      {omitted > 0 && (
        <li className="quiet">
          {counted(omitted, 'more open task is', 'more open tasks are')} not listed.
        </li>
      )}
    </ul>
  );
}

interface ReasonProps extends WhyPanelProps {
  readonly reason: WaitReason;
}

function Reason({ reason, outline, showTask }: ReasonProps): ReactElement {
  const task = outline.tasks.find(({ taskId }) => taskId === reason.taskId);
  return (
    <>
      <p>{readable(reason.reason, outline)}</p>
      <p className="quiet">Moves on: {readable(reason.moves, outline)}</p>
      <div className="row why-links">
        {task !== undefined && (
          <Button onClick={() => showTask(task.taskId)}>{task.referenceTaskName}</Button>
        )}
        {task !== undefined && /queue|worker|poll|limit|rate/.test(reason.kind) && (
          <PageLink to={`/queues/${encodeURIComponent(task.taskDefName)}`} className="button plain">
            Open its queue
          </PageLink>
        )}
        {holdersOf(reason).map((taskId) => (
          <HolderLink key={taskId} taskId={taskId} />
        ))}
        {task?.taskType === 'HUMAN' && (
          <PageLink to={`/inbox/${task.taskId}`} className="button main">
            Do the task
          </PageLink>
        )}
        {task?.subWorkflowId && (
          <PageLink to={`/executions/${task.subWorkflowId}`} className="button plain">
            Open the child
          </PageLink>
        )}
      </div>
    </>
  );
}

const holdersShown = 5;

/** Ids of tasks that hold the places which this one waits for. */
function holdersOf({ data }: WaitReason): readonly string[] {
  const holders = data['heldBy'];
  return Array.isArray(holders) ? (holders as readonly string[]).slice(0, holdersShown) : [];
}

function HolderLink({ taskId }: { readonly taskId: string }): ReactElement | null {
  const holder = useQuery({
    queryKey: ['task', taskId],
    queryFn: ({ signal }) => ask<Task>(`/api/tasks/${taskId}`, { signal }),
    retry: false,
  });
  // It may have ended since, or be of an execution that the caller may not read.
  if (holder.data === undefined) return null;
  const { workflowInstanceId, referenceTaskName } = holder.data;
  return (
    <PageLink
      to={`/executions/${workflowInstanceId}`}
      view={{ task: taskId }}
      className="button plain"
    >
      Held by {referenceTaskName}
    </PageLink>
  );
}

function Countdown({ until }: { readonly until: number }): ReactElement {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const left = until - now;
  return (
    <p className="quiet">{left > 0 ? `Moves by itself in ${duration(left)}.` : 'Moves now.'}</p>
  );
}
