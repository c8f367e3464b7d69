// Tasks over time: each row one attempt, in up to three segments: the delay before it may be handed
// out, which is that of a retry mostly, its wait in the queue, and its run. A zoom makes it wider
// than its frame; the names stay in sight. Only the rows in sight are in the document, so that
// 10,000 tasks scroll without a dropped frame (test/ui/budgets.test.ts).
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, type ReactElement } from 'react';
import { Empty } from '../../design/notes';
import { statusKind, statusWord } from '../../design/status';
import { duration } from '../../state/format';
import { useView } from '../../state/view';
import type { Outline, TaskRow } from './outline';

interface TimelineProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
}

const rowPixels = 28;
const zooms = ['1', '2', '5', '10', '50'] as const;

export function Timeline({ outline, showTask }: TimelineProps): ReactElement {
  const { head, tasks } = outline;
  const [view, change] = useView();
  const zoom = zooms.find((each) => each === view['zoom']) ?? '1';
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPixels,
    overscan: 12,
  });
  if (tasks.length === 0) return <Empty>No task has been scheduled yet.</Empty>;
  const from = head.startTime;
  const until = Math.max(head.endTime || (outline.shownAt ?? Date.now()), from + 1);
  return (
    <div className="stack">
      <div className="row">
        <label className="row">
          Zoom
          <select
            value={zoom}
            onChange={({ target }) =>
              change({ zoom: target.value === '1' ? '' : target.value }, true)
            }
          >
            {zooms.map((each) => (
              <option key={each} value={each}>
                {each} ×
              </option>
            ))}
          </select>
        </label>
        <span className="quiet">
          {duration(until - from)} in all. Outlined: the delay of a retry. Light: waits in its
          queue. Full: runs. Each attempt has a row.
        </span>
      </div>
      <div className="timeline" ref={frame} tabIndex={0} role="region" aria-label="Timeline">
        <div
          className="timeline-body"
          style={{ height: virtual.getTotalSize(), width: `${Number(zoom) * 100}%` }}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const task = tasks[index] as TaskRow;
            return (
              <div
                key={task.taskId}
                className="timeline-row"
                style={{ transform: `translateY(${start}px)` }}
              >
                <button type="button" className="link" onClick={() => showTask(task.taskId)}>
                  {task.referenceTaskName}
                  {task.retryCount > 0 ? ` (attempt ${task.retryCount + 1})` : ''}
                </button>
                <Bar task={task} from={from} until={until} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface BarProps {
  readonly task: TaskRow;
  readonly from: number;
  readonly until: number;
}

function Bar({ task, from, until }: BarProps): ReactElement {
  const segments = segmentsOf(task, until);
  const said = segments.map(({ verb, since, till }) => `${verb} ${duration(till - since)}`);
  const words = [statusWord(task.status), ...said].join(', ');
  const share = (ms: number): string =>
    `${Math.min(100, Math.max(0, (ms / (until - from)) * 100))}%`;
  return (
    <span className="timeline-bar" data-kind={statusKind(task.status)} title={words}>
      <span className="hidden-text">{words}</span>
      {segments.map(({ kind, since, till }) => (
        <i
          key={kind}
          className={kind}
          style={{ left: share(since - from), width: share(till - since) }}
        />
      ))}
    </span>
  );
}

interface Segment {
  readonly kind: 'delayed' | 'waits' | 'runs';
  readonly verb: string;
  /** Epoch ms, as `till`. */
  readonly since: number;
  readonly till: number;
}

/** What an attempt has spent its time on, in order; parts that took no time are left out. */
function segmentsOf(task: TaskRow, until: number): readonly Segment[] {
  const { scheduledTime, startDelaySeconds, startTime } = task;
  const endedAt = task.endTime || until;
  const startedAt = startTime || endedAt;
  const dueAt = Math.min(startedAt, scheduledTime + startDelaySeconds * 1000);
  const all: readonly Segment[] = [
    { kind: 'delayed', verb: 'held back', since: scheduledTime, till: dueAt },
    { kind: 'waits', verb: 'waited', since: dueAt, till: startedAt },
    { kind: 'runs', verb: 'ran', since: startedAt, till: endedAt },
  ];
  return all.filter(({ kind, since, till }) => till > since || kind === 'runs');
}
