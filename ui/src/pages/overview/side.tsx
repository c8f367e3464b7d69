// Beside the table of the overview: queues that hold work, and what schedules start next.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { ask } from '../../api/client';
import type { WorkflowSchedule } from '../../api/types';
import { Icon, type IconName } from '../../design/icon';
import { PageLink } from '../../design/page-link';
import { useServed } from '../../state/features';
import { count, duration, moment } from '../../state/format';
import { useQueueStats, type QueueStats } from '../queues/queue-stats';

const shownMax = 5;
const schedulesMs = 10_000;

export function Side(): ReactElement {
  const isServed = useServed();
  return (
    <>
      <FullQueues />
      {isServed('scheduler/schedules') && <DueNext />}
    </>
  );
}

/** Those that are held up first, then those that hold most. */
function FullQueues(): ReactElement | null {
  const { data } = useQueueStats();
  const waiting = (data ?? [])
    .filter((queue) => queue.waiting > 0)
    .sort((a, b) => rank(a) - rank(b) || b.waiting - a.waiting);
  if (waiting.length === 0) return null;
  return (
    <SidePanel title="Queues that hold work" all="/queues" number={data?.length ?? 0}>
      {waiting.slice(0, shownMax).map((queue) => (
        <SideRow
          key={`${queue.domain}:${queue.taskType}`}
          icon="queue"
          to={`/queues/${encodeURIComponent(queue.taskType)}`}
          view={queue.domain === '' ? {} : { domain: queue.domain }}
          name={queue.taskType}
        >
          <b className={queue.kind === undefined ? '' : 'error-text'}>{count(queue.waiting)}</b>{' '}
          {waitWord(queue)}
        </SideRow>
      ))}
    </SidePanel>
  );
}

const rank = ({ kind }: QueueStats): number => (kind === undefined ? 1 : 0);

function waitWord({ waiting, oldestReadyTime }: QueueStats): string {
  const verb = waiting === 1 ? 'waits' : 'wait';
  const ms = oldestReadyTime === undefined ? 0 : Date.now() - oldestReadyTime;
  return ms < 1000 ? verb : `${verb}, ${duration(ms)}`;
}

function DueNext(): ReactElement | null {
  const { data = [] } = useQuery({
    queryKey: ['overview', 'schedules'],
    queryFn: ({ signal }) => ask<WorkflowSchedule[]>('/api/scheduler/schedules', { signal }),
    refetchInterval: schedulesMs,
  });
  const next = data
    .flatMap(({ name, paused, nextRunTime }) =>
      paused === true || nextRunTime === undefined ? [] : [{ name, at: nextRunTime }],
    )
    .sort((a, b) => a.at - b.at);
  if (next.length === 0) return null;
  return (
    <SidePanel title="Due next" all="/schedules" number={data.length}>
      {next.slice(0, shownMax).map(({ name, at }) => (
        <SideRow key={name} icon="sched" to="/schedules" view={{ id: name }} name={name}>
          <span title={moment(at)}>in {duration(Math.max(0, at - Date.now()))}</span>
        </SideRow>
      ))}
    </SidePanel>
  );
}

interface SidePanelProps {
  readonly title: string;
  /** Where all of them are. */
  readonly all: string;
  readonly number: number;
  readonly children: ReactNode;
}

function SidePanel({ title, all, number, children }: SidePanelProps): ReactElement {
  return (
    <section className="panel rows" aria-label={title}>
      <div className="panel-head">
        <h2>{title}</h2>
        <span className="row end grow">
          <PageLink to={all}>All {count(number)}</PageLink>
        </span>
      </div>
      <ul className="side-rows">{children}</ul>
    </section>
  );
}

interface SideRowProps {
  readonly icon: IconName;
  readonly to: string;
  readonly view: Record<string, string>;
  readonly name: string;
  readonly children: ReactNode;
}

function SideRow({ icon, to, view, name, children }: SideRowProps): ReactElement {
  return (
    <li>
      <Icon name={icon} />
      <PageLink to={to} view={view}>
        {name}
      </PageLink>
      <span className="quiet">{children}</span>
    </li>
  );
}
