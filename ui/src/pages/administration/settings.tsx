// The settings of the node that answers. The nodes themselves stand on the page of operations.
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { JsonObject } from '../../api/types';
import { FilterField, useFilter } from '../../design/filter-field';
import { ListTable } from '../../design/list-table';
import { Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { PageLink } from '../../design/page-link';
import { useSorted, type SortableColumn } from '../../design/sorted';

const path = '/api/admin/config';

interface Setting {
  readonly name: string;
  readonly value: string;
}

const columns: readonly SortableColumn<Setting>[] = [
  { title: 'Setting', value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
  {
    title: 'Value',
    width: 'minmax(120px, 2fr)',
    value: ({ value }) => value,
    cell: ({ value }) => value,
  },
];

export function Settings(): ReactElement {
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => ask<JsonObject>(path, { signal }),
  });
  return (
    <>
      <PageHead title="Settings" call={{ method: 'GET', path }} />
      <p className="quiet">
        Of the node that answers. How the nodes do stands under{' '}
        <PageLink to="/operations">Operations</PageLink>.
      </p>
      <FilterField label="Filter" />
      <Loaded query={settings}>{(all) => <Table all={all} />}</Loaded>
    </>
  );
}

function Table({ all }: { readonly all: JsonObject }): ReactElement {
  const { fits } = useFilter();
  const rows = Object.entries(all)
    .map(([name, value]) => ({ name, value: shown(value) }))
    .filter(({ name }) => fits(name));
  return <ListTable label="Settings" {...useSorted(rows, columns)} keyOf={({ name }) => name} />;
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
