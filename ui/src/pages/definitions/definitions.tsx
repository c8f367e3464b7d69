// All workflow definitions, each with its newest version.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { WorkflowDef } from '../../api/types';
import { Button } from '../../design/controls';
import { PageLink } from '../../design/page-link';
import { ListTable, type Column } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { moment } from '../../state/format';
import { useRefusal } from '../../state/rights';
import { useView } from '../../state/view';

const path = '/api/metadata/workflow/latest-versions';
export const definitionAddress = (name: string): string =>
  `/definitions/${encodeURIComponent(name)}`;

const columns: readonly Column<WorkflowDef>[] = [
  {
    title: 'Name',
    width: 'minmax(160px, 2fr)',
    cell: ({ name }) => <PageLink to={definitionAddress(name)}>{name}</PageLink>,
  },
  { title: 'Version', width: '80px', cell: ({ version }) => version },
  { title: 'Tasks', width: '70px', cell: ({ tasks }) => tasks.length },
  { title: 'Owner', cell: ({ ownerEmail }) => ownerEmail ?? '' },
  {
    title: 'Changed',
    width: '130px',
    cell: ({ updateTime, createTime }) => moment(updateTime || createTime),
  },
  { title: 'Description', width: 'minmax(120px, 2fr)', cell: ({ description }) => description },
  {
    title: 'Run',
    width: '60px',
    cell: ({ name }) => (
      <PageLink to="/run" view={{ name }}>
        Run
      </PageLink>
    ),
  },
];

export function Definitions(): ReactElement {
  const [view, change] = useView();
  const navigate = useNavigate();
  const definitions = useQuery({
    queryKey: ['definitions'],
    queryFn: ({ signal }) => ask<WorkflowDef[]>(path, { signal }),
    placeholderData: keepPreviousData,
  });
  const text = view['q'] ?? '';
  const refused = useRefusal('WORKFLOW_DEF')('CREATE');
  const create =
    refused === undefined ? (
      <PageLink to="/definition-editor" className="button main">
        New definition
      </PageLink>
    ) : (
      <Button refused={refused}>New definition</Button>
    );
  return (
    <>
      <PageHead title="Definitions" call={{ method: 'GET', path }} actions={create} />
      <Loaded query={definitions}>
        {(all) => {
          if (all.length === 0) return <NoDefinitions />;
          const rows = all.filter(({ name }) => name.includes(text));
          return (
            <>
              <input
                data-filter
                className="filter"
                type="search"
                aria-label="Name"
                placeholder="Name"
                value={text}
                onChange={(event) => change({ q: event.target.value }, true)}
              />
              <ListTable
                label="Definitions"
                rows={rows}
                columns={columns}
                keyOf={({ name }) => name}
                open={({ name }) => void navigate({ to: definitionAddress(name) })}
              />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function NoDefinitions(): ReactElement {
  return (
    <Empty
      action={
        <PageLink to="/definition-editor" className="button main">
          Write the first one
        </PageLink>
      }
      command={`curl -X POST ${location.origin}/api/metadata/workflow -H 'content-type: application/json' -d @workflow.json`}
    >
      No workflow is defined yet. A definition says which tasks run, and in which order.
    </Empty>
  );
}
