// The input and the answer of the run of a system task. A part of the contract with plug-ins
// (docs/plugins.md), so it imports nothing of the rest of the server.
import type { ExecutionId, TaskId } from '../std/ids.js';
import type { JsonMap } from '../model/json.js';
import type { TraceContext } from '../telemetry/trace-context.js';

export interface TaskRun {
  readonly workflowId: ExecutionId;
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly correlationId: string | undefined;
  /** Subject id of who started the execution; the run has that subject's rights. */
  readonly startedBy: string | undefined;
  readonly taskToDomain: { readonly [taskType: string]: string };
  readonly taskId: TaskId;
  /** Reference name; with `__N` inside loops. */
  readonly ref: string;
  /** Names the attempt for ever: task id and reopenCount number. */
  readonly attemptKey: string;
  /**
   * As stored: secrets are names. A part of it that is stored or published again must come from
   * here.
   */
  readonly storedInput: JsonMap;
  /** With secrets in place. */
  readonly input: JsonMap;
  /** `inputParameters` as the definition has them, not evaluated. */
  readonly parameters: JsonMap;
  /**
   * The outside world completes the task: a successful run leaves it IN_PROGRESS (semantics 4.0.3).
   */
  readonly asyncComplete: boolean;
  /** Earlier runs of this attempt (types that answer `callbackAfterSeconds`). */
  readonly pollCount: number;
  /** The task's output as the run before left it. */
  readonly output: JsonMap;
  /**
   * The trace that the calls of the run name, where there is one: the headers `traceparent` and
   * `tracestate` (docs/tracing.md).
   */
  readonly trace?: TraceContext | undefined;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** Keeps a secret that the run has learnt out of its output and reason (invariants S6). */
  hide(secret: string): void;
}

export interface TaskOutcome {
  readonly status: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR';
  readonly output: JsonMap;
  readonly reason?: string;
  /** With IN_PROGRESS: run the same attempt again after so many seconds, above 0. */
  readonly callbackAfterSeconds?: number;
  /** Set where the record shows who did it. */
  readonly workerId?: string;
}

/** A run that has done its work; the outside world ends the task where the definition says so. */
export function completed(run: Pick<TaskRun, 'asyncComplete'>, output: JsonMap): TaskOutcome {
  return { status: run.asyncComplete ? 'IN_PROGRESS' : 'COMPLETED', output };
}

export function failed(reason: string, output: JsonMap = {}): TaskOutcome {
  return { status: 'FAILED', output, reason };
}
