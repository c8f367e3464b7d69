// Mocks of the tasks of a test: outcomes that stand in for what a worker, the server or a
// sub-workflow would do. Only a test server has mocks (docs/test-server.md).
import type { MockOutcome } from '../model/parse-task-mock.js';

/** The facts of a task by which its mock is found. */
export interface MockableTask {
  readonly workflowId: string;
  readonly workflowName: string;
  readonly workflowVersion: number;
  readonly correlationId: string | undefined;
  /** With the suffix of the iteration. */
  readonly ref: string;
  /** Reference name of the definition. */
  readonly plainRef: string;
  readonly taskName: string;
  readonly taskType: string;
}

export interface TaskMocks {
  /** Whether a mock stands for this task. */
  has(task: MockableTask): boolean;
  /** How its attempt ends, 0 the first; undefined: no mock stands for it any more. */
  outcomeOf(task: MockableTask, attempt: number): MockOutcome | undefined;
}
