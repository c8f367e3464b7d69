// The index of human tasks: a hash of entries and the sets that they are searched by; what stands
// in one must stand in the other.
import type { HumanTaskEntry } from '../model/human/human-entry.js';
import { parseJson, parseOwnJson } from '../model/json-text.js';
import { unpackText } from '../redis/codec/record.js';
import { parseTaskId } from '../std/ids.js';
import { isTerminalTask, isTerminalWorkflow } from '../model/status.js';
import type { Check, FsckParts, Suspect } from './check.js';
import type { Finding } from './finding.js';
import { loadReadable } from './readable.js';

/** Entries of human tasks that are open in the index and nowhere else, or in the wrong sets. */
export function humanTasksCheck(parts: FsckParts): Check<string> {
  const { reader } = parts;
  const { keys } = reader.redis;
  return {
    name: 'human tasks',
    async *walk() {
      for await (const some of reader.fields(keys.humanTasks())) {
        yield some.map(({ field }) => field);
      }
    },
    async inspect(taskIds) {
      const entries = await reader.values(keys.humanTasks(), taskIds);
      const sets = await reader.values(keys.humanTaskSets(), taskIds);
      const suspects: Suspect<string>[] = [];
      for (const [i, subject] of taskIds.entries()) {
        const entry = entries[i];
        if (entry === undefined) continue;
        const found =
          (await inspectSets(parts, subject, sets[i])) ??
          (await inspectEntry(parts, subject, entry));
        if (found !== undefined) suspects.push({ subject, finding: found });
      }
      return suspects;
    },
  };
}

const openStates = new Set(['PENDING', 'ASSIGNED', 'IN_PROGRESS']);

async function inspectEntry(
  parts: FsckParts,
  taskId: string,
  bytes: Buffer,
): Promise<Finding | undefined> {
  const entry = parseJson(unpackText('human task', bytes)) as { state: string };
  if (!openStates.has(entry.state) || (await isOpen(parts, taskId))) return undefined;
  return {
    kind: 'human-task-orphan',
    subject: taskId,
    keys: [parts.reader.redis.keys.humanTasks()],
    sentence: `The index shows the human task ${taskId} as ${entry.state}, which is not open`,
    mend: async () => {
      if (!(await isOpen(parts, taskId))) await parts.humanTasks.remove(taskId);
    },
  };
}

/** Also while a message to the index is on its way. */
async function isOpen(parts: FsckParts, taskId: string): Promise<boolean> {
  const target = parseTaskId(taskId);
  if (target === undefined) return false;
  const { executionId, taskNumber } = target;
  const stored = await loadReadable(parts, executionId);
  if (stored === undefined) return false;
  const { state, tasks, outbox } = stored.execution;
  if ([...outbox.values()].some(({ kind }) => kind === 'human-task-changed')) return true;
  const task = tasks.find(({ number }) => number === taskNumber);
  return task !== undefined && !isTerminalTask(task.status) && !isTerminalWorkflow(state.status);
}

async function inspectSets(
  { reader, humanTasks }: FsckParts,
  taskId: string,
  sets: Buffer | undefined,
): Promise<Finding | undefined> {
  const { keys } = reader.redis;
  const names = sets === undefined ? [] : (JSON.parse(sets.toString()) as string[]);
  const places = names.map((name) => ({ key: keys.humanTaskSet(name), member: taskId }));
  const scores = await reader.scores(places);
  const missing = places.filter((_, i) => scores[i] === undefined);
  if (names.length > 0 && missing.length === 0) return undefined;
  return {
    kind: 'human-task-sets',
    subject: taskId,
    keys: [keys.humanTaskSets(), ...missing.map(({ key }) => key)],
    sentence: `The human task ${taskId} does not stand in all sets that it is searched by`,
    mend: async () => {
      const [now] = await reader.values(keys.humanTasks(), [taskId]);
      if (now === undefined) return;
      const entry = parseOwnJson<HumanTaskEntry>(unpackText('human task', now));
      await humanTasks.put(entry);
    },
  };
}
