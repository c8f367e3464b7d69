// Failures in groups of one cause. A whole group is retried as a bulk job.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { BulkJob, FailureGroup, FailureGroups } from '../../api/types';
import { Button } from '../../design/controls';
import { PageLink } from '../../design/page-link';
import { Empty, ErrorNote, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Reason } from '../../design/reason';
import { Trend } from '../../design/plot';
import { useLiveChanges } from '../../live/queries';
import { useServed } from '../../state/features';
import { useClosed } from '../../state/rights';
import { causeOf } from '../../state/causes';
import { count, moment } from '../../state/format';
import { spanWord, useWindow, WindowChoice } from '../../design/window-choice';
import { useView } from '../../state/view';
import { GroupList } from './group-list';

const windows = ['1h', '1d', '7d', '30d'] as const;
/** The groups are counted anew at most so often, ms. */
const failuresMs = 5000;

export function Failures(): ReactElement {
  const span = useWindow(windows);
  const [view] = useView();
  const wanted = view['group'];
  const path = `/api/workflow/failures?window=${span}`;
  const failures = useQuery({
    queryKey: ['failures', span],
    queryFn: ({ signal }) => ask<FailureGroups>(path, { signal }),
    refetchInterval: useLiveChanges('executions', ['failures'], failuresMs),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead
        title="Failures"
        call={{ method: 'GET', path }}
        actions={<WindowChoice spans={windows} span={span} />}
      />
      <Loaded query={failures}>
        {({ groups, omitted }) =>
          wanted !== undefined ? (
            <OneGroup group={groups.find((each) => each.fingerprint === wanted)} span={span} />
          ) : groups.length === 0 ? (
            <Empty
              action={
                <PageLink to="/executions" className="button plain">
                  Show all executions
                </PageLink>
              }
              command={`curl '${location.origin}${path}'`}
            >
              Nothing that started in the last {spanWord(span)} has failed.
            </Empty>
          ) : (
            <ul className="plain">
              {groups.map((group) => (
                <GroupPanel key={group.fingerprint} group={group} span={span} />
              ))}
              {omitted > 0 && (
                <li className="quiet">
                  {omitted > 1 ? count(omitted) : 'Some'} older failures are not counted here. A
                  retry of a group takes those of its cause too.
                </li>
              )}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

/** The group that the address names by its fingerprint, with its executions. */
function OneGroup({
  group,
  span,
}: {
  readonly group: FailureGroup | undefined;
  readonly span: string;
}): ReactElement {
  const all = (
    <PageLink to="/failures" view={{ window: span }} className="button plain">
      Show all failures
    </PageLink>
  );
  if (group === undefined) {
    return (
      <Empty action={all}>
        Nothing that started in the last {spanWord(span)} has failed of this cause, or all of it is
        fixed.
      </Empty>
    );
  }
  return (
    <>
      <ul className="plain">
        <GroupPanel group={group} span={span} isAlone />
      </ul>
      <div className="row">{all}</div>
    </>
  );
}

interface GroupProps {
  readonly group: FailureGroup;
  /** The window that is shown. */
  readonly span: string;
}

interface PanelProps extends GroupProps {
  /** Nothing else is shown: its executions are listed. */
  readonly isAlone?: boolean;
}

function GroupPanel({ group, span, isAlone = false }: PanelProps): ReactElement {
  return (
    <li className="panel" aria-label={titleOf(group)}>
      <div className="row">
        <span className="pill">{count(group.count)}</span>
        <h2 className="grow">{titleOf(group)}</h2>
        <Trend
          label={`Over the last ${spanWord(span)}, in twelve parts: ${group.trend.join(', ')}`}
          values={group.trend}
        />
      </div>
      <Reason text={causeOf(group.sample)} />
      <div className="row">
        <p className="quiet small grow">
          {group.firstTime === group.lastTime
            ? `${moment(group.lastTime)}.`
            : `First ${moment(group.firstTime)}, last ${moment(group.lastTime)}.`}
        </p>
        <RetryGroup group={group} span={span} isAlone={isAlone} />
        {!isAlone && (
          <PageLink
            to="/failures"
            view={{ group: group.fingerprint, window: span }}
            className="button bare"
          >
            List them
          </PageLink>
        )}
        <PageLink to={`/executions/${group.workflowIds[0] ?? ''}`} className="button bare">
          Open the last one
        </PageLink>
      </div>
      {isAlone && <GroupList group={group} />}
    </li>
  );
}

function titleOf({ workflowType, ref }: FailureGroup): string {
  return ref === '' ? workflowType : `${workflowType} at ${ref}`;
}

/** Fixes the executions of the group as a bulk job and shows it; it is started there. */
function RetryGroup({ group, span, isAlone = false }: PanelProps): ReactElement | null {
  const [error, setError] = useState<unknown>();
  const navigate = useNavigate();
  const served = useServed();
  const refused = useClosed()({ method: 'POST', path: '/api/bulk-jobs' });
  if (!served('bulk-jobs')) return null;
  const prepare = async (): Promise<void> => {
    setError(undefined);
    const failureGroup = { fingerprint: group.fingerprint, window: span };
    const body = { action: 'retry', failureGroup, reason: `Retry of failures: ${titleOf(group)}` };
    const { jobId } = await ask<BulkJob>('/api/bulk-jobs', { method: 'POST', body });
    await navigate({ to: `/bulk-jobs/${jobId}` });
  };
  return (
    <>
      <Button
        look={isAlone ? 'main' : 'plain'}
        refused={refused}
        onClick={() => void prepare().catch(setError)}
      >
        {group.count === 1 ? 'Retry it' : `Retry all ${count(group.count)}`}
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
    </>
  );
}
