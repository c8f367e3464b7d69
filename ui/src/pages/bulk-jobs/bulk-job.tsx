// One bulk job: what it will do before it is started, how far it is afterwards, what was refused.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { BulkJob } from '../../api/types';
import { FactList, type Facts } from '../../design/fact-list';
import { ActionDialog, Button } from '../../design/controls';
import { Empty, ErrorNote, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { PageLink } from '../../design/page-link';
import { Who } from '../../design/who';
import { overviewMs } from '../../live/polling';
import { useLiveState } from '../../live/queries';
import { useClosed } from '../../state/rights';
import { count, moment, sentence, shortId } from '../../state/format';
import { actionWord, executionsText, JobState } from './job-state';
import { Outcomes } from './outcomes';

export function BulkJobPage(): ReactElement {
  const { id } = useParams({ strict: false }) as { id: string };
  const path = `/api/bulk-jobs/${encodeURIComponent(id)}`;
  const queryKey = ['bulk-job', id];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => ask<BulkJob | null>(path, { signal }),
    refetchInterval: useLiveState(`job:${id}`, queryKey, overviewMs),
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={query} title="Bulk job">
      {(job) =>
        job === null ? (
          <Empty>This bulk job is not kept any more.</Empty>
        ) : (
          <Job job={job} path={path} />
        )
      }
    </Loaded>
  );
}

function Job({ job, path }: { readonly job: BulkJob; readonly path: string }): ReactElement {
  const [asked, askFor] = useState<'start' | 'stop'>();
  const [error, setError] = useState<unknown>();
  const client = useQueryClient();
  const closed = useClosed();
  const refusal = (verb: 'start' | 'stop'): string | undefined =>
    closed({ method: 'POST', path: `${path}/${verb}` });
  const control = async (verb: 'start' | 'stop'): Promise<void> => {
    setError(undefined);
    const changed = await ask<BulkJob>(`${path}/${verb}`, { method: 'POST' });
    client.setQueryData(['bulk-job', job.jobId], changed);
    await client.invalidateQueries();
  };
  const target = executionsText(job.count - job.done);
  const isDangerous = job.action === 'terminate' || job.action === 'remove';
  return (
    <>
      <PageHead
        title={`${actionWord(job.action)} ${executionsText(job.count)}`}
        aside={<JobState state={job.state} />}
        call={{ method: 'GET', path }}
        actions={
          <>
            {(job.state === 'PREVIEW' || job.state === 'STOPPED') && (
              <Button
                look={isDangerous ? 'final' : 'main'}
                refused={job.count === 0 ? 'No execution fits' : refusal('start')}
                onClick={() =>
                  isDangerous ? askFor('start') : void control('start').catch(setError)
                }
              >
                {startWord(job)}
              </Button>
            )}
            {job.state === 'RUNNING' && (
              <Button look="danger" refused={refusal('stop')} onClick={() => askFor('stop')}>
                Stop
              </Button>
            )}
          </>
        }
      />
      {error !== undefined && <ErrorNote error={error} />}
      <Progress job={job} />
      <Plan job={job} />
      <Outcomes job={job} />
      <LeftOut job={job} />
      {asked !== undefined && (
        <ActionDialog
          title={asked === 'start' ? `${actionWord(job.action)} ${target}` : 'Stop the job'}
          effect={asked === 'start' ? effectOf(job) : 'What is under way ends, the rest stays.'}
          confirm={asked === 'start' ? startWord(job) : 'Stop'}
          danger={asked === 'stop' || isDangerous}
          act={() => control(asked)}
          onClose={() => askFor(undefined)}
        />
      )}
    </>
  );
}

/** A dangerous action names itself and how many it takes. */
function startWord({ action, state, count: all, done }: BulkJob): string {
  if (action === 'terminate' || action === 'remove')
    return `${actionWord(action)} ${count(all - done)}`;
  return state === 'PREVIEW' ? 'Start' : 'Go on';
}

function effectOf({
  action,
  canary,
  count: all,
  done,
  ratePerSecond,
  stopAfterFailures,
}: BulkJob): string {
  const first = done < canary && canary < all ? `The first ${canary} go alone. ` : '';
  const stops =
    stopAfterFailures === 0 ? '' : ` It stops by itself at ${stopAfterFailures} failures.`;
  const final = action === 'remove' ? 'What is removed is gone for good. ' : '';
  return `${final}${first}At most ${count(ratePerSecond)} a second.${stops}`;
}

function Progress({ job }: { readonly job: BulkJob }): ReactElement {
  const { done, count: all, refused, failedAgain, state, stoppedBecause } = job;
  return (
    <section className="panel stack" aria-label="Progress">
      <progress value={done} max={Math.max(1, all)} aria-label="Executions done" />
      <p role="status">
        {count(done)} of {count(all)} done, {count(refused)} refused
        {failedAgain > 0 && `, ${count(failedAgain)} of the canary failed again`}.
        {state === 'PREVIEW' && ` Nothing is done before it is started. ${effectOf(job)}`}
        {stoppedBecause !== undefined && ` ${sentence(stoppedBecause)}`}
      </p>
    </section>
  );
}

function Plan({ job }: { readonly job: BulkJob }): ReactElement {
  const facts: Facts = [
    ['Reason', job.reason],
    ['Canary', String(job.canary)],
    ['Rate', `${count(job.ratePerSecond)} a second`],
    ['Stops after', job.stopAfterFailures === 0 ? '' : `${job.stopAfterFailures} failures`],
    ['Created by', job.createdBy ? <Who id={job.createdBy} /> : ''],
    ['Created', moment(job.createdAt)],
    ['Started', moment(job.startedAt)],
    ['Ended', moment(job.endedAt)],
  ];
  return <FactList facts={facts} />;
}

function LeftOut({ job }: { readonly job: BulkJob }): ReactElement | null {
  const { excluded } = job;
  if (excluded.length === 0) return null;
  return (
    <section className="panel stack">
      <h2>Left out: {count(job.matched - job.count)}</h2>
      <ul className="plain">
        {excluded.map((each) => (
          <li key={each.reason}>
            <b>{count(each.count)}</b> {sentence(each.reason)}
            {each.sample[0] !== undefined && (
              <>
                {' '}
                Such as <ExecutionLink id={each.sample[0]} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function ExecutionLink({ id }: { readonly id: string }): ReactElement {
  return (
    <PageLink to={`/executions/${id}`} className="mono">
      {shortId(id)}
    </PageLink>
  );
}
