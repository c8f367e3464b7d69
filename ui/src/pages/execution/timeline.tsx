// Tasks over time: a row for each task, with all its attempts (timeline-rows.ts), over lines of the
// axis and of now. A zoom makes it wider than its frame; the names stay in sight. Only the rows in
// sight are in the document, so that 10,000 tasks scroll without a dropped frame
// (test/ui/budgets.test.ts).
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useId, useMemo, useRef, useState, type ReactElement } from 'react';
import { Icon } from '../../design/icon';
import { Empty } from '../../design/notes';
import { statusKind, StatusMark, statusWord } from '../../design/status';
import { taskKind } from '../../graph/graph-node';
import { fineDuration, moment } from '../../state/format';
import { useNarrow } from '../../state/narrow';
import { useView } from '../../state/view';
import type { Outline, TaskRow } from './outline';
import { foldedRows } from './timeline-fold';
import {
  criticalPath,
  rowsOf,
  segmentsOf,
  sumsOf,
  ticksOf,
  type TimelineRow,
} from './timeline-rows';

interface TimelineProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
  /** The task beside it. */
  readonly shownTask?: string | undefined;
  /** Below the graph: of few rows, with its name. */
  readonly isShort?: boolean;
}

const rowPixels = 32;
const zooms = ['1', '2', '5', '10', '50'] as const;
const ticksPerWidth = 6;
const ticksPerNarrowWidth = 3;
/** Of more rows than this, mostly the branches of a fork, none shows icons: they scroll lighter. */
const iconRowsMax = 500;
/** Of the whole width, behind now. */
const room = 0.05;
const tickMs = 5000;

interface Axis {
  /** Epoch ms, as all moments. */
  readonly from: number;
  readonly to: number;
  /** Now, or when it ended. */
  readonly until: number;
}

const shareOf = (at: number, { from, to }: Axis): string =>
  `${Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100))}%`;

export function Timeline(props: TimelineProps): ReactElement {
  const { outline, showTask, shownTask, isShort = false } = props;
  const { head, tasks } = outline;
  const [view, change] = useView();
  const zoom = zooms.find((each) => each === view['zoom']) ?? '1';
  const isNarrow = useNarrow();
  const frame = useRef<HTMLDivElement>(null);
  const barId = useId();
  const critical = useMemo(() => criticalPath(tasks), [tasks]);
  const rows = useMemo(() => {
    const all = rowsOf(tasks);
    return isShort ? foldedRows(all, outline, shownTask) : all;
  }, [tasks, outline, isShort, shownTask]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPixels,
    overscan: 6,
  });
  const shownRow = rows.findIndex(({ attempts }) =>
    attempts.some(({ taskId }) => taskId === shownTask),
  );
  const wasShown = useRef(false);
  useEffect(() => {
    // At first with a row above it; later only where it is out of sight.
    if (shownRow >= 0 && !wasShown.current)
      virtual.scrollToIndex(Math.max(0, shownRow - 1), { align: 'start' });
    else if (shownRow >= 0) virtual.scrollToIndex(shownRow);
    wasShown.current = true;
    // Not when rows come: who has scrolled away wants to stay there.
  }, [shownTask]);
  const isOpen = head.endTime === 0;
  const from = head.startTime;
  // Rows that stay in sight while one scrolls are not drawn again.
  const now = useNow(isOpen, tasks);
  const until = Math.max(head.endTime || (outline.shownAt ?? now), from + 1);
  const axis = useMemo((): Axis => {
    return { from, until, to: until + (until - from) * room };
  }, [from, until]);
  const ticksMax = (isNarrow ? ticksPerNarrowWidth : ticksPerWidth) * Number(zoom);
  const ticks = useMemo(() => ticksOf(until - from, ticksMax), [until, from, ticksMax]);
  if (tasks.length === 0) return <Empty>No task has been scheduled yet.</Empty>;
  const shown = virtual
    .getVirtualItems()
    .map(({ index, start }) => ({ index, start, row: rows[index] as TimelineRow }));
  return (
    <div className="timeline-whole">
      <div className="timeline-head">
        {isShort && <h2>Timeline</h2>}
        <span>{fineDuration(until - from)}</span>
        <Legend />
        <label className="row end">
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
              <i key={ms} style={{ left: shareOf(from + ms, axis) }}>
                {ms === 0 ? moment(from).split(', ').at(-1) : `+${fineDuration(ms)}`}
              </i>
            ))}
            {isOpen && <b style={{ left: shareOf(until, axis) }}>now</b>}
          </span>
          <span className="timeline-sum">Queue</span>
          <span className="timeline-sum">Run</span>
        </div>
        <div
          className="timeline-body"
          style={{ height: virtual.getTotalSize(), width: `${Number(zoom) * 100}%` }}
        >
          <Lines ticks={ticks} axis={axis} isOpen={isOpen} />
          <div className="timeline-names">
            {shown.map(({ row, index, start }) => (
              <Name
                key={row.name}
                {...{ row, start, showTask }}
                bar={`${barId}${index}`}
                showsIcons={rows.length <= iconRowsMax}
              />
            ))}
          </div>
          {shown.map(({ row, index, start }) => (
            <Row
              key={row.name}
              {...{ row, start, axis, critical }}
              bar={`${barId}${index}`}
              isChosen={index === shownRow}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Now, when `news` came or soon after; while `isOpen` it goes on. */
function useNow(isOpen: boolean, news: unknown): number {
  const [ticks, tick] = useState(0);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => tick((each) => each + 1), tickMs);
    return () => clearInterval(timer);
  }, [isOpen]);
  return useMemo(() => Date.now(), [ticks, news]);
}

function Legend(): ReactElement {
  return (
    <span className="timeline-legend grow">
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
    </span>
  );
}

interface LinesProps {
  readonly ticks: readonly number[];
  readonly axis: Axis;
  readonly isOpen: boolean;
}

/** Behind all rows: a line at each moment of the axis, and one where it ended or now is. */
const Lines = memo(function Lines({ ticks, axis, isOpen }: LinesProps): ReactElement {
  return (
    <div className="timeline-lines" aria-hidden="true">
      <span>
        {ticks.map((ms) => (
          <i key={ms} style={{ left: shareOf(axis.from + ms, axis) }} />
        ))}
        <i className={isOpen ? 'now' : 'end'} style={{ left: shareOf(axis.until, axis) }} />
      </span>
    </div>
  );
});

interface NameProps {
  readonly row: TimelineRow;
  /** Pixels from the top. */
  readonly start: number;
  readonly showTask: (taskId: string) => void;
  readonly showsIcons: boolean;
  /** Id of the words of its bar. */
  readonly bar: string;
}

/** The name of a task. Those that stay in sight while one scrolls are not drawn again. */
const Name = memo(function Name(props: NameProps): ReactElement {
  const { row, start, showTask, showsIcons, bar } = props;
  const { name, last } = row;
  return (
    <button
      type="button"
      className="timeline-name"
      title={name}
      aria-describedby={bar}
      style={{ top: start }}
      onClick={() => showTask(last.taskId)}
    >
      {showsIcons && <Icon name={taskKind(last.taskType).icon} />}
      <span>{name}</span>
      {showsIcons && <StatusMark status={last.status} />}
    </button>
  );
});

interface RowProps {
  readonly row: TimelineRow;
  /** Pixels from the top. */
  readonly start: number;
  readonly axis: Axis;
  readonly isChosen: boolean;
  readonly critical: ReadonlySet<string>;
  readonly bar: string;
}

/** When a task waited and ran; as little drawn again as its name. */
const Row = memo(function Row(props: RowProps): ReactElement {
  const { row, start, axis, isChosen, critical, bar } = props;
  const { attempts } = row;
  const { waitedMs, ranMs } = sumsOf(attempts, axis.until);
  return (
    <div className="timeline-row" data-chosen={isChosen} style={{ top: start }}>
      <Bar {...{ attempts, axis, critical }} id={bar} />
      <span className="timeline-sum">{fineDuration(waitedMs)}</span>
      <span className="timeline-sum">{ranMs === undefined ? '–' : fineDuration(ranMs)}</span>
    </div>
  );
});

interface BarProps {
  readonly id: string;
  readonly attempts: readonly TaskRow[];
  readonly axis: Axis;
  readonly critical: ReadonlySet<string>;
}

function Bar({ id, attempts, axis, critical }: BarProps): ReactElement {
  const words = attempts.map((task, index) => {
    const said = segmentsOf(task, axis.until).map(
      ({ verb, since, till }) => `${verb} ${fineDuration(till - since)}`,
    );
    const which = attempts.length === 1 ? '' : `Attempt ${index + 1}: `;
    return which + [statusWord(task.status), ...said].join(', ');
  });
  return (
    <span className="timeline-bar" title={words.join('\n')}>
      <span className="hidden-text" id={id}>
        {words.join('. ')}
      </span>
      {attempts.map((task, index) =>
        segmentsOf(task, axis.until).map(({ kind, since, till }) => (
          <i
            key={`${task.taskId} ${kind}`}
            className={kind}
            data-kind={statusKind(task.status)}
            data-critical={critical.has(task.taskId) || undefined}
            style={{
              left: shareOf(since, axis),
              width: `${((till - since) / (axis.to - axis.from)) * 100}%`,
            }}
          >
            {kind === 'runs' && attempts.length > 1 && <b>{index + 1}</b>}
          </i>
        )),
      )}
    </span>
  );
}
