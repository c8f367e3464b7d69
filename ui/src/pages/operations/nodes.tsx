// The nodes of the cluster, how each does, and how Redis answers them.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Cluster, ClusterNode, NodeReport, StoreUsage } from '../../api/types';
import { FactList } from '../../design/fact-list';
import { ListTable } from '../../design/list-table';
import { Loaded } from '../../design/notes';
import { Beside, Pane } from '../../design/pane';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { listMs } from '../../live/polling';
import { survivedLoss, useFeatures } from '../../state/features';
import { byteSize, count, duration, milliseconds, moment, percent } from '../../state/format';
import { useView } from '../../state/view';

export const nodesPath = '/api/stats/nodes';

interface Node extends ClusterNode, Partial<Omit<NodeReport, 'nodeId'>> {
  readonly isAnswering: boolean;
  readonly isLeader: boolean;
}

interface State {
  readonly cluster: Cluster;
  readonly nodes: readonly Node[];
  readonly usage: StoreUsage;
}

export function NodesTab(): ReactElement {
  const query = useQuery({
    queryKey: ['operations', 'nodes'],
    queryFn: async ({ signal }): Promise<State> => {
      const [cluster, reports, usage] = await Promise.all([
        ask<Cluster>('/api/admin/cluster', { signal }),
        ask<readonly NodeReport[]>(nodesPath, { signal }),
        ask<StoreUsage>('/api/admin/redisUsage', { signal }),
      ]);
      return { cluster, nodes: cluster.nodes.map((node) => joined(node, cluster, reports)), usage };
    },
    refetchInterval: listMs,
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={query}>
      {(state) => (
        <div className="stack">
          <StoreFacts {...state} />
          <NodeTable nodes={state.nodes} />
        </div>
      )}
    </Loaded>
  );
}

function joined(node: ClusterNode, cluster: Cluster, reports: readonly NodeReport[]): Node {
  const told = reports
    .filter(({ nodeId }) => nodeId === node.nodeId)
    .sort((a, b) => b.reportTime - a.reportTime)[0];
  return {
    ...told,
    ...node,
    isAnswering: node.nodeId === cluster.nodeId,
    isLeader: node.nodeId === cluster.leader,
  };
}

function StoreFacts({ cluster, nodes, usage: { usedBytes, limitBytes } }: State): ReactElement {
  const durability = useFeatures()?.durability ?? '';
  const times = nodes.flatMap(({ storeMs }) => (storeMs === undefined ? [] : [storeMs]));
  const slowest = Math.max(...times.map(({ max }) => max));
  const usual = Math.max(...times.map(({ p50 }) => p50));
  const share =
    limitBytes === 0 ? '' : ` of ${byteSize(limitBytes)}, ${percent(usedBytes / limitBytes)}`;
  return (
    <section aria-label="Redis" className="panel">
      <h2>Redis</h2>
      <FactList
        facts={[
          [
            'Answers in',
            times.length === 0 ? '' : `${milliseconds(usual)}, at most ${milliseconds(slowest)}`,
          ],
          ['Memory', `${byteSize(usedBytes)}${share}`],
          ['Survives', durability === '' ? '' : survivedLoss(durability)],
          ['Shards', count(cluster.shards)],
          ['Shards that move', cluster.moving.length === 0 ? 'none' : count(cluster.moving.length)],
          ['Leader', cluster.leader ?? 'none now'],
        ]}
      />
    </section>
  );
}

const number = (
  title: string,
  width: string,
  value: (node: Node) => number | undefined,
  shown: (value: number, node: Node) => string,
  mark?: (node: Node) => boolean,
): SortableColumn<Node> => ({
  title,
  width,
  isNumber: true,
  value,
  cell: (node) => {
    const known = value(node);
    if (known === undefined) return '';
    const text = shown(known, node);
    return mark?.(node) === true ? <b className="error-text">{text}</b> : text;
  },
});

/** From here on the loop or the memory needs somebody. */
const lagBadMs = 100;
const heapBadShare = 0.85;

const columns: readonly SortableColumn<Node>[] = [
  {
    title: 'Node',
    width: 'minmax(130px, 2fr)',
    value: ({ nodeId }) => nodeId,
    cell: ({ nodeId, version, address, state, isAnswering, isLeader }) => (
      <span className="what plain" title={nodeId}>
        <span>{nodeId}</span>
        <small>
          {[state === 'leaving' && 'leaves', isLeader && 'leader', version, address]
            .concat(isAnswering ? ['answers here'] : [])
            .filter(Boolean)
            .join(' · ')}
        </small>
      </span>
    ),
  },
  number(
    'CPU',
    '52px',
    ({ processorPercent }) => processorPercent,
    (value) => percent(value / 100),
  ),
  number('Memory', '74px', ({ residentBytes }) => residentBytes, byteSize),
  number(
    'Heap',
    '52px',
    ({ heapBytes = NaN, heapLimitBytes = NaN }) => defined(heapBytes / heapLimitBytes),
    percent,
    ({ heapBytes = 0, heapLimitBytes = 1 }) => heapBytes / heapLimitBytes > heapBadShare,
  ),
  number(
    'Loop lag',
    '70px',
    ({ loopLagMs }) => loopLagMs?.p99,
    milliseconds,
    ({ loopLagMs }) => (loopLagMs?.p99 ?? 0) > lagBadMs,
  ),
  number('Redis', '66px', ({ storeMs }) => storeMs?.p50, milliseconds),
  number('Shards', '58px', ({ shards }) => shards, count),
  number('Executions', '84px', ({ executions }) => executions, count),
  number('Polls', '48px', ({ parkedPolls }) => parkedPolls, count),
  number('Workers', '66px', ({ workers }) => workers, count),
  {
    title: 'Link',
    width: '48px',
    value: ({ linked }) => String(linked),
    cell: ({ linked }) => (linked ? 'up' : <b className="error-text">down</b>),
  },
  number('Up', '80px', ({ startTime }) => startTime && Date.now() - startTime, duration),
];

function defined(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

/** The columns that have room beside the pane of one. */
const isBrief = ({ title }: { readonly title: string }): boolean =>
  ['Node', 'CPU', 'Memory', 'Shards'].includes(title);

function NodeTable({ nodes }: { readonly nodes: readonly Node[] }): ReactElement {
  const sorted = useSorted(nodes, columns);
  const [view, change] = useView();
  const opened = nodes.find(({ nodeId }) => nodeId === view['node']);
  return (
    <Beside
      pane={opened !== undefined && <NodePane node={opened} onClose={() => change({ node: '' })} />}
    >
      <ListTable
        label="Nodes"
        rows={sorted.rows}
        columns={opened === undefined ? sorted.columns : sorted.columns.filter(isBrief)}
        hasTwoLines
        keyOf={({ nodeId }) => nodeId}
        shown={opened?.nodeId}
        open={({ nodeId }) => change({ node: nodeId })}
      />
      <p className="quiet">
        CPU is the share of one core, loop lag what 99 of 100 timers were late at most, both over
        the last 5 s; Redis is its usual answer over the last minute; polls are those that wait.
      </p>
    </Beside>
  );
}

interface NodePaneProps {
  readonly node: Node;
  readonly onClose: () => void;
}

/** All that is known of one node. */
function NodePane({ node, onClose }: NodePaneProps): ReactElement {
  const { loopLagMs: lag, storeMs, residentBytes, heapBytes, heapLimitBytes = 0 } = node;
  const bytes = (value: number | undefined): string => (value === undefined ? '' : byteSize(value));
  return (
    <Pane title={node.nodeId} about="Node" onClose={onClose}>
      <FactList
        facts={[
          ['State', node.state],
          ['Leader', node.isLeader ? 'yes' : 'no'],
          ['Version', node.version],
          ['Address', node.address],
          ['Among nodes', node.peerAddress],
          ['Reached from here', node.linked ? 'yes' : 'no'],
          ['Lease ends in', duration(node.leaseMs)],
          ['Started', moment(node.startTime)],
          ['CPU', node.processorPercent === undefined ? '' : percent(node.processorPercent / 100)],
          ['Memory', bytes(residentBytes)],
          [
            'Heap',
            heapBytes === undefined ? '' : `${byteSize(heapBytes)} of ${byteSize(heapLimitBytes)}`,
          ],
          ['Loop lag, half of the timers', lag === undefined ? '' : milliseconds(lag.p50)],
          ['99 of 100', lag === undefined ? '' : milliseconds(lag.p99)],
          ['The latest', lag === undefined ? '' : milliseconds(lag.max)],
          ['Redis answers in', storeMs === undefined ? '' : milliseconds(storeMs.p50)],
          ['At most', storeMs === undefined ? '' : milliseconds(storeMs.max)],
          ['Shards', count(node.shards)],
          ['Told', moment(node.reportTime)],
        ]}
      />
    </Pane>
  );
}
