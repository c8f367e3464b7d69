// Keeps the index of human tasks in step with the executions: an execution tells of each change by
// an outbox message, and the index takes the task as it is by then.
import { entryOf } from '../../engine/human-tasks.js';
import type { HumanTaskEntry } from '../../model/human/human-entry.js';
import type { HumanTaskFollower } from '../../shard/executions.js';
import { taskIdOf } from '../../std/ids.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';

/** `indexed` is told of each task that the index has taken; undefined: it has removed it. */
export function createHumanTaskFollower(
  store: HumanTaskStore,
  indexed: (taskId: string, entry: HumanTaskEntry | undefined) => void,
): HumanTaskFollower {
  return {
    async changed(open, taskNumber) {
      const task = open.byNumber.get(taskNumber);
      const entry = task === undefined ? undefined : entryOf(open, task);
      const taskId = taskIdOf(open.execution.id, taskNumber);
      if (entry !== undefined) await store.put(entry);
      else await store.remove(taskId);
      indexed(taskId, entry);
    },
  };
}
