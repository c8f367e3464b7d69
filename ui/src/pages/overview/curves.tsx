// Four curves over the window: starts, finished tasks, how long tasks waited for a worker, and
// failures; each with its value now and how far that is from what is usual in the window.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Overview, Rates } from '../../api/types';
import { duration, rate } from '../../state/format';
import { spanWord } from '../../design/window-choice';
import { useQueueStats, type QueueStats } from '../queues/queue-stats';
import { curveOf, type Curve, type Steps } from './curve';

/** They change little from one second to the next, ms. */
const curvesMs = 5000;
const minuteMs = 60_000;

interface CurvesProps {
  readonly span: string;
  readonly perMinute: Overview['perMinute'];
}

export function Curves({ span, perMinute }: CurvesProps): ReactElement {
  const rates = useQuery({
    queryKey: ['rates', span],
    queryFn: ({ signal }) => ask<Rates>(`/api/stats/rates?window=${span}`, { signal }),
    refetchInterval: curvesMs,
    placeholderData: keepPreviousData,
  });
  const queues = useQueueStats();
  return (
    <section className="curves" aria-label={`Curves of the last ${spanWord(span)}`}>
      {curvesOf(rates.data, perMinute, queues.data).map((shown) => (
        <CurveCard key={shown.title} {...shown} />
      ))}
    </section>
  );
}

interface CurveCardProps {
  readonly title: string;
  /** Absent until it is known. */
  readonly curve: Curve | undefined;
  /** More than usual is bad. */
  readonly isBadUp?: boolean;
  /** Its values in words. */
  readonly say?: (value: number) => string;
}

function curvesOf(
  rates: Rates | undefined,
  latest: Overview['perMinute'],
  queues: readonly QueueStats[] = [],
): readonly CurveCardProps[] {
  const perMinute = (values: Steps): Steps =>
    values.map((value) => (value === null ? null : value / ((rates?.stepMs ?? 1) / minuteMs)));
  const { started = [], failed = [], timedOut = [] } = rates?.executions ?? {};
  const finished = (rates?.queues ?? []).map(({ series: each }) => each.completed);
  const curve = (isKnown: boolean, values: Steps, now?: number): Curve | undefined =>
    isKnown ? curveOf(values, now) : undefined;
  const isCounted = rates !== undefined;
  return [
    { title: 'Starts per minute', curve: curve(isCounted, perMinute(started), latest.started) },
    {
      title: 'Tasks finished per minute',
      curve: curve(
        isCounted,
        perMinute(sumOf(finished, started)),
        queues.reduce((sum, { perMinute: { completed } }) => sum + completed, 0),
      ),
    },
    {
      title: 'Queue wait, p95',
      curve: curve(isCounted, rates?.waitMs.p95 ?? []),
      isBadUp: true,
      say: duration,
    },
    {
      title: 'Failures per minute',
      curve: curve(
        isCounted,
        perMinute(sumOf([failed, timedOut], started)),
        latest.failed + latest.timedOut,
      ),
      isBadUp: true,
    },
  ];
}

/** Step by step; null where none is known. `like`: as many steps, known or not as it is. */
function sumOf(lists: readonly Steps[], like: Steps): Steps {
  return like.map((each, step) => {
    const known = lists.flatMap((values) => values[step] ?? []);
    return known.length === 0 && each === null ? null : known.reduce((sum, one) => sum + one, 0);
  });
}

function CurveCard(props: CurveCardProps): ReactElement {
  const { title, curve, isBadUp = false, say = rate } = props;
  if (curve === undefined) {
    return (
      <div className="curve">
        <h3>{title}</h3>
      </div>
    );
  }
  const { now, usual, change, line, area, usualAt } = curve;
  const isUp = change !== undefined && change > 0;
  const word = change === undefined ? '' : change === 0 ? 'as usual' : signed(change, say);
  const usually = usual === undefined ? '' : `, usually ${say(usual)}`;
  return (
    <div className="curve" data-tone={isBadUp && isUp ? 'bad' : undefined}>
      <div className="row between">
        <h3>{title}</h3>
        <span className="curve-change" title={usually.replace(/^, u/, 'U')}>
          {word}
        </span>
      </div>
      <b>{now === undefined ? '–' : say(now)}</b>
      <svg
        viewBox="0 0 240 48"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${now === undefined ? 'not known' : say(now)} now${usually}`}
      >
        <path className="curve-area" d={area} />
        {usualAt !== undefined && change !== 0 && (
          <path className="curve-usual" d={`M0 ${usualAt}H240`} />
        )}
        <path className="curve-line" d={line} />
      </svg>
    </div>
  );
}

function signed(change: number, say: (value: number) => string): string {
  return `${change > 0 ? '+' : '−'}${say(Math.abs(change))}`;
}
