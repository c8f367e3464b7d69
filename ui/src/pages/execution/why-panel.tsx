// Why the execution does not go on, what would move it, and links to what it waits for.
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useState, type ReactElement } from 'react';
import { ask, isUnreached } from '../../api/client';
import type { Task, WaitReason, WhyAnswer } from '../../api/types';
import { Icon } from '../../design/icon';
import { PageLink } from '../../design/page-link';
import { firstLine, Reason } from '../../design/reason';
import { Button } from '../../design/controls';
import { statusKind, StatusMark } from '../../design/status';
import { whyMs } from '../../live/polling';
import { useCalm } from '../../state/calm';
import { causeOf, plainReason, remedyOf } from '../../state/causes';
import { count, counted, duration, sentence, withMoments } from '../../state/format';
import { hasEnded, isFailed, type Outline, type TaskRow } from './outline';

interface WhyPanelProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
}

export function WhyPanel({ outline, showTask }: WhyPanelProps): ReactElement | null {
  const { head, tasks } = outline;
  const revision = useCalm(outline.revision);
  const failed = hasEnded(head.status) ? tasks.filter(isFailed) : [];
  const why = useQuery({
    queryKey: ['why', head.workflowId, revision],
    queryFn: ({ signal }) => ask<WhyAnswer>(`/api/workflow/${head.workflowId}/why`, { signal }),
    refetchInterval: hasEnded(head.status) ? false : whyMs,
    placeholderData: keepPreviousData,
    enabled: failed.length === 0 && head.status !== 'COMPLETED',
  });
  if (head.status === 'COMPLETED') return null;
  if (failed.length > 0) return <Failed {...{ failed, outline, showTask }} />;
  if (hasEnded(head.status)) return <Ended {...{ outline, why }} />;
  return <Waits {...{ outline, why, showTask }} />;
}

interface FailedProps extends WhyPanelProps {
  readonly failed: readonly TaskRow[];
}

/** The outline tells all of it: nothing is waited for. */
function Failed({ failed, outline, showTask }: FailedProps): ReactElement {
  const { status, workflowName } = outline.head;
  return (
    <section className="why" aria-label="Why" data-kind={statusKind(status)}>
      <StatusMark status={status} />
      <div className="grow">
        <h2 className="hidden-text">Why it ended</h2>
        <Failures {...{ failed, outline, showTask }} />
      </div>
      <PageLink
        to="/failures"
        view={{ workflowType: workflowName }}
        className="button"
        title="Executions that failed, by cause"
      >
        Others like this
      </PageLink>
    </section>
  );
}

interface AnsweredProps {
  readonly outline: Outline;
  readonly why: UseQueryResult<WhyAnswer>;
}

/** It ended without a failed task; until the server has said why, the reason that is on record. */
function Ended({ outline, why }: AnsweredProps): ReactElement {
  const { status, reasonForIncompletion = '' } = outline.head;
  return (
    <section className="why" aria-label="Why" data-kind={statusKind(status)}>
      <StatusMark status={status} />
      <div className="grow">
        <h2 className="hidden-text">Why it ended</h2>
        <Reason text={readable(why.data?.reason ?? reasonForIncompletion, outline)} />
      </div>
    </section>
  );
}

/**
 * The reasons why an open execution waits: the first one in two lines, with what can be done about
 * it, the others on demand. Its height is always the same, whatever comes and changes, so that
 * nothing below it moves while one reads.
 */
function Waits({ outline, why, showTask }: AnsweredProps & WhyPanelProps): ReactElement {
  const [isWhole, showWhole] = useState(false);
  const { status } = outline.head;
  const { data: answer } = why;
  // That the server is away is said above.
  const error = isUnreached(why.error) ? null : why.error;
  const groups = useMemo(() => groupsOf(answer?.waitsFor ?? []), [answer]);
  const first = groups[0]?.first;
  const text = first?.reason ?? answer?.reason ?? (error === null ? '' : error.message);
  const others = groups.length - 1;
  return (
    <section className="why waits" aria-label="Why" data-kind={statusKind(status)}>
      <StatusMark status={status} />
      <div className="grow" aria-busy={answer === undefined && error === null}>
        <h2 className="hidden-text">Why it waits</h2>
        <p className="why-line" title={text} role={error === null ? undefined : 'alert'}>
          {readable(text, outline)}
        </p>
        <p
          className="why-line quiet"
          title={first === undefined ? undefined : remedyOf(first.moves)}
        >
          {(groups[0]?.alike ?? 0) > 0 &&
            `${alikeWords(groups[0]?.alike ?? 0, answer?.omitted ?? 0)} `}
          {first !== undefined && `Moves on: ${readable(remedyOf(first.moves), outline)} `}
          {(answer?.nextMoveTime ?? 0) > 0 && <Countdown until={answer?.nextMoveTime ?? 0} />}
        </p>
      </div>
      <div className="row end why-actions">
        {first !== undefined && <ReasonLinks reason={first} {...{ outline, showTask }} />}
        <button
          type="button"
          className="button bare"
          aria-expanded={isWhole}
          onClick={() => showWhole(!isWhole)}
        >
          {others > 0 ? counted(others, 'more reason') : 'Whole reason'}
          <Icon name="down" className="s" />
        </button>
      </div>
      {isWhole && answer !== undefined && <Reasons {...{ answer, groups, outline, showTask }} />}
    </section>
  );
}

interface ReasonGroup {
  readonly first: WaitReason;
  /** How many others wait for the same. */
  readonly alike: number;
}

/** Of many reasons alike the first one and their number. */
function groupsOf(reasons: readonly WaitReason[]): readonly ReasonGroup[] {
  const groups = new Map<string, ReasonGroup>();
  for (const reason of reasons) {
    const key = `${reason.kind} ${reason.moves}`;
    const group = groups.get(key);
    groups.set(key, { first: group?.first ?? reason, alike: group ? group.alike + 1 : 0 });
  }
  return [...groups.values()].sort((a, b) => rankOf(a.first) - rankOf(b.first));
}

/** A reason that stays without a person comes first, one that only waits for other tasks last. */
function rankOf({ kind }: WaitReason): number {
  if (kind === 'branches' || kind === 'loop') return 2;
  return /^(?:not-polled|paused|concurrency-limit|execution-limit)$/.test(kind) ? 0 : 1;
}

/** `omitted`: open tasks that the server has not looked at. */
function alikeWords(alike: number, omitted: number): string {
  const words = `${counted(alike, 'more task waits', 'more tasks wait')} for the same`;
  if (omitted === 0) return `${words}.`;
  return `At least ${words}, and ${counted(omitted, 'further one is', 'further ones are')} open.`;
}

/** The failed tasks, how often each was tried, and why, in the words of the worker. */
function Failures({ failed, outline, showTask }: FailedProps): ReactElement {
  const [first, ...others] = failed;
  const { reasonForIncompletion: whole } = outline.head;
  if (first === undefined) return <Reason text={sentence(causeOf(whole))} />;
  const reason = causeOf(first.reasonForIncompletion ?? whole);
  const attempts = first.retryCount + 1;
  const verb = first.status === 'TIMED_OUT' ? 'timed out' : 'failed';
  return (
    <p className="reason">
      <button type="button" className="link" onClick={() => showTask(first.taskId)}>
        {first.referenceTaskName}
      </button>{' '}
      {verb}
      {attempts > 1 && ` after ${count(attempts)} attempts`}
      {reason === '' ? '.' : `: ${sentence(firstLine(reason))}`}
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

const shownMax = 5;

/** Times and tasks of a sentence of the server as people name them. */
function readable(text: string, { tasks }: Outline): string {
  const named = plainReason(text).replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, (id) => {
    return tasks.find(({ taskId }) => taskId === id)?.referenceTaskName ?? id;
  });
  return sentence(withMoments(named));
}

interface ReasonsProps extends WhyPanelProps {
  readonly answer: WhyAnswer;
  readonly groups: readonly ReasonGroup[];
}

/** All reasons why it waits. */
function Reasons({ answer, groups, outline, showTask }: ReasonsProps): ReactElement {
  const hidden = groups.slice(shownMax).map(({ alike }) => alike + 1);
  const omitted = hidden.reduce((sum, tasks) => sum + tasks, answer.omitted);
  return (
    <ul className="plain why-all">
      {groups.length === 0 && (
        <li>
          <Reason text={readable(answer.reason, outline)} />
        </li>
      )}
      {groups.slice(0, shownMax).map(({ first, alike }, index) => (
        <li key={`${first.kind} ${first.moves}`}>
          <Reason text={readable(first.reason, outline)} />
          <p className="quiet">Moves on: {readable(remedyOf(first.moves), outline)}</p>
          {index > 0 && (
            <div className="row">
              <ReasonLinks reason={first} {...{ outline, showTask }} />
            </div>
          )}
          {alike > 0 && <p className="quiet">{alikeWords(alike, 0)}</p>}
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

/** The remedies of a reason, the likeliest first. */
function ReasonLinks({ reason, outline, showTask }: ReasonProps): ReactElement {
  const task = outline.tasks.find(({ taskId }) => taskId === reason.taskId);
  return (
    <>
      {task?.taskType === 'HUMAN' && (
        <PageLink to={`/inbox/${task.taskId}`} className="button main">
          Do the task
        </PageLink>
      )}
      {task !== undefined && (
        <Button onClick={() => showTask(task.taskId)}>{task.referenceTaskName}</Button>
      )}
      {task !== undefined && /queue|worker|poll|limit|rate/.test(reason.kind) && (
        <PageLink to={`/queues/${encodeURIComponent(task.taskDefName)}`} className="button">
          Open its queue
        </PageLink>
      )}
      {holdersOf(reason).map((taskId) => (
        <HolderLink key={taskId} taskId={taskId} />
      ))}
      {task?.subWorkflowId && (
        <PageLink to={`/executions/${task.subWorkflowId}`} className="button">
          Open the child
        </PageLink>
      )}
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
    <PageLink to={`/executions/${workflowInstanceId}`} view={{ task: taskId }} className="button">
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
  return <span>{left > 0 ? `Moves by itself in ${duration(left)}.` : 'Moves now.'}</span>;
}
