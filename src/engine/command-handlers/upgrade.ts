// upgrade (semantics 1.5.11): a running execution goes on with another version of its definition
// from where it stands. Tasks of the new version before that position that the run never saw are
// recorded as SKIPPED.
import type { Task, DefinitionSnapshot } from '../../model/execution.js';
import { Payload } from '../../model/payload.js';
import { isTerminalTask, isTerminalWorkflow } from '../../model/status.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import { taskPart } from '../decision.js';
import { placesOf } from '../definition-places.js';
import { processOf, tellIndex } from '../human-tasks.js';
import { plainRefOf, refInIteration } from '../references.js';
import { nameVersionId, refused } from '../reopen.js';
import { skipReference } from '../skipped-records.js';
import { taskTypeOf } from '../task-types/list.js';
import type { Transition } from '../transition.js';
import { ok, type CommandOf, type CommandHandler } from './contract.js';

export const upgrade: CommandHandler<'upgrade'> = (t, command) => {
  const { execution, changes, open } = t;
  const { status } = execution.state;
  if (isTerminalWorkflow(status)) {
    const message = `Workflow: ${nameVersionId(t)}.${status} is in terminal state, unable to upgrade.`;
    return refused('conflict', message);
  }
  const position = positionOf(t);
  const missing = position.find((task) => !isKnown(t, command.snapshot, task));
  if (missing !== undefined) {
    const { name, version } = command.snapshot.def;
    const message = `Task ${missing.ref} is ${missing.status} and does not exist in ${name}.${version}, unable to upgrade.`;
    return refused('bad-request', message);
  }
  const dynamic = new Set(position.filter((task) => !open.nodes.graph.nodes.has(plainRefOf(task))));
  execution.snapshot = command.snapshot;
  delete execution.attributes.definitionVariables;
  changes.snapshot = true;
  changes.attributes = true;
  if (command.workflowInput !== undefined) {
    execution.input = Payload.of({ ...execution.input.value, ...command.workflowInput });
    changes.input = true;
  }
  open.rebuild();
  for (const task of position) {
    if (dynamic.has(task)) continue;
    takeConfig(t, task);
    skipBefore(t, task, command);
  }
  open.rebuild();
  return ok;
};

/** The tasks that the run stands at: pending, or ended and not consumed yet. */
function positionOf(t: Transition): Task[] {
  return t.execution.tasks.filter(
    (task) => !task.executed && !task.retried && task.status !== 'SKIPPED',
  );
}

/** Branches of a dynamic fork are not in any definition; their fork has to stay. */
function isKnown(t: Transition, snapshot: DefinitionSnapshot, task: Task): boolean {
  const ref = plainRefOf(task);
  if (placesOf(snapshot.def, ref) !== undefined) return true;
  if (t.open.nodes.graph.nodes.has(ref)) return false;
  return t.execution.tasks.every(
    (fork) =>
      taskTypeOf(fork).role !== 'dynamic-fork' ||
      placesOf(snapshot.def, plainRefOf(fork)) !== undefined,
  );
}

/** Pending records follow the new configuration unless it is of another type. */
function takeConfig(t: Transition, task: Task): void {
  const node = t.open.nodes.graph.nodes.get(plainRefOf(task));
  if (node === undefined || isTerminalTask(task.status)) return;
  if (node.config.type !== task.config.type || node.config.type === 'DYNAMIC') return;
  task.config = node.config;
  t.touch(task, taskPart.record);
  // Its time-outs may be others, and with them when it is due.
  if (processOf(task) !== undefined) tellIndex(t, task);
}

/**
 * Skips the tasks without a record that precede the task in its list, and those that precede each
 * list around it.
 */
function skipBefore(t: Transition, task: Task, command: CommandOf<'upgrade'>): void {
  const { open } = t;
  for (const { list, index } of placesOf(command.snapshot.def, plainRefOf(task)) ?? []) {
    for (const config of list.slice(0, index)) skip(t, config, task.iteration, command);
  }
  open.arm(task);
}

function skip(
  t: Transition,
  config: WorkflowTask,
  iteration: number,
  command: CommandOf<'upgrade'>,
): void {
  const plainRef = config.taskReferenceName;
  const inLoop = t.open.nodes.graph.nodes.get(plainRef)?.loop !== undefined;
  const ref = refInIteration(plainRef, inLoop ? iteration : 0);
  if (t.open.lastByRef(ref) !== undefined) return;
  const output = command.taskOutput[plainRef] ?? {};
  skipReference(t, config, { ref, iteration: inLoop ? iteration : 0, input: {}, output });
}
