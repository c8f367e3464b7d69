// skip-task (semantics 1.5.10): a SKIPPED record for a task that has none yet; the flow steps over
// it. Inside a loop the reference is skipped in every iteration.
import { skipReference } from '../skipped-records.js';
import { refused } from '../reopen.js';
import type { GraphNode } from '../compile.js';
import type { Transition } from '../transition.js';
import { ok, type CommandHandler } from './contract.js';

export const skipTask: CommandHandler<'skip-task'> = (t, { ref, taskInput, taskOutput }) => {
  const { execution, open } = t;
  const { status } = execution.state;
  if (status !== 'RUNNING') {
    const message = `The workflow ${execution.id} is not running so the task referenced by ${ref} cannot be skipped`;
    return refused('conflict', message);
  }
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
