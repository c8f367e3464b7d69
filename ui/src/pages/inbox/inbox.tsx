// The tasks that wait for a person.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { HumanTaskEntry } from '../../api/types';
import { PageLink } from '../../design/page-link';
import { Pager } from '../../design/pager';
import { ListTable, type Column } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { statusWord } from '../../design/status';
import { listMs } from '../../live/polling';
import { useLiveChanges } from '../../live/queries';
import { useFeatures } from '../../state/features';
import { duration } from '../../state/format';
import { startOf, useView } from '../../state/view';
import { Due } from './due';
import { inboxViews, pageSize, searchEntries, tasksPath } from './entries';

const columns: readonly Column<HumanTaskEntry>[] = [
  {
    title: 'Task',
    width: 'minmax(160px, 2fr)',
    cell: ({ taskId, displayName, definitionName }) => (
      <PageLink to={`/inbox/${taskId}`}>{displayName || definitionName}</PageLink>
    ),
  },
  { title: 'State', width: '120px', cell: ({ state }) => statusWord(state) },
  {
    title: 'Due',
    width: '160px',
    isOptional: true,
    cell: ({ dueTime }) => dueTime !== undefined && <Due at={dueTime} />,
  },
  { title: 'Workflow', cell: ({ workflowName }) => workflowName },
  { title: 'For', isOptional: true, cell: ({ assignee }) => assignee?.user },
  { title: 'Claimed by', isOptional: true, cell: ({ claimant }) => claimant?.user },
  {
    title: 'Waits for',
    width: '120px',
    cell: ({ createdOn = 0 }) => (createdOn === 0 ? '' : duration(Date.now() - createdOn)),
  },
];

export function Inbox(): ReactElement {
  const [view, change] = useView();
  const navigate = useNavigate();
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
        call={{ method: 'POST', path: `${tasksPath}/search`, body: { searchType: 'INBOX' } }}
      />
      <div className="row facets" role="group" aria-label="View">
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
      <Loaded query={entries}>
        {({ results, totalHits }) =>
          totalHits === 0 ? (
            <Empty
              action={
                <PageLink to="/run" className="button plain">
                  Run a workflow
                </PageLink>
              }
              command={`curl -X POST ${location.origin}${tasksPath}/search -H 'content-type: application/json' -d '{"searchType": "INBOX"}'`}
            >
              Nothing waits for you. Tasks of type HUMAN stand here until somebody completes them.
            </Empty>
          ) : (
            <>
              <ListTable
                label="Human tasks"
                rows={results}
                columns={columns}
                keyOf={({ taskId }) => taskId}
                open={({ taskId }) => void navigate({ to: `/inbox/${taskId}` })}
              />
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
    </>
  );
}
