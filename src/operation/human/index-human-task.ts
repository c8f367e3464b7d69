// Keeps the index of human tasks in step with the executions: an execution tells of each change by
// an outbox message, and the index takes the task as it is by then.
import { entryOf } from '../../engine/human-tasks.js';
import type { HumanTaskFollower } from '../../shard/executions.js';
import { taskIdOf } from '../../std/ids.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';

export function createHumanTaskFollower(store: HumanTaskStore): HumanTaskFollower {
  return {
    async changed(open, taskNumber) {
      const task = open.byNumber.get(taskNumber);
      const entry = task === undefined ? undefined : entryOf(open, task);
      if (entry !== undefined) await store.put(entry);
      else await store.remove(taskIdOf(open.execution.id, taskNumber));
    },
  };
}
