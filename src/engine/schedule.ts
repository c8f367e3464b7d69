// Gives nodes their records (semantics 2.6, 2.10): stepping over skipped references, dropping those that have one already.
import { failExecution } from './ending.js';
import type { GraphNode } from './compile.js';
import { refInIteration } from './references.js';
import { taskTypeNamed } from './task-types/list.js';
import type { Transition } from './transition.js';

/** Iteration in which a node runs that is reached from a record with `iteration`. */
export function iterationOf(node: GraphNode, iteration: number): number {
  return node.loop === undefined ? 0 : iteration;
}

/** The node to get a record: `node` or what follows it when it is skipped; undefined when that has a record already. */
export function findNext(
  t: Transition,
  node: GraphNode | undefined,
  iteration: number,
): GraphNode | undefined {
  for (let next = node; next !== undefined; next = next.nextIfSkipped) {
    const existing = t.open.lastByRef(refInIteration(next.ref, iterationOf(next, iteration)));
    if (existing === undefined) return next;
    if (existing.status !== 'SKIPPED') return undefined;
  }
  return undefined;
}

/** Makes the record of a node that has none (`findNext`). `iteration` is that of the record it is reached from. */
export function scheduleNode(t: Transition, node: GraphNode, iteration: number): void {
  const { tasksPerExecutionMax } = t.context.limits;
  if (t.execution.tasks.length >= tasksPerExecutionMax) {
    failExecution(t, {
      status: 'FAILED',
      reason: `The execution has reached the limit of ${tasksPerExecutionMax} tasks (tasksPerExecutionMax)`,
    });
    return;
  }
  const own = iterationOf(node, iteration);
  taskTypeNamed(node.config.type, t.context.systemTaskTypes).map(t, {
    node,
    config: node.config,
    ref: refInIteration(node.ref, own),
    iteration: own,
  });
}
