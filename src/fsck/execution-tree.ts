// Parents and their sub-workflows agree: a parent that waits has a child that is open or whose end
// is on its way, and a child's parent knows it (invariants I12). A parent may be removed while its
// children run, so a missing parent is no violation.
import type { Task } from '../model/execution.js';
import { isTerminalWorkflow } from '../model/status.js';
import { shardOf, type ExecutionId } from '../std/ids.js';
import type { FsckParts } from './check.js';
import type { Finding } from './finding.js';
import type { ReadExecution } from './read-execution.js';
import { loadReadable } from './readable.js';

export async function checkTree(parts: FsckParts, read: ReadExecution): Promise<Finding[]> {
  if (read.stored.compact) return [];
  const findings: Finding[] = [];
  for (const task of read.open.openTasks) {
    if (task.taskType !== 'SUB_WORKFLOW' || task.subWorkflowId === undefined) continue;
    findings.push(...(await checkChild(parts, read, task, task.subWorkflowId)));
  }
  return [...findings, ...(await checkParent(parts, read))];
}

async function checkChild(
  parts: FsckParts,
  { id, key }: ReadExecution,
  task: Task,
  childId: ExecutionId,
): Promise<Finding[]> {
  const childKey = keyOf(parts, childId);
  const common = { subject: id, keys: [key, childKey] };
  const child = await loadReadable(parts, childId);
  if (child === undefined) {
    const sentence = `Task ${task.ref} of execution ${id} waits for ${childId}, which does not exist`;
    return [{ ...common, kind: 'child-missing', sentence }];
  }
  const { attributes, state, outbox } = child.execution;
  if (attributes.parentWorkflowId !== id) {
    const sentence = `Task ${task.ref} of execution ${id} waits for ${childId}, which has another parent`;
    return [{ ...common, kind: 'parent-disagrees', sentence }];
  }
  const isTold = [...outbox.values()].some(({ kind }) => kind === 'report-end');
  if (!isTerminalWorkflow(state.status) || isTold) return [];
  const sentence =
    `Task ${task.ref} of execution ${id} waits for ${childId}, ` +
    `which is ${state.status} and has nothing left to report`;
  return [{ ...common, kind: 'child-end-lost', sentence }];
}

async function checkParent(parts: FsckParts, read: ReadExecution): Promise<Finding[]> {
  const { id, key, stored } = read;
  const { attributes, state } = stored.execution;
  const { parentWorkflowId, parentTaskNumber } = attributes;
  if (parentWorkflowId === undefined || isTerminalWorkflow(state.status)) return [];
  const parent = await loadReadable(parts, parentWorkflowId);
  if (parent === undefined || isTerminalWorkflow(parent.execution.state.status)) return [];
  const task = parent.execution.tasks.find(({ number }) => number === parentTaskNumber);
  if (task !== undefined && [undefined, id].includes(task.subWorkflowId)) return [];
  const knows = task === undefined ? 'has no such task' : `names ${task.subWorkflowId} there`;
  return [
    {
      kind: 'parent-disagrees',
      subject: id,
      keys: [key, keyOf(parts, parentWorkflowId)],
      sentence:
        `Execution ${id} is the child of task ${parentTaskNumber} of ${parentWorkflowId}, ` +
        `which ${knows}`,
    },
  ];
}

function keyOf({ reader, shards }: FsckParts, id: ExecutionId): string {
  return reader.redis.keys.execution(shardOf(id, shards), id);
}
