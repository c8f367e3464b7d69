// Task logs: append-only lines per task (semantics 4.0.7, contract-core 15.4).
import type { TaskId } from '../std/ids.js';

export interface TaskLogEntry {
  log: string;
  taskId: string;
  /** Epoch ms. */
  createdTime: number;
}

export interface TaskLogStore {
  /** Keeps at most the newest `linesMax` lines of the task and lets them expire with retention. */
  append(taskId: TaskId, entries: readonly TaskLogEntry[]): Promise<void>;
  list(taskId: TaskId): Promise<TaskLogEntry[]>;
}
