// Why the execution does not go on, what would move it, and links to what it waits for.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { WaitReason, WhyAnswer } from '../../api/types';
import { PageLink } from '../../design/page-link';
import { Loaded } from '../../design/notes';
import { whyMs } from '../../live/polling';
import { duration, sentence } from '../../state/format';
import { hasEnded, isFailed, type Outline } from './outline';

interface WhyPanelProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
}

export function WhyPanel({ outline, showTask }: WhyPanelProps): ReactElement | null {
  const { head, revision, tasks } = outline;
  const why = useQuery({
    queryKey: ['why', head.workflowId, revision],
    queryFn: ({ signal }) => ask<WhyAnswer>(`/api/workflow/${head.workflowId}/why`, { signal }),
    refetchInterval: hasEnded(head.status) ? false : whyMs,
    placeholderData: keepPreviousData,
  });
  if (head.status === 'COMPLETED') return null;
  const failed = hasEnded(head.status) ? tasks.filter(isFailed) : [];
  return (
    <section className="panel why" aria-label="Why">
      <h2>{hasEnded(head.status) ? 'Why it ended' : 'Why it waits'}</h2>
      <Loaded query={why}>
        {(answer) => (
          <>
            <p>{sentence(answer.reason)}</p>
            {answer.nextMoveTime > 0 && <Countdown until={answer.nextMoveTime} />}
            {failed.length === 0 && answer.waitsFor.length > 0 && !hasEnded(head.status) && (
              <ul className="plain">
                {answer.waitsFor.map((reason, index) => (
                  <li key={`${reason.kind}${reason.taskId ?? index}`}>
                    <Reason reason={reason} outline={outline} showTask={showTask} />
                  </li>
                ))}
              </ul>
            )}
            {failed.length > 0 && (
              <ul className="plain">
                {failed.slice(0, shownMax).map(({ taskId, referenceTaskName }) => (
                  <li key={taskId}>
                    <button type="button" className="button plain" onClick={() => showTask(taskId)}>
                      Show {referenceTaskName}
                    </button>
                  </li>
                ))}
              </ul>
            )}
            {answer.omitted > 0 && <p className="quiet">And {answer.omitted} more open tasks.</p>}
          </>
        )}
      </Loaded>
    </section>
  );
}

const shownMax = 5;

function Reason({
  reason,
  outline,
  showTask,
}: WhyPanelProps & { readonly reason: WaitReason }): ReactElement {
  const task = outline.tasks.find(({ taskId }) => taskId === reason.taskId);
  return (
    <>
      {task !== undefined && (
        <>
          <button type="button" className="button plain" onClick={() => showTask(task.taskId)}>
            {task.referenceTaskName}
          </button>{' '}
        </>
      )}
      {sentence(reason.reason)} <span className="quiet">Moves on: {sentence(reason.moves)}</span>{' '}
      {task !== undefined && /queue|worker|poll/.test(reason.kind) && (
        <PageLink to={`/queues/${encodeURIComponent(task.taskType)}`}>Open its queue</PageLink>
      )}
      {task?.subWorkflowId && (
        <PageLink to={`/executions/${task.subWorkflowId}`}>Open the child</PageLink>
      )}
    </>
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
