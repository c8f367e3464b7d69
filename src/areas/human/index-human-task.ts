// Keeps the index of human tasks in step with the executions: an execution tells of each change by
// an outbox message, and the index takes the task as it is by then. The write of a node may arrive
// when another one owns the execution and has told the index of something newer (invariants I13):
// so the task is read again after each write, from its owner then, until the index shows it.
import { entryOf } from '../../engine/human-tasks.js';
import type { OpenExecution } from '../../engine/open-execution.js';
import type { HumanTaskEntry } from '../../model/human/human-entry.js';
import { toJsonText } from '../../model/json-text.js';
import type { Executions, HumanTaskFollower } from '../../shard/executions.js';
import { taskIdOf } from '../../std/ids.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';

export interface HumanTaskFollowerParts {
  readonly store: Pick<HumanTaskStore, 'put' | 'remove'>;
  readonly executions: Pick<Executions, 'read'>;
  /** Told of each task that the index has taken; undefined: it has removed it. */
  readonly indexed: (taskId: string, entry: HumanTaskEntry | undefined) => void;
}

export function createHumanTaskFollower(parts: HumanTaskFollowerParts): HumanTaskFollower {
  const { store, executions, indexed } = parts;
  return {
    async changed(open, taskNumber) {
      const { id } = open.execution;
      const taskId = taskIdOf(id, taskNumber);
      let shown = entryIn(open, taskNumber);
      for (;;) {
        if (shown !== undefined) await store.put(shown);
        else await store.remove(taskId);
        indexed(taskId, shown);
        const now = await executions.read(id, (newest) => entryIn(newest, taskNumber));
        if (isSame(now, shown)) return;
        shown = now;
      }
    },
  };
}

function entryIn(open: OpenExecution, taskNumber: number): HumanTaskEntry | undefined {
  const task = open.byNumber.get(taskNumber);
  return task === undefined ? undefined : entryOf(open, task);
}

function isSame(a: HumanTaskEntry | undefined, b: HumanTaskEntry | undefined): boolean {
  return textOf(a) === textOf(b);
}

function textOf(entry: HumanTaskEntry | undefined): string {
  return entry === undefined ? '' : toJsonText(entry);
}
