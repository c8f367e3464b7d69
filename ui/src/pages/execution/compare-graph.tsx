// Two executions in one graph: each task with its status here and there, and the first task at
// which they part marked.
import { useMemo, type ReactElement } from 'react';
import { Graph } from '../../graph/graph';
import type { NodeState } from '../../graph/graph-node';
import { drawnTasks } from './dynamic-branches';
import { latestByRef } from './execution-graph';
import { mergedTasks } from './merged-tasks';
import type { Outline, TaskRow } from './outline';

interface CompareGraphProps {
  readonly here: Outline;
  readonly there: Outline;
  /** Reference name of the task at which they part. */
  readonly parted: string | undefined;
  readonly showTask: (taskId: string) => void;
}

export function CompareGraph(props: CompareGraphProps): ReactElement {
  const { here, there, parted, showTask } = props;
  const tasks = useMemo(() => mergedTasks(drawnTasks(here), drawnTasks(there)), [here, there]);
  const [ours, theirs] = useMemo(() => [newest(here), newest(there)], [here, there]);
  const stateOf = (ref: string): NodeState | undefined => {
    const [a, b] = [ours.get(ref)?.status, theirs.get(ref)?.status];
    if (a === undefined && b === undefined) return undefined;
    return { ...(a === undefined ? {} : { status: a }), other: b ?? '' };
  };
  return (
    <div className="stack">
      <p className="quiet">
        Left here, right there. The task at which they part has a thick border; loops show their
        last iteration.
      </p>
      <Graph
        tasks={tasks}
        stateOf={({ ref }) => stateOf(ref)}
        marked={new Set(parted === undefined ? [] : [parted])}
        open={(ref) => {
          const task = ours.get(ref);
          if (task !== undefined) showTask(task.taskId);
        }}
      />
    </div>
  );
}

/** The newest attempt of each reference, in the last iteration of loops. */
function newest({ tasks }: Outline): ReadonlyMap<string, TaskRow> {
  return latestByRef(
    tasks,
    tasks.reduce((most, { iteration }) => Math.max(most, iteration), 0),
  );
}
