// The parts of the drawer that only some kinds of records have: the next runs of a schedule, the
// address of a webhook, how a form looks.
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask, basePath } from '../../api/client';
import type {
  CronSchedule,
  JsonObject,
  WebhookExecutionHistory,
  WorkflowSchedule,
} from '../../api/types';
import { Button } from '../../design/controls';
import { Empty, Loaded } from '../../design/notes';
import { readSchema, SchemaForm, type Typed } from '../../forms/schema-form';
import { cronInWords } from '../../state/cron';
import { moment, momentIn } from '../../state/format';
import { RecordTable } from './related-table';

export interface RecordDetailProps {
  readonly record: JsonObject;
}

const runsShown = 5;

/** Each cron expression in words, with its next runs in its zone and in the browser's. */
export function ScheduleDetail({ record }: RecordDetailProps): ReactElement {
  const { cronSchedules, cronExpression, zoneId } = record as Partial<WorkflowSchedule>;
  const zone = zoneId === undefined ? {} : { zoneId };
  const one = cronExpression === undefined ? [] : [{ cronExpression, ...zone }];
  const crons = cronSchedules !== undefined && cronSchedules.length > 0 ? cronSchedules : one;
  return (
    <>
      {crons.map((cron) => (
        <NextRuns key={`${cron.cronExpression} ${cron.zoneId ?? ''}`} cron={cron} />
      ))}
    </>
  );
}

/** When the server would run it next. */
export function NextRuns({ cron }: { readonly cron: CronSchedule }): ReactElement {
  const { cronExpression, zoneId = 'UTC' } = cron;
  const runs = useQuery({
    queryKey: ['next-runs', cronExpression, zoneId],
    queryFn: ({ signal }) => {
      const asked = new URLSearchParams({ cronExpression, zoneId, limit: String(runsShown) });
      return ask<number[]>(`/api/scheduler/nextFewSchedules?${asked.toString()}`, { signal });
    },
  });
  return (
    <section className="stack">
      <h3>{cronInWords(cronExpression) || cronExpression}</h3>
      <div className="next-runs">
        <Loaded query={runs}>
          {(times) =>
            times.length === 0 ? (
              <p className="quiet">It does not run again.</p>
            ) : (
              <ul className="plain" aria-label="Next runs">
                {times.map((at) => (
                  <li key={at}>
                    {momentIn(at, zoneId)} {zoneId} <span className="quiet">{moment(at)} here</span>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </section>
  );
}

/** Where others send their events, to copy, and what they sent. */
export function WebhookDetail({ record }: RecordDetailProps): ReactElement {
  const [isCopied, setCopied] = useState(false);
  const address = `${location.origin}${basePath}webhook/${String(record['id'])}`;
  return (
    <section className="stack">
      <h3>Address for the sender</h3>
      <div className="row">
        <code className="grow">{address}</code>
        <Button
          onClick={() => void navigator.clipboard.writeText(address).then(() => setCopied(true))}
        >
          {isCopied ? 'Copied' : 'Copy the address'}
        </Button>
      </div>
      <Calls calls={record['webhookExecutionHistory']} />
    </section>
  );
}

/** The calls of the sender, as a table. */
function Calls({ calls }: { readonly calls: unknown }): ReactElement {
  const all = (calls ?? []) as readonly WebhookExecutionHistory[];
  const rows = all.map(({ matched, reasons = [], ...call }) => ({
    ...call,
    state: matched ? 'took effect' : 'nothing waited',
    reasons: reasons.join(', '),
  }));
  return (
    <section className="stack" aria-label="Deliveries">
      <h3>Deliveries</h3>
      <RecordTable
        related={{
          title: 'Deliveries',
          columns: [
            { title: 'Time', member: 'timeStamp', kind: 'time' },
            { title: 'Result', member: 'state', kind: 'status' },
            { title: 'Executions', member: 'workflowIds', kind: 'execution' },
            { title: 'Reason', member: 'reasons' },
          ],
          more: ['payload'],
          empty: 'None yet.',
        }}
        rows={rows}
      />
    </section>
  );
}

/** The form as a person gets it in the inbox; what is typed goes nowhere. */
export function FormDetail({ record }: RecordDetailProps): ReactElement {
  const [typed, setTyped] = useState<Typed>({});
  const schema = readSchema(record['jsonSchema']);
  return (
    <section className="stack" aria-label="Preview">
      <h3>Preview</h3>
      {schema === undefined ? (
        <Empty>Its schema has no properties; a person edits the output as JSON.</Empty>
      ) : (
        <SchemaForm {...{ schema, typed }} layout={record['templateUI']} onChange={setTyped} />
      )}
    </section>
  );
}
