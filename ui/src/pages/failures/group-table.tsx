// Groups of failures as a table, the largest first: where and why, how many and how they went over
// time, and the button that retries all of a group. A row opens the page of its group.
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactElement } from 'react';
import type { FailureGroup } from '../../api/types';
import { ListTable } from '../../design/list-table';
import { ErrorNote } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { firstLine } from '../../design/reason';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { causeOf } from '../../state/causes';
import { count, moment } from '../../state/format';
import { GroupTrend, RetryGroup, titleOf } from './retry-group';

interface GroupTableProps {
  readonly groups: readonly FailureGroup[];
  /** The window that is shown. */
  readonly span: string;
}

export function GroupTable({ groups, span }: GroupTableProps): ReactElement {
  const [error, setError] = useState<unknown>();
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(span, setError), [span]);
  const sorted = useSorted(groups, columns);
  return (
    <>
      {error !== undefined && <ErrorNote error={error} />}
      <ListTable
        label="Failures"
        {...sorted}
        hasTwoLines
        keyOf={({ fingerprint }) => fingerprint}
        open={({ fingerprint }) =>
          void navigate({ to: '/failures', search: { group: fingerprint, window: span } as never })
        }
      />
    </>
  );
}

function columnsOf(
  span: string,
  onError: (error: unknown) => void,
): readonly SortableColumn<FailureGroup>[] {
  return [
    {
      title: 'Failure',
      width: 'minmax(200px, 3fr)',
      value: titleOf,
      cell: (group) => (
        <span className="what plain" title={causeOf(group.sample)}>
          <PageLink to="/failures" view={{ group: group.fingerprint, window: span }}>
            {titleOf(group)}
          </PageLink>
          <small>{firstLine(causeOf(group.sample))}</small>
        </span>
      ),
    },
    {
      ...{ title: 'Executions', width: '92px', isNumber: true },
      value: ({ count: failed }) => failed,
      cell: ({ count: failed }) => count(failed),
    },
    {
      title: 'Trend',
      width: '122px',
      card: 'left-out',
      // Those that got worse: the failures of the later half.
      value: ({ trend }) => trend.slice(-6).reduce((all, each) => all + each, 0),
      cell: (group) => <GroupTrend group={group} span={span} />,
    },
    {
      ...{ title: 'First', width: '120px', isNumber: true, card: 'left-out' },
      value: ({ firstTime }) => firstTime,
      cell: ({ firstTime }) => moment(firstTime),
    },
    {
      ...{ title: 'Last', width: '120px', isNumber: true, card: 'time' },
      value: ({ lastTime }) => lastTime,
      cell: ({ lastTime }) => moment(lastTime),
    },
    {
      ...{ title: 'Action', width: '132px' },
      value: ({ count: failed }) => failed,
      cell: (group) => <RetryGroup group={group} span={span} onError={onError} />,
    },
  ];
}
