// Numbers over time as bars: stacked by status, or one number per step. A table of the same numbers
// stands below, for who cannot see bars and for who wants to know exactly.
import type { ReactElement } from 'react';
import { count, moment } from '../state/format';
import { statusKind, statusWord } from './status';

const width = 600;
const height = 120;
/** Between two bars, of the width of a step. */
const gap = 0.15;

export interface PlotSeries {
  /** Such as FAILED. */
  readonly status: string;
  readonly values: readonly number[];
}

interface PlotProps {
  readonly label: string;
  /** Begins of the steps, epoch ms. */
  readonly times: readonly number[];
  readonly untilAt: number;
  readonly series: readonly PlotSeries[];
}

export function StackedPlot({ label, times, untilAt, series }: PlotProps): ReactElement {
  const totals = times.map((_, step) => sumOf(series, step));
  const most = Math.max(1, ...totals);
  const step = width / times.length;
  return (
    <figure className="plot">
      <Scale most={most} />
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${count(totals.reduce((sum, each) => sum + each, 0))} in all, at most ${count(Math.max(0, ...totals))} in a step`}
      >
        {times.map((at, index) => (
          <g key={at}>
            <title>{describe(at, series, index)}</title>
            <rect x={index * step} y={0} width={step} height={height} fill="transparent" />
            {stacked(series, index, most).map(({ status, from, share }) => (
              <rect
                key={status}
                data-kind={statusKind(status)}
                x={(index + gap / 2) * step}
                width={step * (1 - gap)}
                y={(1 - from - share) * height}
                height={share * height}
              />
            ))}
          </g>
        ))}
      </svg>
      <Times from={times[0] ?? untilAt} until={untilAt} />
    </figure>
  );
}

interface SmallPlotProps {
  readonly label: string;
  readonly times: readonly number[];
  readonly untilAt: number;
  /** null: not known. */
  readonly values: readonly (number | null)[];
}

export function SmallPlot({ label, times, untilAt, values }: SmallPlotProps): ReactElement {
  const most = Math.max(1, ...values.map((each) => each ?? 0));
  const step = width / values.length;
  return (
    <figure className="plot small-plot">
      <Scale most={most} />
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: at most ${count(most)}`}
      >
        {values.map((value, index) =>
          value === null ? null : (
            <rect
              key={index}
              x={index * step}
              width={step}
              y={(1 - value / most) * height}
              height={(value / most) * height}
            >
              <title>{`${moment(times[index])}: ${count(value)}`}</title>
            </rect>
          ),
        )}
      </svg>
      <Times from={times[0] ?? untilAt} until={untilAt} />
    </figure>
  );
}

/** Bars without a scale, for a line of text. */
export function Trend({
  label,
  values,
}: {
  readonly label: string;
  readonly values: readonly number[];
}): ReactElement {
  const most = Math.max(1, ...values);
  const step = 120 / values.length;
  return (
    <svg className="trend" viewBox="0 0 120 24" role="img" aria-label={label}>
      <title>{label}</title>
      {values.map((value, index) => (
        <rect
          key={index}
          className={value === 0 ? 'none' : undefined}
          x={index * step + 1}
          width={step - 2}
          y={24 - Math.max(1, (value / most) * 24)}
          height={Math.max(1, (value / most) * 24)}
        />
      ))}
    </svg>
  );
}

function Scale({ most }: { readonly most: number }): ReactElement {
  return (
    <div className="plot-scale" aria-hidden="true">
      <span>{count(most)}</span>
      <span>0</span>
    </div>
  );
}

function Times({ from, until }: { readonly from: number; readonly until: number }): ReactElement {
  return (
    <figcaption className="plot-times">
      <span>{moment(from)}</span>
      <span>{moment(until)}</span>
    </figcaption>
  );
}

function sumOf(series: readonly PlotSeries[], step: number): number {
  return series.reduce((sum, { values }) => sum + (values[step] ?? 0), 0);
}

interface Part {
  readonly status: string;
  readonly from: number;
  readonly share: number;
}

/** Shares of the height, from the bottom. */
function stacked(series: readonly PlotSeries[], step: number, most: number): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const { status, values } of series) {
    const share = (values[step] ?? 0) / most;
    if (share > 0) parts.push({ status, from, share });
    from += share;
  }
  return parts;
}

function describe(at: number, series: readonly PlotSeries[], step: number): string {
  const parts = series
    .filter(({ values }) => (values[step] ?? 0) > 0)
    .map(({ status, values }) => `${count(values[step] ?? 0)} ${statusWord(status).toLowerCase()}`);
  return `${moment(at)}: ${parts.length === 0 ? 'none' : parts.join(', ')}`;
}
