// Schedules: the list of records with how their runs ended, and below it what a cron expression
// means.
import { useMemo, useState, type ReactElement } from 'react';
import type { JsonObject, ScheduleOutcome } from '../../api/types';
import { Field } from '../../design/controls';
import { PageLink } from '../../design/page-link';
import type { SortableColumn } from '../../design/sorted';
import { Status, statusWord } from '../../design/status';
import { causeOf } from '../../state/causes';
import { NextRuns } from '../administration/record-details';
import { ResourcePage, useKnownRecords } from '../administration/resource-page';
import { useRunOutcomes } from './run-outcomes';

export function Schedules(): ReactElement {
  const known = useKnownRecords('schedules');
  const outcomes = useRunOutcomes((known ?? []).length > 0);
  // New columns draw every row anew.
  const lastRun = useMemo(() => lastRunOf(outcomes), [outcomes]);
  return <ResourcePage kind="schedules" second={lastRun} below={<CronPreview />} />;
}

function lastRunOf(
  outcomes: ReadonlyMap<string, ScheduleOutcome> | undefined,
): SortableColumn<JsonObject> {
  const outcomeOf = ({ name }: JsonObject): ScheduleOutcome | undefined =>
    outcomes?.get(String(name));
  return {
    title: 'Last run',
    width: 'minmax(160px, 20fr)',
    value: (row) => {
      const { status, failuresInRow = 0 } = outcomeOf(row) ?? {};
      return failuresInRow === 0 ? statusWord(status ?? '') || undefined : failuresInRow;
    },
    cell: (row) => outcomes && <LastRun outcome={outcomeOf(row)} />,
  };
}

/** How the last run ended; of failures how many, and a way to the last one. */
function LastRun({ outcome }: { readonly outcome: ScheduleOutcome | undefined }): ReactElement {
  if (outcome === undefined) return <span className="quiet">Not yet run</span>;
  const { status, failuresInRow, workflowId } = outcome;
  const reason = causeOf(outcome.reason);
  if (failuresInRow === 0) {
    return status === undefined ? (
      <span className="quiet">Not known</span>
    ) : (
      <Status status={status} />
    );
  }
  const about = workflowId === undefined ? 'Not started' : 'Failed';
  const word = `${about}, ${rowOf(outcome)}`;
  const shown = <Status status="FAILED" word={word} />;
  if (workflowId === undefined) return <span title={reason}>{shown}</span>;
  return (
    <PageLink to={`/executions/${workflowId}`} title={reason}>
      {shown}
    </PageLink>
  );
}

function rowOf({ failuresInRow, isMore }: ScheduleOutcome): string {
  if (failuresInRow === 1) return 'once';
  return `${String(failuresInRow)}${isMore ? '+' : ''} in a row`;
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
