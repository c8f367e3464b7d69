// The nodes of the cluster and what the server runs with.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Cluster as ClusterView, ClusterNode, JsonObject } from '../../api/types';
import { FactList } from '../../design/fact-list';
import { FilterField, useFilter } from '../../design/filter-field';
import { ListTable, type Column } from '../../design/list-table';
import { Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { listMs } from '../../live/polling';
import { count, duration } from '../../state/format';

const path = '/api/admin/cluster';

const columns = ({ nodeId: answering, leader }: ClusterView): readonly Column<ClusterNode>[] => [
  {
    title: 'Node',
    width: 'minmax(270px, 3fr)',
    cell: ({ nodeId }) => (
      <>
        {nodeId} {nodeId === answering && <span className="quiet">answers here</span>}{' '}
        {nodeId === leader && <b>leader</b>}
      </>
    ),
  },
  { title: 'State', width: '70px', cell: ({ state }) => state },
  { title: 'Shards', width: '60px', cell: ({ shards }) => count(shards) },
  { title: 'Address', width: 'minmax(130px, 1fr)', cell: ({ address }) => address },
  { title: 'Among nodes', width: 'minmax(130px, 1fr)', cell: ({ peerAddress }) => peerAddress },
  { title: 'Lease', width: '50px', cell: ({ leaseMs }) => duration(leaseMs) },
  { title: 'Reached', width: '70px', cell: ({ linked }) => (linked ? 'yes' : 'no') },
  { title: 'Version', width: '65px', cell: ({ version }) => version },
];

export function Cluster(): ReactElement {
  const cluster = useQuery({
    queryKey: ['cluster'],
    queryFn: ({ signal }) => ask<ClusterView>(path, { signal }),
    refetchInterval: listMs,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead title="Nodes and settings" call={{ method: 'GET', path }} />
      <Loaded query={cluster}>
        {(view) => (
          <>
            <FactList
              facts={[
                ['Leader', view.leader ?? 'none now'],
                ['Shards', count(view.shards)],
                ['Shards that move', count(view.moving.length)],
              ]}
            />
            <ListTable
              label="Nodes"
              rows={view.nodes}
              columns={columns(view)}
              keyOf={({ nodeId }) => nodeId}
            />
          </>
        )}
      </Loaded>
      <Settings />
    </>
  );
}

interface Setting {
  readonly name: string;
  readonly value: string;
}

const settingColumns: readonly Column<Setting>[] = [
  { title: 'Setting', cell: ({ name }) => <code>{name}</code> },
  { title: 'Value', width: 'minmax(120px, 2fr)', cell: ({ value }) => value },
];

/** Of the node that answers. */
function Settings(): ReactElement {
  const { fits } = useFilter();
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => ask<JsonObject>('/api/admin/config', { signal }),
  });
  return (
    <section className="stack" aria-label="Settings of this node">
      <h2>Settings of this node</h2>
      <FilterField label="Filter" />
      <Loaded query={settings}>
        {(all) => (
          <ListTable
            label="Settings"
            rows={Object.entries(all)
              .map(([name, value]) => ({ name, value: shown(value) }))
              .filter(({ name }) => fits(name))}
            columns={settingColumns}
            keyOf={({ name }) => name}
          />
        )}
      </Loaded>
    </section>
  );
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
