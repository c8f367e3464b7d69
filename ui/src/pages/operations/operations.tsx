// For who runs the server: the nodes and their Redis, which definitions and task types are slow or
// fail, and the workers.
import type { ReactElement } from 'react';
import { PageHead } from '../../design/page-head';
import { Tabs, type Tab } from '../../design/tabs';
import { useServed } from '../../state/features';
import { useView } from '../../state/view';
import { DefinitionsTab, TaskTypesTab } from './performance';
import { NodesTab, nodesPath } from './nodes';
import { workersPath, WorkersTab } from './workers';

const performancePath = '/api/stats/performance';

export function Operations(): ReactElement {
  const isServed = useServed();
  const [view] = useView();
  const nodes: Tab = { id: 'nodes', title: 'Nodes', show: () => <NodesTab /> };
  const tabs: readonly Tab[] = [
    ...(isServed('stats/nodes') ? [nodes] : []),
    { id: 'definitions', title: 'Definitions', show: () => <DefinitionsTab /> },
    { id: 'task-types', title: 'Task types', show: () => <TaskTypesTab /> },
    { id: 'workers', title: 'Workers', show: () => <WorkersTab /> },
  ];
  const shown = (tabs.find(({ id }) => id === view['tab']) ?? tabs[0])?.id;
  const path = shown === 'nodes' ? nodesPath : shown === 'workers' ? workersPath : performancePath;
  return (
    <>
      <PageHead title="Operations" call={{ method: 'GET', path }} />
      <Tabs tabs={tabs} />
    </>
  );
}
