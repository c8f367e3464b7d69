// Mocks of a simulated run: what it answers in place of workers, people and other systems. The
// server takes those of one reference one after the other; tasks of a loop have one reference per
// iteration, such as `check__2`.
import type { TaskMock, TaskStatus, Workflow, WorkflowTask } from '../api/types';

export type Mocks = Readonly<Record<string, readonly TaskMock[]>>;

/** Types that the server runs by itself in a simulated execution. */
const steering =
  /^(?:SWITCH|DECISION|FORK_JOIN|FORK_JOIN_DYNAMIC|JOIN|EXCLUSIVE_JOIN|DO_WHILE|SET_VARIABLE|TERMINATE|INLINE|JSON_JQ_TRANSFORM)$/;

const plain: TaskMock = { status: 'COMPLETED', output: {} };
/** Iterations of a loop that have mocks where nothing says how many there are. */
const usualRounds = 2;

/** `answers`: what is known of some references; all others complete without an output. */
export function mocksFor(tasks: readonly WorkflowTask[], answers: Mocks = {}): Mocks {
  const mocks: Record<string, readonly TaskMock[]> = {};
  const placed = new Set<string>();
  const visit = (list: readonly WorkflowTask[], rounds: number): void => {
    for (const task of list) {
      const { taskReferenceName: ref, type = 'SIMPLE', loopOver = [] } = task;
      placed.add(ref);
      if (!steering.test(type)) {
        const known = answers[ref] ?? [plain];
        if (rounds === 0) mocks[ref] = known;
        for (let round = 1; round <= rounds; round += 1) {
          mocks[`${ref}__${round}`] = [known[Math.min(round, known.length) - 1] ?? plain];
        }
      }
      visit(branchTasks(task), rounds);
      const most = Math.max(0, ...refsOf(loopOver).map((each) => answers[each]?.length ?? 0));
      visit(loopOver, most === 0 ? usualRounds : most);
    }
  };
  visit(tasks, 0);
  // Such as branches that a fork makes as it runs.
  const others = Object.entries(answers).filter(([ref]) => !placed.has(ref));
  return { ...mocks, ...Object.fromEntries(others) };
}

function branchTasks({ decisionCases = {}, defaultCase = [], forkTasks = [] }: WorkflowTask) {
  return [...Object.values(decisionCases).flat(), ...defaultCase, ...forkTasks.flat()];
}

function refsOf(tasks: readonly WorkflowTask[]): readonly string[] {
  return tasks.flatMap((task) => [task.taskReferenceName, ...refsOf(branchTasks(task))]);
}

/** The ends that a mock can have, by the status of a recorded task. */
const mockStatuses: Partial<Record<TaskStatus, NonNullable<TaskMock['status']>>> = {
  COMPLETED: 'COMPLETED',
  COMPLETED_WITH_ERRORS: 'COMPLETED',
  FAILED: 'FAILED',
  FAILED_WITH_TERMINAL_ERROR: 'FAILED_WITH_TERMINAL_ERROR',
};

/** Mocks that answer as the tasks of a past execution did. */
export function recordedMocks({ tasks }: Workflow): Mocks {
  const mocks: Record<string, TaskMock[]> = {};
  for (const { referenceTaskName: ref, status, outputData, taskType } of tasks) {
    const mocked = mockStatuses[status];
    if (steering.test(taskType) || mocked === undefined) continue;
    (mocks[ref] ??= []).push({ status: mocked, output: outputData ?? {} });
  }
  return mocks;
}
