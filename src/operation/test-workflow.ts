// Tests a workflow without carrying it out (contract-core 14.2, semantics 1.7): a simulated
// execution whose worker and outside tasks are answered by the given mocks, in order per reference
// name. Time passes only in the simulation, so that delays and timers cost nothing. The run ends
// when the execution is terminal, when an open task has neither a mock nor anything that moves it,
// or after a fixed number of rounds; the answer is the execution as it stands then.
import { executionIdOf, type ExecutionId } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type {
  ChildStart,
  DefinitionSnapshot,
  ExecutionAttributes,
  Task,
} from '../model/execution.js';
import type { TaskMock, WorkflowTestRequest } from '../model/parse-start-request.js';
import { Payload } from '../model/payload.js';
import { present } from '../model/record-reader.js';
import { isTerminalWorkflow } from '../model/status.js';
import { delayedStartAt } from '../engine/deadlines.js';
import { isWorkerTask } from '../engine/task-kinds.js';
import { taskTypeOf } from '../engine/task-types/list.js';
import { queueDelay } from '../engine/worker-queue.js';
import { requireStartRight } from './access.js';
import type { OperationContext } from './context.js';
import { workflowText } from './execution-view.js';
import { Simulation, type SimulationParts } from './simulation.js';

/** Turns of mocks and time (contract-core 14.2). */
const roundsMax = 20_000;
/** Real time one test may take. */
const testMsMax = 20_000;

export type TestParts = Pick<SimulationParts, 'sandbox' | 'engine'>;

type TestContext = Pick<OperationContext, 'definitions' | 'clock' | 'randomId' | 'access'>;

/**
 * JSON text of the Workflow. Throws AppError 'not-found' for an unknown definition, 'bad-request'
 * for a missing sub-workflow.
 */
export async function testWorkflow(
  context: TestContext,
  caller: Caller,
  parts: TestParts,
  request: WorkflowTestRequest,
): Promise<string> {
  requireStartRight(context.access, caller, request);
  const test = new WorkflowTest(context, caller, parts);
  const id = await test.start(request);
  await test.run(id);
  return test.answer(id);
}

class WorkflowTest {
  readonly #simulation: Simulation;
  /** The remaining mocks of each simulated execution. */
  readonly #mocks = new Map<ExecutionId, Map<string, TaskMock[]>>();
  readonly #requests = new Map<ExecutionId, WorkflowTestRequest>();

  constructor(
    private readonly context: TestContext,
    private readonly caller: Caller,
    parts: TestParts,
  ) {
    this.#simulation = new Simulation({
      ...parts,
      childOf: (parent, task, order) => this.#childOf(parent, task, order),
    });
  }

  async start(request: WorkflowTestRequest): Promise<ExecutionId> {
    const { context, caller } = this;
    const { randomId } = context;
    const id = executionIdOf(0, Buffer.from(randomId().replaceAll('-', ''), 'hex'));
    const snapshot = this.#snapshotOf(request);
    this.#know(id, request);
    // No worker sees these tasks; the domain shows in the answer (observed).
    const attributes: ExecutionAttributes = {
      priority: request.priority,
      taskToDomain: { '*': randomId() },
      ...present({
        correlationId: request.correlationId,
        createdBy: caller.id || request.createdBy,
      }),
    };
    await this.#simulation.start(id, { snapshot, attributes, input: Payload.of(request.input) });
    return id;
  }

  /**
   * Answers open tasks with their mocks while there are any, then lets time pass, unless a task
   * waits for a mock that does not exist.
   */
  async run(id: ExecutionId): Promise<void> {
    const { clock } = this.context;
    const endAt = clock.monotonic() + testMsMax;
    for (let round = 0; round < roundsMax; round++) {
      if (this.#isOver(id) || clock.monotonic() > endAt) return;
      if (await this.#applyMock()) continue;
      const at = this.#nextMoveAt();
      if (at === 0) return;
      await this.#simulation.passUntil(at);
    }
  }

  answer(id: ExecutionId): string {
    const open = this.#simulation.executions.get(id);
    if (open === undefined) throw new Error('The tested execution is gone');
    return workflowText(open, true, this.#simulation.now);
  }

  #isOver(id: ExecutionId): boolean {
    const status = this.#simulation.executions.get(id)?.execution.state.status;
    return status === undefined || isTerminalWorkflow(status) || this.#simulation.isExhausted;
  }

  #know(id: ExecutionId, request: WorkflowTestRequest): void {
    this.#requests.set(id, request);
    const mocks = new Map<string, TaskMock[]>();
    for (const [ref, list] of Object.entries(request.taskRefToMockOutput))
      mocks.set(ref, [...list]);
    this.#mocks.set(id, mocks);
  }

  #snapshotOf(request: WorkflowTestRequest): DefinitionSnapshot {
    const { definitions } = this.context;
    const def = request.workflowDef ?? definitions.exactDef(request.name, request.version);
    if (def !== undefined) return definitions.snapshot(def);
    const version = request.version ?? null;
    throw new AppError(
      'not-found',
      `No such workflow defined. name=${request.name}, version=${version}`,
    );
  }

  /** A child runs only with a request of its own, and not when its task has a mock. */
  #childOf(
    parent: ExecutionId,
    task: Task,
    order: ChildStart,
  ): ReturnType<SimulationParts['childOf']> {
    const request = this.#requests.get(parent)?.subWorkflowTestRequest[task.ref];
    if (request === undefined || this.#mockOf(parent, task) !== undefined) return undefined;
    const { access, definitions } = this.context;
    const def = order.def ?? definitions.workflowDef(order.name, order.version);
    const isOrdered = request.workflowDef === undefined && def !== undefined;
    const named = isOrdered
      ? { name: order.name, ...present({ workflowDef: order.def }) }
      : request;
    requireStartRight(access, this.caller, named);
    const snapshot = isOrdered ? definitions.snapshot(def) : this.#snapshotOf(request);
    return { snapshot, input: order.input, started: (id) => this.#know(id, request) };
  }

  #mockOf(id: ExecutionId, task: Task): TaskMock | undefined {
    return this.#mocks.get(id)?.get(task.ref)?.[0];
  }

  /** Answers the first open task that has a mock and is not delayed; false when there is none. */
  async #applyMock(): Promise<boolean> {
    for (const [id, open] of this.#simulation.executions) {
      for (const task of open.openTasks) {
        const mock = this.#mockOf(id, task);
        if (mock === undefined || this.#dueAt(task) > this.#simulation.now) continue;
        this.#mocks.get(id)?.get(task.ref)?.shift();
        await this.#report(id, task, mock);
        return true;
      }
    }
    return false;
  }

  async #report(id: ExecutionId, task: Task, mock: TaskMock): Promise<void> {
    const { now } = this.#simulation;
    if (mock.executionTime > 0) task.startAt = now - mock.executionTime;
    if (mock.queueWaitTime > 0 || mock.executionTime > 0) {
      task.scheduledAt = now - mock.executionTime - mock.queueWaitTime;
      if (task.startAt === 0) task.startAt = now;
    }
    await this.#simulation.command(id, {
      kind: 'update-task',
      task: { taskNumber: task.number },
      mergeOutput: true,
      result: {
        status: mock.status,
        output: Payload.of(mock.output),
        callbackAfterSeconds: 0,
        extendLease: false,
      },
    });
  }

  /** When an open task that waits out a delay may be answered; 0 = now. */
  #dueAt(task: Task): number {
    return isWorkerTask(task) ? queueDelay(task, this.#simulation.now) : delayedStartAt(task);
  }

  /**
   * The next moment at which a timer, a timeout or a delayed task with a mock changes something; 0:
   * the test is over.
   */
  #nextMoveAt(): number {
    let at = this.#simulation.nextMoveAt();
    for (const [id, open] of this.#simulation.executions) {
      for (const task of open.openTasks) {
        if (this.#mockOf(id, task) === undefined) {
          // Only a mock could answer it.
          if (taskTypeOf(task).waitsForOutside(task)) return 0;
          continue;
        }
        const dueAt = this.#dueAt(task);
        if (dueAt > this.#simulation.now && (at === 0 || dueAt < at)) at = dueAt;
      }
    }
    return at;
  }
}
