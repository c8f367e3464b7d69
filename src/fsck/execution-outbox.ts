// Messages that an execution still has to deliver name something that they can be delivered to
// (invariants I12, M5).
import type { OutboxMessage } from '../model/execution.js';
import { parseExecutionId, shardOf } from '../std/ids.js';
import type { FsckParts } from './check.js';
import type { Finding } from './finding.js';
import type { ReadExecution } from './read-execution.js';
import { wakeOwner } from './wake-owner.js';

export async function checkOutbox(parts: FsckParts, read: ReadExecution): Promise<Finding[]> {
  const { id, key, stored, open } = read;
  const findings: Finding[] = [];
  for (const message of stored.execution.outbox.values()) {
    const { target, mustExist } = targetOf(message);
    const taskNumber = 'taskNumber' in message ? message.taskNumber : undefined;
    const isOwnTask = !['report-end', 'reopen-parent'].includes(message.kind);
    let wrong: string | undefined;
    if (isOwnTask && taskNumber !== undefined && !open.byNumber.has(taskNumber)) {
      wrong = `names its task ${taskNumber}, which it does not have`;
    } else if (target !== undefined && !(await canBeTold(parts, target, mustExist))) {
      wrong = `is for execution ${target}, which does not exist`;
    }
    if (wrong === undefined) continue;
    findings.push({
      kind: 'outbox-target',
      subject: id,
      keys: [key],
      sentence: `Message ${message.id} (${message.kind}) of execution ${id} ${wrong}`,
      // Its delivery is refused for good, which deletes it.
      mend: () => wakeOwner(parts, read),
      byOwner: true,
    });
  }
  return findings;
}

function targetOf(message: OutboxMessage): {
  target: string | undefined;
  mustExist: boolean;
} {
  switch (message.kind) {
    case 'start-child':
      return { target: message.childId, mustExist: false };
    case 'start-workflow':
      return { target: message.startedId, mustExist: false };
    case 'terminate-child':
    case 'command-child':
      return { target: message.childId, mustExist: true };
    case 'report-end':
    case 'reopen-parent':
      return { target: message.parentId, mustExist: true };
    case 'command-other':
      return { target: message.targetId, mustExist: true };
    case 'human-task-changed':
    case 'take-place':
    case 'leave-place':
    case 'publish-event':
      return { target: undefined, mustExist: false };
  }
}

async function canBeTold(
  { reader, shards }: FsckParts,
  target: string,
  mustExist: boolean,
): Promise<boolean> {
  const id = parseExecutionId(target);
  if (id === undefined) return false;
  if (!mustExist) return true;
  const key = reader.redis.keys.execution(shardOf(id, shards), id);
  return (await reader.exist([key]))[0] === true;
}
