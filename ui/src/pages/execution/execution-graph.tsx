// The definition of an execution with the state of its tasks drawn over it. Loops show one
// iteration at a time.
import { useMemo, type ReactElement } from 'react';
import { Graph, type NodeState } from '../../graph/graph';
import type { GraphNode } from '../../graph/layout';
import { visitTasks } from '../../editor/definition-text';
import { useView } from '../../state/view';
import type { Outline, TaskRow } from './outline';

interface ExecutionGraphProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
}

export function ExecutionGraph({ outline, showTask }: ExecutionGraphProps): ReactElement {
  const [view, change] = useView();
  const { tasks, definition } = outline;
  const iterations = useMemo(
    () => tasks.reduce((most, { iteration }) => Math.max(most, iteration), 0),
    [tasks],
  );
  const iteration = Math.min(Number(view['iteration'] ?? iterations) || iterations, iterations);
  const latest = useMemo(() => latestByRef(tasks, iteration), [tasks, iteration]);
  const drawn = useMemo(() => {
    const refs = new Set<string>();
    visitTasks(definition.tasks, ({ taskReferenceName }) => refs.add(taskReferenceName));
    return refs;
  }, [definition]);
  const stateOf = (node: GraphNode): NodeState | undefined => {
    const task = latest.get(node.ref);
    const note = branchNote(node, tasks, drawn);
    return task && { status: task.status, ...(note === undefined ? {} : { note }) };
  };
  return (
    <div className="stack">
      {iterations > 1 && (
        <label className="row">
          Iteration
          <select
            value={iteration}
            onChange={(event) => change({ iteration: event.target.value }, true)}
          >
            {Array.from({ length: iterations }, (_, index) => (
              <option key={index} value={index + 1}>
                {index + 1}
              </option>
            ))}
          </select>
        </label>
      )}
      <Graph
        tasks={definition.tasks}
        stateOf={stateOf}
        open={(ref) => {
          const task = latest.get(ref);
          if (task !== undefined) showTask(task.taskId);
        }}
      />
    </div>
  );
}

const plainRef = (ref: string): string => ref.replace(/__\d+$/, '');

/** The newest attempt of each reference, in one iteration of loops. */
function latestByRef(tasks: readonly TaskRow[], iteration: number): ReadonlyMap<string, TaskRow> {
  const latest = new Map<string, TaskRow>();
  for (const task of tasks) {
    const ref = task.iteration > 0 ? plainRef(task.referenceTaskName) : task.referenceTaskName;
    const isLoop = task.taskType === 'DO_WHILE';
    if (task.iteration > 0 && task.iteration !== iteration && !isLoop) continue;
    latest.set(ref, task);
  }
  return latest;
}

/** Counts by status of branches that are not drawn. */
function branchNote(
  { type, folded }: GraphNode,
  tasks: readonly TaskRow[],
  drawn: ReadonlySet<string>,
): string | undefined {
  if (folded === undefined && type !== 'FORK_JOIN_DYNAMIC') return undefined;
  const wanted = folded === undefined ? undefined : new Set(folded.refs);
  const inside = tasks.filter(({ referenceTaskName: ref, retried }) =>
    retried ? false : (wanted?.has(ref) ?? !drawn.has(plainRef(ref))),
  );
  const done = inside.filter(({ status }) => status === 'COMPLETED').length;
  return inside.length === 0 ? undefined : `${done} of ${inside.length} completed`;
}
