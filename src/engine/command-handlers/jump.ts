// jump (contract-core 10): a running execution goes on at a task that the caller names, with input
// that the caller gives. Tasks that are pending are SKIPPED (children are told to end), what lies
// between is recorded as SKIPPED, and the target gets a new record. A jump back removes the old
// records of the target and of what follows it, and everything scheduled after those, as a rerun
// from it does.
//
// The target must stand at the top of the definition or in a case of a SWITCH: the inside of a fork
// or loop has no position of its own.
import type { JsonMap } from '../../model/json.js';
import type { Task } from '../../model/execution.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import { GraphNode } from '../compile.js';
import { type Place, placesOf } from '../definition-places.js';
import { leaveTask } from '../open-tasks.js';
import { removeTasks } from '../repair-flow.js';
import { refused } from '../reopen.js';
import { skipReference } from '../skipped-records.js';
import { engineTypeNamed, mapTask } from '../task-types/list.js';
import type { Transition } from '../transition.js';
import { ok, type CommandHandler } from './contract.js';

export const jump: CommandHandler<'jump'> = (t, { ref, taskInput }) => {
  const { execution, open } = t;
  const { status } = execution.state;
  const { name } = execution.snapshot.def;
  if (status !== 'RUNNING') {
    const message = `Workflow ${execution.id} is not in RUNNING state (current: ${status}), unable to jump to ${ref}`;
    return refused('conflict', message);
  }
  const places = placesOf(execution.snapshot.def, ref);
  const node = open.nodes.graph.nodes.get(ref);
  if (places === undefined || node === undefined) {
    const message = `The task referenced by ${ref} does not exist in the WorkflowDefinition ${name}`;
    return refused('not-found', message);
  }
  if (places.some(({ owner }) => owner !== undefined && !isChoice(owner))) {
    const message = `The task referenced by ${ref} is inside a fork or loop, the workflow cannot go on there`;
    return refused('conflict', message);
  }
  if (node.role === 'join' || node.role === 'exclusive-join') {
    const message = `The task referenced by ${ref} joins branches, the workflow cannot go on there`;
    return refused('conflict', message);
  }
  leavePosition(t, ref);
  removeFrom(t, node);
  open.rebuild();
  skipBetween(t, places);
  open.rebuild();
  open.agenda.clear();
  scheduleTarget(t, node, taskInput);
  return ok;
};

function isChoice(config: WorkflowTask): boolean {
  return engineTypeNamed(config.type).role === 'choice';
}

function leavePosition(t: Transition, ref: string): void {
  for (const task of [...t.open.openTasks]) {
    leaveTask(t, task, { reason: `Skipped by a jump to ${ref}` });
  }
}

/**
 * A jump back: what has records from the target on goes, with all that was scheduled after the
 * first of them. The target itself may have none, when it stands in a case that was not taken.
 */
function removeFrom(t: Transition, target: GraphNode): void {
  const ahead = new Set<string>();
  for (let node: GraphNode | undefined = target; node !== undefined; node = node.nextIfSkipped) {
    ahead.add(node.ref);
  }
  let first = Number.POSITIVE_INFINITY;
  for (const task of t.execution.tasks) {
    if (task.seq > 0 && ahead.has(task.ref)) first = Math.min(first, task.seq);
  }
  removeTasks(t, (task) => task.seq >= first || (task.seq === 0 && ahead.has(task.ref)));
}

/** Every list around the target: what precedes it there and has no record. */
function skipBetween(t: Transition, places: readonly Place[]): void {
  for (const { list, index, owner } of places) {
    if (owner !== undefined) skip(t, owner);
    for (const config of list.slice(0, index)) skip(t, config);
  }
}

function skip(t: Transition, config: WorkflowTask): Task | undefined {
  const ref = config.taskReferenceName;
  if (t.open.lastByRef(ref) !== undefined) return undefined;
  return skipReference(t, config, { ref, input: {}, output: {} });
}

/** The given keys win over the configured parameters; the record shows what it was really given. */
function scheduleTarget(t: Transition, node: GraphNode, taskInput: JsonMap): void {
  const config = {
    ...node.config,
    inputParameters: { ...node.config.inputParameters, ...taskInput },
  };
  const site = new GraphNode(config, node.role, node.loop);
  site.next = node.next;
  site.nextIfSkipped = node.nextIfSkipped;
  site.previous = node.previous;
  site.branches = node.branches;
  site.cases = node.cases;
  site.defaultCase = node.defaultCase;
  mapTask(t, {
    node: site,
    config,
    ref: node.ref,
    iteration: 0,
  });
}
