// The plots of the overview: what started and what became of it, and how full the queues were.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { ask } from '../../api/client';
import { workflowStatuses, type Overview, type Series } from '../../api/types';
import { Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { SmallPlot, StackedPlot, type PlotSeries } from '../../design/plot';
import { Status, statusWord } from '../../design/status';
import { spanWord } from '../../design/window-choice';
import { count, isoText, moment } from '../../state/format';
import { Ended } from './ended';

/** Bars change little from one second to the next, ms. */
const seriesMs = 5000;

interface OverTimeProps {
  readonly span: string;
  readonly perMinute: Overview['perMinute'];
  /** It has its height. */
  readonly onThere: () => void;
}

export function OverTime({ span, perMinute, onThere }: OverTimeProps): ReactElement {
  const query = useQuery({
    queryKey: ['series', span],
    queryFn: ({ signal }) => ask<Series>(`/api/stats/series?window=${span}`, { signal }),
    refetchInterval: seriesMs,
    placeholderData: keepPreviousData,
  });
  const isThere = !query.isPending;
  useEffect(() => {
    if (isThere) onThere();
  }, [isThere, onThere]);
  return (
    <section className="stack over-time" aria-label="Over time">
      <h2>Over the last {spanWord(span)}</h2>
      <Loaded query={query}>
        {(series) => (
          <>
            <Started series={series} untilAt={query.dataUpdatedAt} />
            <Ended span={span} perMinute={perMinute} />
            <QueueDepths series={series} untilAt={query.dataUpdatedAt} />
          </>
        )}
      </Loaded>
    </section>
  );
}

interface PlotsProps {
  readonly series: Series;
  readonly untilAt: number;
}

function Started({ series, untilAt }: PlotsProps): ReactElement {
  const { times, started, omitted } = series;
  const shown = workflowStatuses
    .map((status): PlotSeries => ({ status, values: started[status] ?? [] }))
    .filter(({ values }) => values.some((each) => each > 0));
  return (
    <div className="panel">
      <h3>Executions by when they started, and their status now</h3>
      <StackedPlot label="Executions that started" {...{ times, untilAt }} series={shown} />
      <div className="row">
        {shown.map(({ status, values }) => (
          <span key={status} className="row">
            <Status status={status} /> {count(values.reduce((sum, each) => sum + each, 0))}
          </span>
        ))}
        {shown.length === 0 && <span className="quiet">None started.</span>}
        {omitted > 0 && (
          <span className="quiet">
            {omitted > 1 ? count(omitted) : 'Some'} older ones are left out.
          </span>
        )}
      </div>
      {shown.length > 0 && <StepTable times={times} untilAt={untilAt} shown={shown} />}
    </div>
  );
}

interface StepTableProps {
  readonly times: readonly number[];
  readonly untilAt: number;
  readonly shown: readonly PlotSeries[];
}

/** Steps in which something started, newest first; each leads to its executions. */
function StepTable({ times, untilAt, shown }: StepTableProps): ReactElement {
  const isFilled = (step: number): boolean => shown.some(({ values }) => (values[step] ?? 0) > 0);
  const steps = times.map((_, step) => step).filter(isFilled);
  return (
    <details>
      <summary>The same as a table</summary>
      <div className="scroll" tabIndex={0} role="region" aria-label="Executions by start">
        <table className="plain">
          <thead>
            <tr>
              <th scope="col">From</th>
              {shown.map(({ status }) => (
                <th key={status} scope="col">
                  {statusWord(status)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.reverse().map((step) => (
              <tr key={step}>
                <th scope="row">
                  <PageLink
                    to="/executions"
                    view={between(times[step], times[step + 1] ?? untilAt)}
                  >
                    {moment(times[step])}
                  </PageLink>
                </th>
                {shown.map(({ status, values }) => (
                  <td key={status}>{count(values[step] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function between(from = 0, next: number): Record<string, string> {
  return { from: isoText(from), to: isoText(next - 1) };
}

function QueueDepths({ series, untilAt }: PlotsProps): ReactElement | null {
  const { times, queues } = series;
  if (queues.length === 0) return null;
  return (
    <div className="panel">
      <h3>Tasks that waited in queues</h3>
      <ul className="plain queue-plots">
        {queues.map(({ taskType, domain, waiting }) => {
          const name = domain === '' ? taskType : `${taskType} in ${domain}`;
          return (
            <li key={name}>
              <PageLink
                to={`/queues/${encodeURIComponent(taskType)}`}
                view={domain === '' ? {} : { domain }}
              >
                {name}
              </PageLink>
              <SmallPlot label={`Waiting in ${name}`} {...{ times, untilAt }} values={waiting} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
