// Executions that exist only in memory, on a clock of their own: what the test of a workflow runs
// on. The engine's outputs are carried out here as far as they stay inside (scripts, messages
// between the simulated executions); nothing is stored, queued, called or started for real. Outputs
// to the outside (HTTP, events, workflows that are not simulated) are dropped: their tasks stay
// open.
import type { ExecutionId } from '../std/ids.js';
import type { Command } from '../engine/command.js';
import type { EngineContext, EngineLimits } from '../engine/context.js';
import type { Decision, Next } from '../engine/decision.js';
import { createExecution, openExecution } from '../engine/load-execution.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { nextWakeAt } from '../engine/wake-up.js';
import { stepToRest } from '../engine/step.js';
import type {
  ChildStart,
  DefinitionSnapshot,
  OutboxMessage,
  ExecutionAttributes,
  Task,
} from '../model/execution.js';
import type { Payload } from '../model/payload.js';
import type { Sandbox } from '../sandbox/sandbox.js';

export interface SimulationParts {
  readonly sandbox: Pick<Sandbox, 'tryInPlace' | 'evaluate'>;
  /** The context of real executions; its clock, domains and limits are replaced. */
  readonly engine: EngineContext;
  /** The mocks for a child; undefined: nobody simulates it and its task stays open. */
  readonly childOf: (
    parent: ExecutionId,
    task: Task,
    request: ChildStart,
  ) =>
    | { snapshot: DefinitionSnapshot; input: Payload; started: (id: ExecutionId) => void }
    | undefined;
}

/** Task records of one simulated execution. */
const tasksMax = 10_000;
/** Steps of one simulation, each of up to `itemsPerStepMax` records. */
const stepsMax = 20_000;

export class Simulation {
  readonly executions = new Map<ExecutionId, OpenExecution>();
  /** Epoch ms on the simulated clock. */
  now: number;
  #steps = 0;
  readonly #outbox: { from: ExecutionId; message: OutboxMessage }[] = [];
  readonly #context: EngineContext;

  constructor(private readonly parts: SimulationParts) {
    this.now = parts.engine.now;
    this.#context = simulatedContext(parts.engine, () => this.now);
  }

  /** Too many steps: the definition loops without end. */
  get isExhausted(): boolean {
    return this.#steps >= stepsMax;
  }

  async start(
    id: ExecutionId,
    request: { snapshot: DefinitionSnapshot; attributes: ExecutionAttributes; input: Payload },
  ): Promise<void> {
    this.executions.set(id, openExecution(createExecution(id)));
    await this.command(id, { kind: 'start', ...request });
  }

  /** Steps a command and carries out everything that follows from it inside the simulation. */
  async command(id: ExecutionId, command: Command): Promise<void> {
    await this.#settle(id, command);
    for (let next = this.#outbox.shift(); next !== undefined; next = this.#outbox.shift()) {
      await this.#deliver(next.from, next.message);
    }
  }

  /** Earliest moment at which an execution has something to do by itself, 0 = never. */
  nextMoveAt(): number {
    let next = 0;
    for (const open of this.executions.values()) {
      const at = nextWakeAt(open);
      if (at > 0 && (next === 0 || at < next)) next = at;
    }
    return next;
  }

  /** Lets time pass until `at` and wakes what is due. */
  async passUntil(at: number): Promise<void> {
    this.now = Math.max(this.now, at);
    for (const [id, open] of this.executions) {
      const wakeAt = nextWakeAt(open);
      if (wakeAt > 0 && wakeAt <= this.now) await this.command(id, { kind: 'wake' });
    }
  }

  async #settle(id: ExecutionId, command: Command): Promise<void> {
    let needed: Next | undefined;
    const driver = {
      context: this.#context,
      decided: (decision: Decision): void => this.#decided(id, decision),
      proceed: (next: Next): undefined => void (needed = next),
    };
    for (let next: Command | undefined = command; next !== undefined && !this.isExhausted;) {
      needed = undefined;
      stepToRest(this.executions.get(id) as OpenExecution, next, driver);
      next = needed === undefined ? undefined : await this.#proceed(needed);
    }
  }

  #decided(from: ExecutionId, decision: Decision): void {
    this.#steps++;
    for (const output of decision.outputs) {
      if (output.kind === 'send') this.#outbox.push({ from, message: output.message });
    }
  }

  async #proceed(next: Next): Promise<Command | undefined> {
    switch (next.kind) {
      case 'continue':
        await new Promise(setImmediate);
        return { kind: 'continue' };
      case 'evaluate': {
        const { sandbox } = this.parts;
        const { key, request } = next;
        const result = sandbox.tryInPlace(request) ?? (await sandbox.evaluate(request));
        return { kind: 'evaluated', key, result };
      }
      case 'wait':
        return undefined;
    }
  }

  async #deliver(from: ExecutionId, message: OutboxMessage): Promise<void> {
    switch (message.kind) {
      case 'start-child':
        return this.#startChild(from, message);
      case 'terminate-child':
        if (!this.executions.has(message.childId)) return;
        return this.#settle(message.childId, {
          kind: 'terminate',
          reason: message.reason,
          triggerFailureWorkflow: false,
          byParent: true,
        });
      case 'report-end':
        return this.#reportEnd(from, message);
      case 'take-place':
        return this.#settle(from, { kind: 'place-given', room: message.room });
      // Never emitted in a simulation, or meant for something outside of it.
      case 'start-workflow':
      case 'reopen-parent':
      case 'leave-place':
      case 'command-child':
      case 'command-other':
      case 'publish-event':
      case 'human-task-changed':
        return;
    }
  }

  async #startChild(
    from: ExecutionId,
    message: Extract<OutboxMessage, { kind: 'start-child' }>,
  ): Promise<void> {
    const parent = this.executions.get(from) as OpenExecution;
    const task = parent.byNumber.get(message.taskNumber);
    if (task === undefined || this.executions.has(message.childId)) return;
    const child = this.parts.childOf(from, task, message.request);
    if (child === undefined) return;
    const { request } = message;
    this.executions.set(message.childId, openExecution(createExecution(message.childId)));
    child.started(message.childId);
    await this.#settle(message.childId, {
      kind: 'start',
      snapshot: child.snapshot,
      input: child.input,
      attributes: {
        priority: request.priority,
        taskToDomain: request.taskToDomain,
        parentWorkflowId: from,
        parentTaskNumber: message.taskNumber,
        depth: (parent.execution.attributes.depth ?? 0) + 1,
        ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
      },
    });
    const { status } = (this.executions.get(message.childId) as OpenExecution).execution.state;
    const answer = { kind: 'started', id: message.childId, status } as const;
    await this.#settle(from, { kind: 'message-delivered', messageId: message.id, answer });
  }

  async #reportEnd(
    from: ExecutionId,
    message: Extract<OutboxMessage, { kind: 'report-end' }>,
  ): Promise<void> {
    const { execution } = this.executions.get(from) as OpenExecution;
    const { name, version } = execution.snapshot.def;
    await this.#settle(message.parentId, {
      kind: 'child-ended',
      taskNumber: message.taskNumber,
      childId: from,
      status: message.status,
      ...(message.reason === undefined ? {} : { reason: message.reason }),
      output: execution.output,
      nameVersionId: `${name}.${version}/${from}`,
    });
  }
}

function simulatedContext(engine: EngineContext, now: () => number): EngineContext {
  const limits: EngineLimits = {
    ...engine.limits,
    tasksPerExecutionMax: Math.min(engine.limits.tasksPerExecutionMax, tasksMax),
  };
  return {
    get now() {
      return now();
    },
    definitions: engine.definitions,
    limits,
    activeDomain: (_taskType, domains) => domains.at(-1),
    serverTaskTypes: engine.serverTaskTypes,
    environment: engine.environment,
    environmentVariable: engine.environmentVariable,
    mayReadVariable: engine.mayReadVariable,
    secrets: undefined,
    schemas: engine.schemas,
  };
}
