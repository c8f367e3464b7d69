// The tasks that wait for a person; the chosen one stands beside them.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { HumanTaskEntry } from '../../api/types';
import { BesideLink, useBeside } from '../../design/beside-link';
import { PageLink } from '../../design/page-link';
import { Pager } from '../../design/pager';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Beside } from '../../design/pane';
import { statusWord } from '../../design/status';
import { listMs } from '../../live/polling';
import { useLiveChanges } from '../../live/queries';
import { useFeatures } from '../../state/features';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { duration } from '../../state/format';
import { startOf, useView } from '../../state/view';
import { Due } from './due';
import { inboxViews, pageSize, searchEntries, tasksPath } from './entries';
import { InboxPane } from './inbox-task';

const columns: readonly SortableColumn<HumanTaskEntry>[] = [
  {
    title: 'Task',
    width: 'minmax(160px, 2fr)',
    value: ({ displayName, definitionName }) => displayName || definitionName,
    cell: ({ taskId, displayName, definitionName, workflowName, correlationId }) => (
      <span className="what plain">
        <BesideLink to={`/inbox/${taskId}`}>{displayName || definitionName}</BesideLink>
        <small>
          {correlationId === undefined ? workflowName : `${correlationId} · ${workflowName}`}
        </small>
      </span>
    ),
  },
  {
    title: 'State',
    width: '120px',
    value: ({ state }) => state,
    cell: ({ state }) => statusWord(state),
  },
  {
    title: 'For',
    isOptional: true,
    value: ({ assignee }) => assignee?.user,
    cell: ({ assignee }) => assignee?.user,
  },
  {
    title: 'Claimed by',
    isOptional: true,
    value: ({ claimant }) => claimant?.user,
    cell: ({ claimant }) => claimant?.user,
  },
  {
    ...{ title: 'Due', width: '170px', isNumber: true, isOptional: true },
    value: ({ dueTime }) => dueTime,
    cell: ({ dueTime }) => dueTime !== undefined && <Due at={dueTime} />,
  },
  {
    ...{ title: 'Waits for', card: 'time', width: '120px', isNumber: true },
    value: ({ createdOn = 0 }) => (createdOn === 0 ? undefined : Date.now() - createdOn),
    cell: ({ createdOn = 0 }) => (createdOn === 0 ? '' : duration(Date.now() - createdOn)),
  },
];

/** As many as there is room for beside a pane. */
const briefColumns = 2;

export function Inbox(): ReactElement {
  const [view, change] = useView();
  const { taskId } = useParams({ strict: false }) as { taskId?: string };
  const beside = useBeside();
  const user = useFeatures()?.user;
  const isAdministrator = user?.administrator ?? false;
  const views = inboxViews(isAdministrator);
  const chosen = views.find((each) => each === view['view']) ?? 'mine';
  const start = startOf(view);
  const entries = useQuery({
    queryKey: ['inbox', chosen, isAdministrator, start],
    queryFn: ({ signal }) => searchEntries({ view: chosen, isAdministrator, start }, signal),
    enabled: user !== undefined,
    // The stream tells of the caller's own inbox only.
    refetchInterval: useLiveChanges(chosen === 'mine' ? 'inbox' : undefined, ['inbox'], listMs),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead
        title="Inbox"
        call={
          taskId === undefined
            ? { method: 'POST', path: `${tasksPath}/search`, body: { searchType: 'INBOX' } }
            : { method: 'GET', path: `${tasksPath}/${taskId}` }
        }
      />
      <div className="segments start" role="group" aria-label="View">
        {views.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === chosen}
            onClick={() => change({ view: each, start: '' })}
          >
            {statusWord(each)}
          </button>
        ))}
      </div>
      <Beside
        pane={
          taskId !== undefined && (
            <InboxPane key={taskId} taskId={taskId} onClose={() => beside('/inbox')} />
          )
        }
      >
        <Loaded query={entries}>
          {({ results, totalHits }) =>
            totalHits === 0 ? (
              <NothingWaits />
            ) : (
              <>
                <Table rows={results} isAll={results.length === totalHits} shown={taskId} />
                <Pager
                  {...{ start, pageSize, shown: results.length, total: totalHits }}
                  before="Previous"
                  behind="Next"
                  onStart={(to) => change({ start: String(to) })}
                />
              </>
            )
          }
        </Loaded>
      </Beside>
    </>
  );
}

function NothingWaits(): ReactElement {
  return (
    <Empty
      action={
        <PageLink to="/run" className="button">
          Run a workflow
        </PageLink>
      }
      command={`curl -X POST ${location.origin}${tasksPath}/search -H 'content-type: application/json' -d '{"searchType": "INBOX"}'`}
    >
      Nothing waits for you. Tasks of type HUMAN stand here until somebody completes them.
    </Empty>
  );
}

interface TableProps {
  readonly rows: readonly HumanTaskEntry[];
  /** Heads sort only where all rows are here: a part that is sorted says nothing of the whole. */
  readonly isAll: boolean;
  /** The one that stands beside them. */
  readonly shown: string | undefined;
}

function Table({ rows, isAll, shown }: TableProps): ReactElement {
  const beside = useBeside();
  const sorted = useSorted(rows, columns);
  const all = isAll ? sorted : { rows, columns };
  return (
    <ListTable
      label="Human tasks"
      {...all}
      shown={shown}
      briefColumns={shown === undefined ? undefined : briefColumns}
      hasTwoLines
      keyOf={({ taskId }) => taskId}
      open={({ taskId }) => beside(`/inbox/${taskId}`)}
    />
  );
}
