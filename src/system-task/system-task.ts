// What a task type with I/O has to say (semantics 4.0.2). One file per type, one entry in list.ts.
// A run is told nothing of shards and actors: it gets the task's input and gives back what to
// report. After a crash the same attempt is run again, so every effect carries the attempt's key or
// is repeatable by nature.
import type { ExecutionId, TaskId } from '../std/ids.js';
import type { JsonMap } from '../model/json.js';

export interface TaskRun {
  readonly workflowId: ExecutionId;
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly correlationId: string | undefined;
  readonly taskToDomain: { readonly [taskType: string]: string };
  readonly taskId: TaskId;
  /** Reference name; with `__N` inside loops. */
  readonly ref: string;
  /** Names the attempt for ever: task id and reopenCount number. */
  readonly attemptKey: string;
  /** As stored: secrets are names. What of it is stored or published again must come from here. */
  readonly storedInput: JsonMap;
  /** With secrets in place. */
  readonly input: JsonMap;
  /**
   * The outside world completes the task: a successful run leaves it IN_PROGRESS (semantics 4.0.3).
   */
  readonly asyncComplete: boolean;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
}

export interface TaskOutcome {
  readonly status: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR';
  readonly output: JsonMap;
  readonly reason?: string;
  /** Set where the record shows who did it. */
  readonly workerId?: string;
}

export interface SystemTask {
  /** Run-time type of the tasks. */
  readonly type: string;
  /** Runs of one lane share a limit, so that a slow host holds up only itself. */
  lane?(input: JsonMap): string;
  /**
   * Carries out one attempt. Rejections: AppError 'unavailable' and 'unknown-outcome' and
   * StoreError are tried again later, everything else fails the task with its message.
   */
  run(run: TaskRun): Promise<TaskOutcome>;
  /**
   * An attempt that was run and is still open has been cancelled with its execution: take back what
   * can be taken back.
   */
  cancelled?(taskId: TaskId, attemptKey: string, output: JsonMap): Promise<void>;
}

export function failed(reason: string, output: JsonMap = {}): TaskOutcome {
  return { status: 'FAILED', output, reason };
}
