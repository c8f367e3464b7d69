// The tasks of a graph as nested lists, for keyboards and screen readers. It holds what the graph
// draws: of a fork with many branches those of the page that is shown.
import type { ReactElement } from 'react';
import type { WorkflowTask } from '../api/types';
import { nodeNote, type NodeState } from './graph-node';
import type { GraphNode } from './drawing';

interface OutlineTreeProps {
  readonly tasks: readonly WorkflowTask[];
  /** The drawn nodes of the graph, by reference name. */
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly stateOf: ((node: GraphNode) => NodeState | undefined) | undefined;
  readonly open: ((ref: string) => void) | undefined;
  readonly label: string;
}

export function OutlineTree(props: OutlineTreeProps): ReactElement {
  const { tasks, nodes, stateOf, open, label } = props;
  return (
    <ul className="plain tree" aria-label={label}>
      {tasks.map((task) => {
        const node = nodes.get(task.taskReferenceName);
        if (node === undefined) return null;
        const words = wordsOf(node, stateOf?.(node));
        return (
          <li key={node.ref}>
            {open === undefined ? (
              words
            ) : (
              <button type="button" className="link" onClick={() => open(node.ref)}>
                {words}
              </button>
            )}
            {branchesOf(task)
              .filter(([, inside]) => inside.some(({ taskReferenceName: ref }) => nodes.has(ref)))
              .map(([title, inside]) => (
                <div key={title}>
                  <span className="quiet">{title}</span>
                  <OutlineTree {...props} tasks={inside} label={`${title} of ${node.ref}`} />
                </div>
              ))}
          </li>
        );
      })}
    </ul>
  );
}

function wordsOf(node: GraphNode, state: NodeState | undefined): string {
  const note = nodeNote(node, state);
  return `${node.ref} (${node.type})${note === node.type ? '' : `: ${note}`}`;
}

/** Lists of tasks below a task, each with what one calls it. */
function branchesOf(task: WorkflowTask): readonly (readonly [string, readonly WorkflowTask[]])[] {
  return [
    ...Object.entries(task.decisionCases ?? {}).map(
      ([name, tasks]) => [`Case ${name}`, tasks] as const,
    ),
    ['Default case', task.defaultCase ?? []],
    ...(task.forkTasks ?? []).map((tasks, index) => [`Branch ${index + 1}`, tasks] as const),
    ['Repeats', task.loopOver ?? []],
  ];
}
