// Task logs without the values of secrets (invariants S6): workers write what they like.
import type { TaskId } from '../../std/ids.js';
import { redactText } from '../../model/redact.js';
import type { TaskLogEntry, TaskLogStore } from '../../store/task-log-store.js';

export class HidingTaskLogs implements TaskLogStore {
  constructor(
    private readonly store: TaskLogStore,
    /** Texts that must not be shown, longest first. */
    private readonly texts: () => readonly string[],
  ) {}

  async append(taskId: TaskId, entries: readonly TaskLogEntry[]): Promise<void> {
    const texts = this.texts();
    const hidden =
      texts.length === 0
        ? entries
        : entries.map((entry) => ({ ...entry, log: redactText(entry.log, texts) }));
    await this.store.append(taskId, hidden);
  }

  async list(taskId: TaskId): Promise<TaskLogEntry[]> {
    return await this.store.list(taskId);
  }
}
