// The definition of an execution with the state of its tasks drawn over it. Loops show one
// iteration at a time.
import { useMemo, type ReactElement } from 'react';
import { statusWord } from '../../design/status';
import { Graph } from '../../graph/graph';
import type { NodeState } from '../../graph/graph-node';
import type { GraphNode } from '../../graph/drawing';
import { count } from '../../state/format';
import { useNarrow } from '../../state/narrow';
import { useView } from '../../state/view';
import { plainRef, useDrawnTasks } from './dynamic-branches';
import type { Outline, TaskRow } from './outline';

interface ExecutionGraphProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
  /** Reference name of the task that is shown beside the graph. */
  readonly shownRef?: string | undefined;
}

export function ExecutionGraph({ outline, showTask, shownRef }: ExecutionGraphProps): ReactElement {
  const [view, change] = useView();
  const { tasks } = outline;
  const iterations = useMemo(
    () => tasks.reduce((most, { iteration }) => Math.max(most, iteration), 0),
    [tasks],
  );
  const iteration = Math.min(Number(view['iteration'] ?? iterations) || iterations, iterations);
  const latest = useMemo(() => latestByRef(tasks, iteration), [tasks, iteration]);
  const drawn = useDrawnTasks(outline);
  const stateOf = (node: GraphNode): NodeState | undefined => {
    const task = latest.get(node.ref);
    if (task === undefined) return undefined;
    const loop =
      node.type === 'DO_WHILE' && iterations > 0 ? { note: `${iteration} of ${iterations}` } : {};
    return { status: task.status, ...attemptNote(task), ...loop, ...branchState(node, latest) };
  };
  const isNarrow = useNarrow();
  return (
    <Graph
      tasks={drawn}
      stateOf={stateOf}
      shownRef={shownRef === undefined ? undefined : plainRefOf(shownRef, latest)}
      runsRight={!isNarrow}
      open={(ref) => {
        const task = latest.get(ref);
        if (task !== undefined) showTask(task.taskId);
      }}
      tools={
        iterations > 1 && (
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
        )
      }
    />
  );
}

/** The name under which the graph draws a task of a loop. */
function plainRefOf(ref: string, latest: ReadonlyMap<string, TaskRow>): string {
  return latest.has(ref) ? ref : plainRef(ref);
}

function attemptNote({ retryCount }: TaskRow): Pick<NodeState, 'note'> {
  return retryCount === 0 ? {} : { note: `${retryCount + 1} attempts` };
}

/** The newest attempt of each reference, in one iteration of loops. */
export function latestByRef(
  tasks: readonly TaskRow[],
  iteration: number,
): ReadonlyMap<string, TaskRow> {
  const latest = new Map<string, TaskRow>();
  for (const task of tasks) {
    const ref = task.iteration > 0 ? plainRef(task.referenceTaskName) : task.referenceTaskName;
    const isLoop = task.taskType === 'DO_WHILE';
    if (task.iteration > 0 && task.iteration !== iteration && !isLoop) continue;
    latest.set(ref, task);
  }
  return latest;
}

/** The most important of many statuses comes first. */
const urgency: readonly string[] = ['FAILED', 'FAILED_WITH_TERMINAL_ERROR', 'TIMED_OUT'];
const ongoing: readonly string[] = ['IN_PROGRESS', 'SCHEDULED', 'CANCELED', 'SKIPPED'];

/** Of a fork whose branches are not all drawn: counts by status, and the most urgent of them. */
function branchState({ folded }: GraphNode, latest: ReadonlyMap<string, TaskRow>): NodeState {
  if (folded === undefined) return {};
  const counts = new Map<string, number>();
  for (const ref of folded.refs) {
    const status = latest.get(ref)?.status;
    if (status !== undefined) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  if (counts.size === 0) return {};
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const status = [...urgency, ...ongoing].find((each) => counts.has(each));
  return {
    ...(status === undefined ? {} : { status }),
    share: (counts.get('COMPLETED') ?? 0) / folded.branches,
    note: sorted.map(([each, n]) => `${count(n)} ${statusWord(each).toLowerCase()}`).join(', '),
  };
}
