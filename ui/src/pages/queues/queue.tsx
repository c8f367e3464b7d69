// One queue and its doctor: what holds it, what would move it on, which tasks wait, who polls.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Task, TaskDef } from '../../api/types';
import { ActionDialog, Button } from '../../design/controls';
import { useBeside } from '../../design/beside-link';
import { PageLink } from '../../design/page-link';
import { ListTable, type Column } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { Pane } from '../../design/pane';
import { Status } from '../../design/status';
import { listMs } from '../../live/polling';
import { plainReason } from '../../state/causes';
import { count, duration, moment, sentence } from '../../state/format';
import { useClosed } from '../../state/rights';
import { Flow } from './flow';
import { LongestWait } from './longest-wait';
import { QueueHolds } from './queue-holds';
import { useQueueStats, type QueueStats } from './queue-stats';

const shownMax = 200;

interface QueuePaneProps {
  readonly taskType: string;
  readonly domain: string;
}

export function QueuePane({ taskType, domain }: QueuePaneProps): ReactElement {
  const [isAsked, setAsked] = useState(false);
  const client = useQueryClient();
  const beside = useBeside();
  const closed = useClosed();
  const stats = useQueueStats();
  return (
    <Pane
      title={domain === '' ? taskType : `${taskType} in ${domain}`}
      about="Queue"
      onClose={() => beside('/queues', { domain: '' })}
    >
      <div className="row">
        <PageLink to={`/task-definitions/${encodeURIComponent(taskType)}`} className="button">
          Task definition
        </PageLink>
        <Button
          refused={closed({ method: 'POST', path: requeuePath(taskType) })}
          onClick={() => setAsked(true)}
        >
          Requeue
        </Button>
      </div>
      <Loaded query={stats}>
        {(queues) => (
          <Doctor
            taskType={taskType}
            queue={queues.find((each) => each.taskType === taskType && each.domain === domain)}
          />
        )}
      </Loaded>
      {!stats.isPending && <PendingTasks taskType={taskType} domain={domain} />}
      {isAsked && (
        <ActionDialog
          title="Requeue"
          effect="Open tasks of this type are put into their queues where they are missing."
          confirm="Requeue"
          act={async () => {
            await ask(requeuePath(taskType), { method: 'POST' });
            await client.invalidateQueries();
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </Pane>
  );
}

const requeuePath = (taskType: string): string =>
  `/api/tasks/queue/requeue/${encodeURIComponent(taskType)}`;

interface DoctorProps {
  readonly taskType: string;
  readonly queue: QueueStats | undefined;
}

function Doctor({ taskType, queue }: DoctorProps): ReactElement {
  if (queue === undefined) return <Empty>No task of {taskType} was queued in this domain.</Empty>;
  return (
    <>
      <section className="panel why" aria-label="Doctor">
        <h2>{queue.kind === undefined ? 'Nothing holds it' : 'What holds it'}</h2>
        <p>{sentence(plainReason(queue.reason))}</p>
        {queue.moves !== '' && <p className="quiet">Moves on: {sentence(queue.moves)}</p>}
        <QueueHolds queue={queue} />
        {!queue.hasDefinition && (
          <p>
            The task type has no task definition: it runs without retries and limits.{' '}
            <PageLink to={`/task-definitions/${encodeURIComponent(taskType)}`}>Write one</PageLink>
          </p>
        )}
      </section>
      <div className="tiles">
        <div>
          <b>{count(queue.waiting)}</b>waiting
        </div>
        {queue.oldestReadyTime !== undefined && (
          <div>
            <b>
              <LongestWait since={queue.oldestReadyTime} />
            </b>
            longest wait
          </div>
        )}
        <div>
          <b>{count(queue.leased)}</b>held by workers
        </div>
        {queue.limit !== undefined && (
          <div>
            <b>
              {count(queue.limit.used)} of {count(queue.limit.max)}
            </b>
            that may run at once
          </div>
        )}
        <div>
          <b>{queue.workers.length}</b>
          {queue.workers.length === 1 ? 'worker known' : 'workers known'}
        </div>
      </div>
      {queue.hasDefinition && <Limits taskType={taskType} />}
      <Flow queue={queue} />
      {queue.workers.length > 0 && (
        <section className="stack" aria-label="Workers">
          <h2>Workers</h2>
          <ul className="plain">
            {queue.workers.map(({ workerId, lastPollTime, leased }) => (
              <li key={workerId}>
                <code>{workerId || 'without a name'}</code> polled {moment(lastPollTime)}
                {leased !== undefined && leased > 0 && `, holds ${leased}`}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Limits({ taskType }: { readonly taskType: string }): ReactElement {
  const definition = useQuery({
    queryKey: ['task-definition', taskType],
    queryFn: ({ signal }) =>
      ask<TaskDef>(`/api/metadata/taskdefs/${encodeURIComponent(taskType)}`, { signal }),
    retry: false,
  });
  const { concurrentExecLimit = 0, rateLimitPerFrequency = 0 } = definition.data ?? {};
  const isFree = concurrentExecLimit === 0 && rateLimitPerFrequency === 0;
  return (
    <p className={isFree ? 'quiet' : ''}>
      {isFree && 'No limit on how many run at once or per second.'}
      {concurrentExecLimit > 0 && `At most ${count(concurrentExecLimit)} at once. `}
      {rateLimitPerFrequency > 0 &&
        `At most ${count(rateLimitPerFrequency)} per ${definition.data?.rateLimitFrequencyInSeconds ?? 1} s.`}
    </p>
  );
}

const columns: readonly Column<Task>[] = [
  {
    title: 'Task',
    width: 'minmax(140px, 2fr)',
    cell: ({ referenceTaskName, workflowInstanceId, taskId }) => (
      <PageLink to={`/executions/${workflowInstanceId}`} view={{ task: taskId }}>
        {referenceTaskName}
      </PageLink>
    ),
  },
  { title: 'Status', width: '130px', cell: ({ status }) => <Status status={status} /> },
  { title: 'Workflow', cell: ({ workflowType }) => workflowType },
  { title: 'Domain', width: '100px', isOptional: true, cell: ({ domain }) => domain },
  { title: 'Worker', cell: ({ workerId }) => workerId },
  {
    title: 'Since',
    width: '120px',
    cell: ({ scheduledTime = 0 }) =>
      scheduledTime === 0 ? '' : duration(Date.now() - scheduledTime),
  },
  { title: 'Lease ends', width: '100px', isOptional: true, cell: leaseEndOf },
];

/** When a task goes back unless its worker reports; '' for one that nobody holds. */
function leaseEndOf({ status, responseTimeoutSeconds = 0, updateTime = 0 }: Task): string {
  if (status !== 'IN_PROGRESS' || responseTimeoutSeconds === 0 || updateTime === 0) return '';
  const left = updateTime + responseTimeoutSeconds * 1000 - Date.now();
  return left > 0 ? `in ${duration(left)}` : 'now';
}

function PendingTasks({
  taskType,
  domain,
}: {
  readonly taskType: string;
  readonly domain: string;
}): ReactElement {
  const path = `/api/admin/task/${encodeURIComponent(taskType)}?start=0&count=${shownMax}`;
  const tasks = useQuery({
    queryKey: ['pending-tasks', taskType],
    queryFn: ({ signal }) => ask<Task[]>(path, { signal }),
    refetchInterval: listMs,
    placeholderData: keepPreviousData,
  });
  return (
    <section className="stack" aria-label="Open tasks">
      <h2>Open tasks</h2>
      <Loaded query={tasks}>
        {(all) => {
          const rows = all.filter((task) => (task.domain ?? '') === domain);
          const isCut = all.length >= shownMax;
          return (
            <>
              {isCut && (
                <p className="quiet">
                  Of the first {count(shownMax)} open tasks of {taskType}:
                </p>
              )}
              {rows.length === 0 ? (
                <p className="quiet">None.</p>
              ) : (
                <ListTable
                  label="Open tasks"
                  isCards
                  rows={rows}
                  columns={columns}
                  keyOf={({ taskId }) => taskId}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
