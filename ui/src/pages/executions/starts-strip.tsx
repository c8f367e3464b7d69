// When executions started, and what became of them, as a strip above the list. A span of it that is
// drawn over is the time that the list is about; the fields of the list say the same in numbers.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef, useState, type PointerEvent, type ReactElement } from 'react';
import { ask } from '../../api/client';
import { workflowStatuses, type Series } from '../../api/types';
import { Icon } from '../../design/icon';
import { statusKind, statusWord } from '../../design/status';
import { spanShort } from '../../design/window-choice';
import { keep, kept } from '../../state/browser-store';
import { count, duration, isoText, moment } from '../../state/format';
import { useView } from '../../state/view';

const spans = ['1h', '1d', '7d'] as const;
type Span = (typeof spans)[number];
const spanKey = 'downbeat.strip';
/** Bars change little from one second to the next, ms. */
const stripMs = 10_000;

interface StartsStripProps {
  /** The list comes first: a browser has six connections to a server. */
  readonly isAsked: boolean;
}

export function StartsStrip({ isAsked }: StartsStripProps): ReactElement {
  const [span, choose] = useState<Span>(() => spans.find((each) => each === kept(spanKey)) ?? '1d');
  const query = useQuery({
    queryKey: ['series', span],
    queryFn: ({ signal }) => ask<Series>(`/api/stats/series?window=${span}`, { signal }),
    enabled: isAsked,
    refetchInterval: stripMs,
    placeholderData: keepPreviousData,
  });
  return (
    <section className="strip" aria-label="Starts over time">
      <div className="row between">
        <p>
          <b>Starts</b>{' '}
          <span className="quiet">
            {query.data !== undefined && `per ${duration(query.data.stepMs)}; `}
            draw over a time to see only what started in it
          </span>
        </p>
        <div className="segments" role="group" aria-label="How far back">
          {spans.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === span}
              onClick={() => {
                keep(spanKey, each);
                choose(each);
              }}
            >
              {spanShort(each)}
            </button>
          ))}
        </div>
      </div>
      <Bars series={query.data} untilAt={query.dataUpdatedAt} />
    </section>
  );
}

const width = 1000;
const height = 48;

interface BarsProps {
  readonly series: Series | undefined;
  readonly untilAt: number;
}

function Bars({ series, untilAt }: BarsProps): ReactElement {
  const [view, change] = useView();
  const plot = useRef<SVGSVGElement>(null);
  /** Where the pointer went down and where it is, as shares of the width. */
  const [drawn, draw] = useState<readonly [number, number]>();
  const times = series?.times ?? [];
  const fromAt = times[0] ?? untilAt - 1;
  const shareOf = (at: number): number => clamped((at - fromAt) / (untilAt - fromAt));
  const timeOf = (share: number): number => fromAt + share * (untilAt - fromAt);
  const shareAt = ({ clientX }: PointerEvent): number => {
    const box = plot.current?.getBoundingClientRect();
    return box === undefined ? 0 : clamped((clientX - box.left) / box.width);
  };
  const finish = (event: PointerEvent): void => {
    if (drawn === undefined) return;
    const [low = 0, high = 0] = [drawn[0], shareAt(event)].sort((a, b) => a - b);
    draw(undefined);
    if (high - low < shareMin) return;
    const to = high > 1 - shareMin ? '' : isoText(timeOf(high));
    change({ from: isoText(timeOf(low)), to, start: '' });
  };
  const [from, to] = [Date.parse(view['from'] ?? ''), Date.parse(view['to'] ?? '')];
  const isChosen = !Number.isNaN(from) || !Number.isNaN(to);
  const chosen = isChosen
    ? [Number.isNaN(from) ? 0 : shareOf(from), Number.isNaN(to) ? 1 : shareOf(to)]
    : undefined;
  const [low, high] = [...(drawn ?? chosen ?? [])].sort((a, b) => a - b);
  const totals = times.map((_, step) => sumAt(series, step));
  const most = Math.max(1, ...totals);
  return (
    <>
      <svg
        ref={plot}
        className="strip-plot"
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${count(totals.reduce((sum, each) => sum + each, 0))} executions started, at most ${count(Math.max(0, ...totals))} in a step`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          draw([shareAt(event), shareAt(event)]);
        }}
        onPointerMove={(event) => {
          if (drawn !== undefined) draw([drawn[0], shareAt(event)]);
        }}
        onPointerUp={finish}
        onPointerCancel={() => draw(undefined)}
      >
        {times.map((at, step) => (
          <Bar
            key={at}
            x={shareOf(at) * width}
            width={(shareOf(times[step + 1] ?? untilAt) - shareOf(at)) * width}
            {...{ series, step, most }}
          />
        ))}
        {low !== undefined && high !== undefined && (
          <rect
            className="strip-chosen"
            {...{ x: low * width, y: 0, width: (high - low) * width, height }}
          />
        )}
      </svg>
      <div className="plot-times">
        <span>{series === undefined ? ' ' : moment(fromAt)}</span>
        {chosen !== undefined && (
          <button
            type="button"
            className="link"
            onClick={() => change({ from: '', to: '', start: '' })}
          >
            <Icon name="x" className="s" /> All times
          </button>
        )}
        <span>now</span>
      </div>
    </>
  );
}

/** A shorter movement is a click. */
const shareMin = 0.008;

const clamped = (share: number): number => Math.min(1, Math.max(0, share));

/** From the bottom: what needs no person is pale. */
const order = [...workflowStatuses].sort(
  (a, b) => Number(b === 'COMPLETED') - Number(a === 'COMPLETED'),
);

function sumAt(series: Series | undefined, step: number): number {
  return order.reduce((sum, status) => sum + (series?.started[status]?.[step] ?? 0), 0);
}

interface BarProps {
  readonly x: number;
  readonly width: number;
  readonly series: Series | undefined;
  readonly step: number;
  readonly most: number;
}

function Bar({ x, width: whole, series, step, most }: BarProps): ReactElement {
  const parts = order.flatMap((status) => {
    const value = series?.started[status]?.[step] ?? 0;
    return value === 0 ? [] : [{ status, value }];
  });
  const words = parts.map(
    ({ status, value }) => `${count(value)} ${statusWord(status).toLowerCase()}`,
  );
  let bottom = height;
  return (
    <g>
      <title>{`${moment(series?.times[step])}: ${words.join(', ') || 'none'}`}</title>
      <rect {...{ x, y: 0, width: whole, height }} fill="transparent" />
      {parts.map(({ status, value }) => {
        const part = Math.max(1.5, (value / most) * (height - 2));
        bottom -= part;
        return (
          <rect
            key={status}
            data-kind={statusKind(status)}
            {...{ x: x + whole * 0.08, y: Math.max(0, bottom), width: whole * 0.84, height: part }}
          />
        );
      })}
    </g>
  );
}
