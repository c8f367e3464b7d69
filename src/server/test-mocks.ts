// Mocks of a test server, in memory and gone with it. Which of several that fit a task stands for
// it: one for an execution before one for a definition before the others; among equals the newest.
import type { MockableTask, TaskMocks } from '../engine/task-mocks.js';
import { AppError } from '../model/errors.js';
import type {
  MockOutcome,
  MockSelector,
  TaskMockRequest,
  TestMock,
} from '../model/parse-task-mock.js';

/** A test that makes more has forgotten to remove them. */
const mocksMax = 1000;

export class TestMocks implements TaskMocks {
  /** Oldest first. */
  readonly #mocks = new Map<string, TaskMockRequest>();
  readonly #uses = new Map<string, number>();
  #made = 0;

  /** Throws AppError 'conflict' when there are too many. */
  add(request: TaskMockRequest): TestMock {
    if (this.#mocks.size >= mocksMax) {
      throw new AppError('conflict', `There are ${mocksMax} mocks, the most there may be`);
    }
    const id = `mock-${++this.#made}`;
    this.#mocks.set(id, request);
    return this.#shown(id, request);
  }

  all(): TestMock[] {
    return [...this.#mocks].map(([id, request]) => this.#shown(id, request));
  }

  /** Throws AppError 'not-found'. */
  remove(id: string): void {
    if (!this.#mocks.delete(id)) throw new AppError('not-found', `There is no mock ${id}`);
    this.#uses.delete(id);
  }

  removeAll(): void {
    this.#mocks.clear();
    this.#uses.clear();
  }

  has(task: MockableTask): boolean {
    return this.#find(task) !== undefined;
  }

  outcomeOf(task: MockableTask, attempt: number): MockOutcome | undefined {
    const id = this.#find(task);
    const attempts = id === undefined ? undefined : this.#mocks.get(id)?.attempts;
    if (id === undefined || attempts === undefined) return undefined;
    this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1);
    return attempts[Math.min(attempt, attempts.length - 1)];
  }

  #find(task: MockableTask): string | undefined {
    let found: string | undefined;
    let rank = -1;
    for (const [id, selector] of this.#mocks) {
      if (!fits(selector, task) || rankOf(selector) < rank) continue;
      found = id;
      rank = rankOf(selector);
    }
    return found;
  }

  #shown(id: string, request: TaskMockRequest): TestMock {
    return { id, ...request, uses: this.#uses.get(id) ?? 0 };
  }
}

function rankOf({ workflowId, correlationId, workflowName }: MockSelector): number {
  if (workflowId !== undefined) return 3;
  if (correlationId !== undefined) return 2;
  return workflowName === undefined ? 0 : 1;
}

function fits(selector: MockSelector, task: MockableTask): boolean {
  const { taskReferenceName: ref } = selector;
  if (ref !== undefined && ref !== task.ref && ref !== task.plainRef) return false;
  const pairs = [
    [selector.workflowName, task.workflowName],
    [selector.workflowVersion, task.workflowVersion],
    [selector.workflowId, task.workflowId],
    [selector.correlationId, task.correlationId],
    [selector.taskName, task.taskName],
    [selector.taskType, task.taskType],
  ] as const;
  return pairs.every(([wanted, value]) => wanted === undefined || wanted === value);
}
