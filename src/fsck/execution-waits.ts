// Tasks that wait for people are found by those: the index of human tasks knows them (invariants
// I13).
import type { Task } from '../model/execution.js';
import { parseJson, toJsonText } from '../model/json-text.js';
import { entryOf } from '../engine/human-tasks.js';
import { unpackText } from '../redis/codec/record.js';
import type { FsckParts } from './check.js';
import type { Finding } from './finding.js';
import type { ReadExecution } from './read-execution.js';

export async function checkWaits(parts: FsckParts, read: ReadExecution): Promise<Finding[]> {
  if (read.stored.compact) return [];
  const findings: Finding[] = [];
  for (const task of read.open.openTasks) {
    if (task.taskType === 'HUMAN') findings.push(...(await checkHuman(parts, read, task)));
  }
  return findings;
}

async function checkHuman(
  { reader, humanTasks }: FsckParts,
  { id, key, stored, open }: ReadExecution,
  task: Task,
): Promise<Finding[]> {
  const entry = entryOf(open, task);
  // While the index is still to be told, the message stands for the entry.
  const isOnItsWay = [...stored.execution.outbox.values()].some(
    (message) => message.kind === 'human-task-changed' && message.taskNumber === task.number,
  );
  if (entry === undefined || isOnItsWay) return [];
  const tasks = reader.redis.keys.humanTasks();
  const [bytes] = await reader.values(tasks, [entry.taskId]);
  const wanted = toJsonText(parseJson(toJsonText(entry)));
  const found = bytes && toJsonText(parseJson(unpackText('human task', bytes)));
  if (found === wanted) return [];
  return [
    {
      kind: 'human-task-wrong',
      subject: entry.taskId,
      keys: [tasks, key],
      sentence:
        bytes === undefined
          ? `The human task ${task.ref} of execution ${id} is not in the index`
          : `The index shows the human task ${task.ref} of execution ${id} as it no longer is`,
      mend: () => humanTasks.put(entry),
    },
  ];
}
