// The flow into one queue and out of it: per minute now, and minute by minute over the last hour.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Rates } from '../../api/types';
import { Loaded } from '../../design/notes';
import { SmallPlot } from '../../design/plot';
import { count } from '../../state/format';
import type { QueueStats } from './queue-stats';

const flowMs = 5000;

const plots = [
  ['scheduled', 'Went in'],
  ['handedOut', 'Handed out'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
] as const;

export function Flow({ queue }: { readonly queue: QueueStats }): ReactElement {
  const { taskType, domain, perMinute } = queue;
  const path = `/api/stats/rates?window=1h&taskType=${encodeURIComponent(taskType)}`;
  const query = useQuery({
    queryKey: ['queue-rates', taskType],
    queryFn: ({ signal }) => ask<Rates>(path, { signal }),
    refetchInterval: flowMs,
    placeholderData: keepPreviousData,
  });
  return (
    <section className="panel" aria-label="In and out">
      <h2>In and out</h2>
      <p>
        Per minute now: <b>{count(perMinute.scheduled)}</b> go in,{' '}
        <b>{count(perMinute.handedOut)}</b> are handed out, <b>{count(perMinute.completed)}</b>{' '}
        complete, <b>{count(perMinute.failed)}</b> fail.
      </p>
      <div className="queue-flow">
        <Loaded query={query}>
          {({ times, queues }) => {
            const rates = queues.find(
              (each) => each.taskType === taskType && each.domain === domain,
            );
            if (rates === undefined) return <p className="quiet">Nothing in the last hour.</p>;
            return (
              <ul className="plain queue-plots">
                {plots.map(([event, word]) => (
                  <li key={event}>
                    <span>
                      {word}: {count(rates.total[event])} in the last hour
                    </span>
                    <SmallPlot
                      label={`${word} per minute`}
                      {...{ times, untilAt: query.dataUpdatedAt }}
                      values={rates.series[event]}
                    />
                  </li>
                ))}
              </ul>
            );
          }}
        </Loaded>
      </div>
    </section>
  );
}
