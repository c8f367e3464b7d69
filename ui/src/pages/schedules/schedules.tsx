// Schedules: the list of records, and below it what a cron expression means.
import { useState, type ReactElement } from 'react';
import { Field } from '../../design/controls';
import { NextRuns } from '../administration/record-details';
import { ResourcePage } from '../administration/resource-page';

export function Schedules(): ReactElement {
  return <ResourcePage kind="schedules" below={<CronPreview />} />;
}

/** The meaning of a cron expression, from the server that would run it. */
function CronPreview(): ReactElement {
  const [cronExpression, setCron] = useState('0 0 9 * * MON-FRI');
  const [zoneId, setZone] = useState('UTC');
  return (
    <section className="panel narrow stack" aria-label="Try a cron expression">
      <h2>Try a cron expression</h2>
      <Field label="Cron" value={cronExpression} onChange={setCron} />
      <Field label="Zone" value={zoneId} onChange={setZone} hint="Such as Europe/Berlin" />
      {cronExpression !== '' && zoneId !== '' && <NextRuns cron={{ cronExpression, zoneId }} />}
    </section>
  );
}
