// Tasks over time: each row one attempt, in up to three segments: the delay before it may be handed
// out, which is that of a retry mostly, its wait in the queue, and its run. A zoom makes it wider
// than its frame; the names stay in sight. Only the rows in sight are in the document, so that
// 10,000 tasks scroll without a dropped frame (test/ui/budgets.test.ts).
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useMemo, useRef, type ReactElement } from 'react';
import { Empty } from '../../design/notes';
import { statusKind, statusWord } from '../../design/status';
import { duration, moment } from '../../state/format';
import { useView } from '../../state/view';
import { ranMs, type Outline, type TaskRow } from './outline';

interface TimelineProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
  /** The task beside it. */
  readonly shownTask?: string | undefined;
  /** Below the graph: of few rows. */
  readonly isShort?: boolean;
}

const rowPixels = 32;
const zooms = ['1', '2', '5', '10', '50'] as const;

export function Timeline(props: TimelineProps): ReactElement {
  const { outline, showTask, shownTask, isShort = false } = props;
  const { head, tasks } = outline;
  const [view, change] = useView();
  const zoom = zooms.find((each) => each === view['zoom']) ?? '1';
  const frame = useRef<HTMLDivElement>(null);
  const critical = useMemo(() => criticalPath(tasks), [tasks]);
  const virtual = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPixels,
    overscan: 12,
  });
  const from = head.startTime;
  const isOpen = head.endTime === 0;
  const until = Math.max(head.endTime || (outline.shownAt ?? Date.now()), from + 1);
  const ticks = useMemo(() => ticksOf(until - from, Number(zoom)), [until, from, zoom]);
  if (tasks.length === 0) return <Empty>No task has been scheduled yet.</Empty>;
  return (
    <div className="timeline-whole">
      <div className="timeline-head">
        <b>{duration(until - from)}</b>
        <span className="legend">
          <i className="delayed" /> Retry delay
        </span>
        <span className="legend">
          <i className="waits" /> Queue wait
        </span>
        <span className="legend">
          <i className="runs" /> Run
        </span>
        <span className="legend">
          <i className="critical" /> Critical path
        </span>
        <label className="row end grow">
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
      </div>
      <div
        className={isShort ? 'timeline short' : 'timeline'}
        ref={frame}
        tabIndex={0}
        role="region"
        aria-label="Timeline"
      >
        <div className="timeline-axis" style={{ width: `${Number(zoom) * 100}%` }}>
          <span />
          <span className="timeline-ticks" aria-hidden="true">
            {ticks.map((ms) => (
              <i key={ms} style={{ left: `${(ms / (until - from)) * 100}%` }}>
                {ms === 0 ? moment(from).split(', ').at(-1) : `+${duration(ms)}`}
              </i>
            ))}
            {isOpen && <b>now</b>}
          </span>
          <span className="timeline-sum">Queue</span>
          <span className="timeline-sum">Run</span>
        </div>
        <div
          className="timeline-body"
          style={{ height: virtual.getTotalSize(), width: `${Number(zoom) * 100}%` }}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const task = tasks[index] as TaskRow;
            return (
              <Row
                key={task.taskId}
                {...{ task, start, from, until, showTask }}
                isChosen={task.taskId === shownTask}
                isCritical={critical.has(task.taskId)}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  readonly task: TaskRow;
  /** Pixels from the top. */
  readonly start: number;
  /** Epoch ms, as `until`. */
  readonly from: number;
  readonly until: number;
  readonly showTask: (taskId: string) => void;
  readonly isChosen: boolean;
  readonly isCritical: boolean;
}

/** One attempt. Rows that stay in sight while one scrolls are not drawn again. */
const Row = memo(function Row(props: RowProps): ReactElement {
  const { task, start, from, until, showTask, isChosen, isCritical } = props;
  const { waits, runs } = sumsOf(task, until);
  return (
    <div
      className="timeline-row"
      data-chosen={isChosen}
      data-critical={isCritical}
      style={{ transform: `translateY(${start}px)` }}
    >
      <button type="button" className="link" onClick={() => showTask(task.taskId)}>
        {task.referenceTaskName}
        {task.retryCount > 0 ? ` (attempt ${task.retryCount + 1})` : ''}
      </button>
      <Bar task={task} from={from} until={until} />
      <span className="timeline-sum">{waits}</span>
      <span className="timeline-sum">{runs}</span>
    </div>
  );
});

function sumsOf(task: TaskRow, until: number): { readonly waits: string; readonly runs: string } {
  const { scheduledTime, startTime } = task;
  const begun = startTime === 0 ? until : startTime;
  const ran = ranMs(task, until);
  return {
    waits: duration(Math.max(0, begun - scheduledTime)),
    runs: ran === undefined ? '' : duration(ran),
  };
}

const tickSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const secondSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600];
const ticksPerWidth = 5;

/** Moments of the axis, ms from the start. */
function ticksOf(totalMs: number, zoom: number): readonly number[] {
  const least = totalMs / (ticksPerWidth * zoom);
  const steps = [...tickSteps, ...secondSteps.map((seconds) => seconds * 1000)];
  const step = steps.find((each) => each >= least) ?? Math.ceil(least / 86_400_000) * 86_400_000;
  // The last one would stand over the end.
  const many = Math.floor((totalMs * 0.94) / step);
  return Array.from({ length: many + 1 }, (_, index) => index * step);
}

/**
 * Attempts that nothing could have been faster without: from the one that ended last, back to
 * whatever ended last before each began. A fork waits for nothing of its own branches.
 */
function criticalPath(tasks: readonly TaskRow[]): ReadonlySet<string> {
  const ended = tasks
    .filter(({ endTime, taskType }) => endTime > 0 && !/^(?:FORK|DO_WHILE)/.test(taskType))
    .sort((a, b) => a.endTime - b.endTime);
  const path = new Set<string>();
  let until = Number.POSITIVE_INFINITY;
  for (const task of ended.reverse()) {
    if (task.endTime > until) continue;
    path.add(task.taskId);
    until = task.scheduledTime;
  }
  return path;
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

/** The parts of an attempt's time, in order; parts that took no time are left out. */
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
