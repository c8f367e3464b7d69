// The plot of executions by when they ended: started and ended per minute, however long ago those
// started that end now.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Overview, Rates } from '../../api/types';
import { Loaded } from '../../design/notes';
import { StackedPlot, type PlotSeries } from '../../design/plot';
import { Status } from '../../design/status';
import { count, moment } from '../../state/format';

/** Bars change little from one second to the next, ms. */
const ratesMs = 5000;

const ends = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  TIMED_OUT: 'timedOut',
  TERMINATED: 'terminated',
} as const;

interface EndedProps {
  readonly span: string;
  readonly perMinute: Overview['perMinute'];
}

export function Ended({ span, perMinute }: EndedProps): ReactElement {
  const query = useQuery({
    queryKey: ['rates', span],
    queryFn: ({ signal }) => ask<Rates>(`/api/stats/rates?window=${span}`, { signal }),
    refetchInterval: ratesMs,
    placeholderData: keepPreviousData,
  });
  return (
    <section className="panel" aria-label="Ended">
      <h3>Executions by when they ended</h3>
      <PerMinute perMinute={perMinute} />
      <Loaded query={query}>
        {(rates) => <EndedPlot rates={rates} untilAt={query.dataUpdatedAt} />}
      </Loaded>
    </section>
  );
}

function PerMinute({ perMinute }: Pick<EndedProps, 'perMinute'>): ReactElement {
  const { started, completed, failed, timedOut, terminated } = perMinute;
  return (
    <p>
      Per minute now: <b>{count(started)}</b> start,{' '}
      <b>{count(completed + failed + timedOut + terminated)}</b> end,{' '}
      <b>{count(failed + timedOut)}</b> of them failed or timed out.
    </p>
  );
}

function EndedPlot({
  rates: { times, executions, countedSince },
  untilAt,
}: {
  readonly rates: Rates;
  readonly untilAt: number;
}): ReactElement {
  const shown = Object.entries(ends)
    .map(([status, event]): PlotSeries => ({
      status,
      values: executions[event].map((each) => each ?? 0),
    }))
    .filter(({ values }) => values.some((each) => each > 0));
  return (
    <>
      <StackedPlot label="Executions that ended" {...{ times, untilAt }} series={shown} />
      <div className="row">
        {shown.map(({ status, values }) => (
          <span key={status} className="row">
            <Status status={status} /> {count(values.reduce((sum, each) => sum + each, 0))}
          </span>
        ))}
        {shown.length === 0 && <span className="quiet">None ended.</span>}
        {countedSince > (times[0] ?? untilAt) && (
          <span className="quiet">Counted since {moment(countedSince)}.</span>
        )}
      </div>
    </>
  );
}
