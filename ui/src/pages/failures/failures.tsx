// Failures in groups of one cause, as a table; a group has a page of its own with its executions. A
// whole group is retried as a bulk job.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { FailureGroup, FailureGroups } from '../../api/types';
import { PageLink } from '../../design/page-link';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Reason } from '../../design/reason';
import { useLiveChanges } from '../../live/queries';
import { causeOf } from '../../state/causes';
import { count, moment } from '../../state/format';
import { spanWord, useWindow, WindowChoice } from '../../design/window-choice';
import { useView } from '../../state/view';
import { GroupList } from './group-list';
import { GroupTable } from './group-table';
import { GroupTrend, RetryGroup, titleOf, type GroupProps } from './retry-group';

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
            <>
              <GroupTable groups={groups} span={span} />
              {omitted > 0 && (
                <p className="quiet">
                  {omitted > 1 ? count(omitted) : 'Some'} older failures are not counted here. A
                  retry of a group takes those of its cause too.
                </p>
              )}
            </>
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
      <GroupPanel group={group} span={span} />
      <div className="row">{all}</div>
    </>
  );
}

function GroupPanel({ group, span }: GroupProps): ReactElement {
  return (
    <section className="panel" aria-label={titleOf(group)}>
      <div className="row">
        <span className="pill">{count(group.count)}</span>
        <h2 className="grow">{titleOf(group)}</h2>
        <GroupTrend group={group} span={span} />
      </div>
      <Reason text={causeOf(group.sample)} />
      <div className="row">
        <p className="quiet small grow">
          {group.firstTime === group.lastTime
            ? `${moment(group.lastTime)}.`
            : `First ${moment(group.firstTime)}, last ${moment(group.lastTime)}.`}
        </p>
        <RetryGroup group={group} span={span} isAlone />
        <PageLink to={`/executions/${group.workflowIds[0] ?? ''}`} className="button bare">
          Open the last one
        </PageLink>
      </div>
      <GroupList group={group} />
    </section>
  );
}
