// Failures in groups of one cause. The list of a group offers its retry as a bulk action.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import { PageLink } from '../../design/page-link';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { listMs } from '../../live/polling';
import { count, moment } from '../../state/format';
import { useWindow, WindowChoice } from '../../design/window-choice';

interface FailureGroup {
  readonly fingerprint: string;
  readonly workflowType: string;
  readonly ref: string;
  readonly sample: string;
  readonly workflowIds: readonly string[];
  readonly count: number;
  readonly firstTime: number;
  readonly lastTime: number;
}

interface FailureGroups {
  readonly groups: readonly FailureGroup[];
  readonly omitted: number;
}

const windows = ['1h', '1d', '7d', '30d'] as const;
/** Ids that fit into an address. */
const idsMax = 100;

export function Failures(): ReactElement {
  const span = useWindow(windows);
  const path = `/api/workflow/failures?window=${span}`;
  const failures = useQuery({
    queryKey: ['failures', span],
    queryFn: ({ signal }) => ask<FailureGroups>(path, { signal }),
    refetchInterval: listMs,
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
          groups.length === 0 ? (
            <Empty action={<PageLink to="/executions">Show all executions</PageLink>}>
              Nothing that started in the last {span} has failed.
            </Empty>
          ) : (
            <ul className="plain">
              {groups.map((group) => (
                <li key={group.fingerprint} className="panel">
                  <div className="row">
                    <b>{count(group.count)}</b>
                    <h2>
                      {group.workflowType}
                      {group.ref === '' ? '' : ` at ${group.ref}`}
                    </h2>
                  </div>
                  <p>{group.sample}</p>
                  <p className="quiet">
                    First {moment(group.firstTime)}, last {moment(group.lastTime)}.
                  </p>
                  <div className="row">
                    <PageLink
                      to="/executions"
                      view={{
                        q: `workflowId IN (${group.workflowIds.slice(0, idsMax).join(',')})`,
                      }}
                      className="button plain"
                    >
                      {group.count > idsMax ? `Show the last ${idsMax}` : 'Show all'}
                    </PageLink>
                    <PageLink
                      to={`/executions/${group.workflowIds[0] ?? ''}`}
                      className="button plain"
                    >
                      Open the last one
                    </PageLink>
                  </div>
                </li>
              ))}
              {omitted > 0 && <li className="quiet">{count(omitted)} older ones are left out.</li>}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}
