// skip-task (semantics 1.5.10): a SKIPPED record for a task that has none yet; the flow steps over
// it. Inside a loop the reference is skipped in every iteration. With `evenIfOpen` a task that is
// scheduled, waits or is held by a worker becomes SKIPPED as well, only the one that is open.
import type { Task } from '../../model/execution.js';
import { Payload } from '../../model/payload.js';
import type { GraphNode } from '../compile.js';
import type { Reply } from '../decision.js';
import { excessOfPayload } from '../mapping.js';
import { isDerived } from '../notes.js';
import { leaveTask, openTaskNamed } from '../open-tasks.js';
import { setNotes } from '../records.js';
import { refused } from '../reopen.js';
import { passSkipped } from '../settle.js';
import { skipReference } from '../skipped-records.js';
import { taskTypeOf } from '../task-types/list.js';
import type { Transition } from '../transition.js';
import { ok, type CommandHandler, type CommandOf } from './contract.js';

export const skipTask: CommandHandler<'skip-task'> = (t, command) => {
  const { ref, taskInput, taskOutput } = command;
  const { execution, open } = t;
  const { status } = execution.state;
  if (status !== 'RUNNING') {
    const message = `The workflow ${execution.id} is not running so the task referenced by ${ref} cannot be skipped`;
    return refused('conflict', message);
  }
  const begun = command.evenIfOpen === true ? openTaskNamed(open, ref) : undefined;
  if (begun !== undefined) return skipOpenTask(t, begun, command);
  const node = open.nodes.graph.nodes.get(ref);
  if (node === undefined) {
    const message = `The task referenced by ${ref} does not exist in the WorkflowDefinition ${execution.snapshot.def.name}`;
    return refused('bad-request', message);
  }
  if (open.lastByPlainRef(ref) !== undefined || open.lastByRef(ref) !== undefined) {
    const message = `The task referenced ${ref} has already been processed, cannot be skipped`;
    return refused('conflict', message);
  }
  if (isLastOfLoop(t, node)) {
    const message = `The task referenced by ${ref} is all that is left of the loop ${node.loop?.ref}: skip the loop instead`;
    return refused('conflict', message);
  }
  skipReference(t, node.config, { ref, input: taskInput ?? {}, output: taskOutput ?? {} });
  open.rebuild();
  return ok;
};

function skipOpenTask(t: Transition, task: Task, command: CommandOf<'skip-task'>): Reply {
  const { role } = taskTypeOf(task);
  if (role === 'join' || role === 'loop') {
    const message = `The task referenced by ${command.ref} waits for other tasks: skip those`;
    return refused('conflict', message);
  }
  if (command.taskInput !== undefined) {
    const message = `taskInput: the task referenced by ${command.ref} has begun, its input stays`;
    return refused('bad-request', message);
  }
  const { limits } = t.context;
  const output = Payload.of(command.taskOutput ?? {});
  const excess = excessOfPayload(output, limits.taskPayloadBytesMax, limits);
  if (excess !== undefined) return refused('bad-request', `taskOutput is ${excess}`);
  if (isDerived(task)) setNotes(t, task, { derived: undefined });
  leaveTask(t, task, { reason: command.reason, output });
  passSkipped(t, task);
  return ok;
}

/** A loop whose body is skipped entirely would go round for ever. */
function isLastOfLoop(t: Transition, node: GraphNode): boolean {
  const body = node.loop?.branches[0];
  if (body === undefined || !body.includes(node)) return false;
  return body.every((member) => {
    if (member === node) return true;
    const record = t.open.lastByRef(member.ref);
    return record?.status === 'SKIPPED';
  });
}
