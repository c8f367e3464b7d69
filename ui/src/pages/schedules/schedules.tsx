// Schedules: their cron in words and their next runs above the list of records.
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import { Field } from '../../design/controls';
import { ErrorNote } from '../../design/notes';
import { cronInWords } from '../../state/cron';
import { moment } from '../../state/format';
import { ResourcePage } from '../administration/resource-page';

export function Schedules(): ReactElement {
  return (
    <>
      <ResourcePage kind="schedules" />
      <CronPreview />
    </>
  );
}

const runsShown = 5;

/** What a cron expression means, from the server that would run it. */
function CronPreview(): ReactElement {
  const [cron, setCron] = useState('0 0 9 * * MON-FRI');
  const runs = useQuery({
    queryKey: ['cron', cron],
    queryFn: ({ signal }) => {
      const parameters = new URLSearchParams({ cronExpression: cron, limit: String(runsShown) });
      return ask<number[]>(`/api/scheduler/nextFewSchedules?${parameters.toString()}`, { signal });
    },
    retry: false,
    enabled: cron !== '',
  });
  return (
    <section className="panel narrow" aria-label="Try a cron expression">
      <h2>Try a cron expression</h2>
      <Field
        label="Cron"
        value={cron}
        onChange={setCron}
        hint={runs.error === null ? cronInWords(cron) : undefined}
      />
      {runs.error !== null && <ErrorNote error={runs.error} />}
      <ul className="plain">
        {(runs.data ?? []).map((at) => (
          <li key={at}>{moment(at)}</li>
        ))}
      </ul>
    </section>
  );
}
