// Gives nodes their records (semantics 2.6, 2.10): stepping over skipped references, dropping those
// that have one already.
import { Payload } from '../model/payload.js';
import { failExecution } from './ending.js';
import type { GraphNode } from './compile.js';
import { ExpressionRefusal } from './expression/refusal.js';
import { limitReached } from './record-limits.js';
import { refusedInputNote } from './notes.js';
import { createTask, setNotes } from './records.js';
import { refInIteration } from './references.js';
import type { Site } from './task-types/contract.js';
import { mapTask } from './task-types/list.js';
import type { Transition } from './transition.js';

/** Iteration in which a node runs that is reached from a record with `iteration`. */
export function iterationOf(node: GraphNode, iteration: number): number {
  return node.loop === undefined ? 0 : iteration;
}

/**
 * The node to get a record: `node` or what follows it when it is skipped; undefined when that has a
 * record already.
 */
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

/**
 * Makes the record of a node that has none (`findNext`). `iteration` is that of the record it is
 * reached from.
 */
export function scheduleNode(t: Transition, node: GraphNode, iteration: number): void {
  const limit = limitReached(t);
  if (limit !== undefined) {
    failExecution(t, { status: 'FAILED', reason: limit });
    return;
  }
  const own = iterationOf(node, iteration);
  const { config } = node;
  const site: Site = { node, config, ref: refInIteration(node.ref, own), iteration: own };
  try {
    mapTask(t, site);
  } catch (error) {
    if (!(error instanceof ExpressionRefusal)) throw error;
    refuseInput(t, site, error.sentence('The input of the task'));
  }
}

/**
 * The record of a task whose input is beyond the limit (semantics 2.12) or names a secret or a
 * variable that it may not (3.7), without that input. Without its FORK a JOIN would wait for good.
 */
function refuseInput(t: Transition, site: Site, reason: string): void {
  const { config } = site;
  const { role } = site.node;
  if (role === 'fork' || role === 'dynamic-fork') {
    failExecution(t, { status: 'FAILED', reason });
    return;
  }
  const isNamed = config.type === 'SIMPLE' || config.type === 'DYNAMIC';
  const task = createTask(t, {
    ref: site.ref,
    config,
    taskType: isNamed ? config.name : config.type,
    status: 'FAILED_WITH_TERMINAL_ERROR',
    iteration: site.iteration,
    input: Payload.empty,
    reason,
  });
  setNotes(t, task, { [refusedInputNote]: true });
  t.push({ kind: 'settle', task });
}
