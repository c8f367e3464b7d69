// A world of executions around the engine, without server or store: it gives commands, carries
// outputs out (scripts, outbox messages, continuations), keeps a clock and a task queue, and tells
// what happened as lines of text. With `reloads` every execution is thrown away and opened again
// from its records after each step, so that every test is a crash test as well. Then every
// transcript is held to two more promises: the changes that decisions name, applied to the state
// before, give the state after; and `why` names something for every execution that runs.
import vm from 'node:vm';
import { expect } from 'vitest';
import type { Command, DeliveryAnswer } from '../../../src/engine/command.js';
import type { EngineContext, EngineLimits } from '../../../src/engine/context.js';
import type { Decision, Next, Output, Reply } from '../../../src/engine/decision.js';
import { inputOf, outputOf } from '../../../src/engine/derived-payloads.js';
import { createExecution, openExecution } from '../../../src/engine/load-execution.js';
import type { OpenExecution } from '../../../src/engine/open-execution.js';
import { nextWakeAt } from '../../../src/engine/wake-up.js';
import type { ScriptRequest, ScriptResult } from '../../../src/engine/script.js';
import type { SecretRules, StatusListeners } from '../../../src/engine/context.js';
import { step, stepToRest } from '../../../src/engine/step.js';
import { why } from '../../../src/engine/why.js';
import { queueDelay, queueOf } from '../../../src/engine/worker-queue.js';
import { taskPart } from '../../../src/engine/decision.js';
import type {
  DefinitionSnapshot,
  OutboxMessage,
  ExecutionAttributes,
  Task,
  TaskResult,
} from '../../../src/model/execution.js';
import type { Json, JsonMap } from '../../../src/model/json.js';
import { mapTasks } from '../../../src/model/nested-tasks.js';
import { adHocTaskDef, parseTaskDef } from '../../../src/model/parse-task-def.js';
import { readWorkflowDef, type WorkflowDef } from '../../../src/model/workflow-def.js';
import { Payload } from '../../../src/model/payload.js';
import type { TaskDef } from '../../../src/model/task-def.js';
import { type ExecutionId, executionIdOf, taskIdOf } from '../../../src/std/ids.js';
import { systemTaskTypes } from '../../support/every-plugin.js';
import { testSchemas } from './schemas.js';
import { applyChanges, partsOf, putTask, type Parts } from './shadow.js';
import { testLimits } from './test-limits.js';

export const startOfTime = 1_800_000_000_000;

/** A command that takes more steps than this goes round in circles. */
const stepsPerCommandMax = 100_000;

/** Larger executions are not compared after every command. */
const comparedTasksMax = 100;

export interface WorldOptions {
  limits?: Partial<EngineLimits>;
  /** Opens every execution again from its records after each step. Default true. */
  reloads?: boolean;
  taskDefs?: JsonMap[];
  workflowDefs?: JsonMap[];
  activeDomains?: string[];
  listeners?: StatusListeners;
  /** Absent: there are no secrets. */
  secrets?: SecretRules;
}

export class World {
  now = startOfTime;
  readonly opens = new Map<ExecutionId, OpenExecution>();
  readonly taskDefs = new Map<string, TaskDef>();
  readonly workflowDefs = new Map<string, WorkflowDef>();
  readonly outputs: { id: ExecutionId; output: Output }[] = [];
  /** Events of state changes. */
  /** Why events cannot go to a sink, by sink. */
  readonly refusals = new Map<string, string>();
  readonly published: Extract<OutboxMessage, { kind: 'publish-event' }>[] = [];
  /** Steps taken, for tests about cost. */
  steps = 0;
  scripts = 0;
  /** Told of every step's decision, before its outputs are carried out. */
  onDecision: ((id: ExecutionId, decision: Decision) => void) | undefined;
  readonly #reloads: boolean;
  readonly #limits: EngineLimits;
  readonly #activeDomains: ReadonlySet<string>;
  readonly #outbox: { from: ExecutionId; message: OutboxMessage }[] = [];
  /** What a store would hold of each execution. */
  readonly #stored = new Map<ExecutionId, Parts>();
  #ids = 0;

  constructor(private readonly options: WorldOptions = {}) {
    this.#reloads = options.reloads ?? true;
    this.#limits = { ...testLimits, ...options.limits };
    this.#activeDomains = new Set(options.activeDomains ?? []);
    for (const def of options.taskDefs ?? []) this.register(def);
    for (const def of options.workflowDefs ?? []) {
      const parsed = readWorkflowDef(def, 'def');
      this.workflowDefs.set(`${parsed.name}.${parsed.version}`, parsed);
    }
  }

  register(def: JsonMap): void {
    const parsed = parseTaskDef(def, 'def');
    this.taskDefs.set(parsed.name, parsed);
  }

  /** Data of registered schemas by name; the newest version only. */
  readonly schemas = new Map<string, JsonMap>();
  readonly #schemas = testSchemas((name) => this.schemas.get(name));

  get context(): EngineContext {
    return {
      now: this.now,
      limits: this.#limits,
      definitions: {
        taskDef: (name) => this.taskDefs.get(name),
        workflowDef: (name, version) => this.#workflowDef(name, version),
      },
      activeDomain: (_type, domains) =>
        domains.find((domain) => this.#activeDomains.has(domain)) ?? domains.at(-1),
      serverTaskTypes: systemTaskTypes,
      environment: () => undefined,
      environmentVariable: () => undefined,
      mayReadVariable: () => true,
      secrets: this.options.secrets,
      schemas: this.#schemas,
      ...(this.options.listeners && { listeners: this.options.listeners }),
    };
  }

  #workflowDef(name: string, version?: number): WorkflowDef | undefined {
    if (version !== undefined && version > 0) return this.workflowDefs.get(`${name}.${version}`);
    const versions = [...this.workflowDefs.values()].filter((def) => def.name === name);
    return versions.sort((a, b) => b.version - a.version)[0];
  }

  /**
   * What an execution keeps of a definition: every task configuration with its task definition
   * (semantics 0.4).
   */
  snapshot(def: WorkflowDef): DefinitionSnapshot {
    const tasks = mapTasks(def.tasks, (task) => ({
      ...task,
      taskDefinition:
        task.taskDefinition ??
        this.taskDefs.get(task.name) ??
        adHocTaskDef(task.name, task.type === 'SIMPLE'),
    }));
    return { hash: `${def.name}.${def.version}`, def: { ...def, tasks } };
  }

  /** Starts an execution of a definition in wire form and returns its id. */
  start(
    def: JsonMap,
    input: JsonMap = {},
    attributes: Partial<ExecutionAttributes> = {},
  ): ExecutionId {
    const bytes = new Uint8Array(16);
    bytes[0] = ++this.#ids;
    const id = executionIdOf(this.#ids, bytes);
    this.startAs(id, readWorkflowDef(def, 'def'), input, attributes);
    return id;
  }

  startAs(
    id: ExecutionId,
    def: WorkflowDef,
    input: JsonMap,
    attributes: Partial<ExecutionAttributes>,
  ): void {
    if (!this.opens.has(id)) this.opens.set(id, openExecution(createExecution(id)));
    this.command(id, {
      kind: 'start',
      snapshot: this.snapshot(def),
      attributes: { priority: 0, taskToDomain: {}, ...attributes },
      input: Payload.of(input),
    });
  }

  open(id: ExecutionId): OpenExecution {
    const open = this.opens.get(id);
    if (open === undefined) throw new Error(`No execution ${id}`);
    return open;
  }

  /** Gives a command and carries everything out that follows from it, also in other executions. */
  command(id: ExecutionId, command: Command): Reply {
    const reply = this.settle(id, command);
    this.deliverMessages();
    if (this.#reloads) this.#check();
    return reply;
  }

  /** Applies what a decision changed to what a store would hold. */
  #store(id: ExecutionId, command: Command, decision: Decision): void {
    const { execution, byNumber } = this.open(id);
    const parts = this.#stored.get(id) ?? new Map<string, string>();
    this.#stored.set(id, parts);
    applyChanges(parts, execution, decision.changes);
    // The queue keeps a hand-out that has no lease in a commit (architecture section 1.5).
    const isQueues = command.kind === 'restore-lease' || command.kind === 'claim-task';
    const claimed = isQueues ? byNumber.get(command.taskNumber) : undefined;
    if (claimed !== undefined) putTask(parts, claimed, taskPart.record);
  }

  #check(): void {
    for (const [id, open] of this.opens) {
      const { tasks, state } = open.execution;
      if (tasks.length > comparedTasksMax) continue;
      const stored = this.#stored.get(id);
      if (stored !== undefined) expect(stored).toEqual(partsOf(open.execution));
      if (state.status !== 'RUNNING' || state.createTime === 0) continue;
      const { waitsFor } = why(open, { lastPollAt: () => 0, attempt: () => undefined }, this.now);
      if (waitsFor.length === 0) expect.fail(`Nobody can say what ${id} waits for`);
    }
  }

  /** One execution's part: steps until the reply is there. */
  settle(id: ExecutionId, command: Command): Reply {
    let needed: Next | undefined;
    let steps = 0;
    const driver = {
      context: this.context,
      decided: (decision: Decision, stepped: Command): void => this.#decided(id, decision, stepped),
      proceed: (next: Next): undefined => void (needed = next),
    };
    for (let next = command; ; next = this.#goOnWith(id, needed, steps)) {
      if (steps++ === stepsPerCommandMax) {
        throw new Error(`${command.kind} does not come to rest:\n${this.list(id).join('\n')}`);
      }
      const reply = stepToRest(this.open(id), next, driver);
      if (reply === undefined) continue;
      if (this.#reloads && this.reload(id)) this.#proceed(id);
      return reply;
    }
  }

  #decided(id: ExecutionId, decision: Decision, command: Command): void {
    this.steps++;
    this.onDecision?.(id, decision);
    if (this.#reloads) this.#store(id, command, decision);
    for (const output of decision.outputs) {
      this.outputs.push({ id, output });
      if (output.kind === 'send') this.#outbox.push({ from: id, message: output.message });
    }
  }

  #goOnWith(id: ExecutionId, needed: Next | undefined, steps: number): Command {
    if (needed?.kind === 'evaluate') {
      this.scripts++;
      return { kind: 'evaluated', key: needed.key, result: evaluate(needed.request) };
    }
    if (needed?.kind !== 'continue') throw new Error('A step without reply asked for nothing');
    // A crash in the middle: the transition goes on from the records, and the reply of the lost
    // command is not owed any more. Crashes get rarer, so that even a budget of one item gets
    // through.
    const crashes = this.#reloads && ((steps - 1) & steps) === 0;
    if (crashes && !this.reload(id)) throw new Error('Work was lost');
    return { kind: 'continue' };
  }

  /**
   * What an owner does with an execution that is busy when opened: here it only looks again at what
   * still waits.
   */
  #proceed(id: ExecutionId): void {
    const open = this.open(id);
    for (let steps = 0; open.isBusy && open.parked === undefined; steps++) {
      if (steps === stepsPerCommandMax)
        throw new Error('An opened execution does not come to rest');
      this.#store(id, { kind: 'continue' }, step(open, { kind: 'continue' }, this.context));
    }
  }

  /**
   * Opens an execution again from its records; attempts handed out without a commit are told again.
   */
  reload(id: ExecutionId): boolean {
    const before = this.open(id);
    const after = openExecution(before.execution);
    this.opens.set(id, after);
    return after.isBusy;
  }

  deliverMessages(): void {
    for (;;) {
      const next = this.#outbox.shift();
      if (next === undefined) return;
      this.deliver(next.from, next.message);
    }
  }

  deliver(from: ExecutionId, message: OutboxMessage): void {
    const sender = this.open(from);
    switch (message.kind) {
      case 'start-child':
      case 'start-workflow': {
        const startedId = message.kind === 'start-child' ? message.childId : message.startedId;
        const { request } = message;
        const def =
          request.def ?? this.context.definitions.workflowDef(request.name, request.version);
        if (def === undefined) {
          const version = request.version === undefined ? 'null' : String(request.version);
          this.settle(from, {
            kind: 'message-delivered',
            messageId: message.id,
            answer: {
              kind: 'refused',
              message: `No such workflow defined. name=${request.name}, version=${version}`,
            },
          });
          return;
        }
        const { correlationId, priority, taskToDomain } = request;
        const attributes: Partial<ExecutionAttributes> = { priority, taskToDomain };
        if (correlationId !== undefined) attributes.correlationId = correlationId;
        if (request.depth !== undefined) attributes.depth = request.depth;
        if (message.kind === 'start-child') {
          attributes.parentWorkflowId = from;
          attributes.parentTaskNumber = message.taskNumber;
        } else attributes.triggeredBy = from;
        const input = { ...request.input.value };
        if (request.failedWorkflow) input['failedWorkflow'] = { workflowId: from };
        if (!this.opens.has(startedId))
          this.opens.set(startedId, openExecution(createExecution(startedId)));
        this.settle(startedId, {
          kind: 'start',
          snapshot: this.snapshot(def),
          attributes: { priority: 0, taskToDomain: {}, ...attributes },
          input: Payload.of(input),
        });
        this.settle(from, {
          kind: 'message-delivered',
          messageId: message.id,
          answer: {
            kind: 'started',
            id: startedId,
            status: this.open(startedId).execution.state.status,
          },
        });
        return;
      }
      case 'terminate-child':
        this.settle(message.childId, {
          kind: 'terminate',
          reason: message.reason,
          triggerFailureWorkflow: false,
          byParent: true,
        });
        break;
      case 'report-end': {
        const { def } = sender.execution.snapshot;
        this.settle(message.parentId, {
          kind: 'child-ended',
          taskNumber: message.taskNumber,
          childId: from,
          status: message.status,
          ...(message.reason === undefined ? {} : { reason: message.reason }),
          output: sender.execution.output,
          nameVersionId: `${def.name}.${def.version}/${from}`,
        });
        break;
      }
      case 'reopen-parent':
        this.settle(message.parentId, {
          kind: 'child-reopened',
          taskNumber: message.taskNumber,
          childId: from,
          operation: message.operation,
        });
        break;
      case 'command-child':
        return this.#tell(from, message, message.childId);
      case 'command-other':
        return this.#tell(from, message, message.targetId);
      // The store of human tasks is outside of this world, and rooms have a place for everybody.
      case 'human-task-changed':
      case 'leave-place':
        break;
      case 'take-place':
        this.settle(from, {
          kind: 'message-delivered',
          messageId: message.id,
          answer: { kind: 'done', value: true },
        });
        return;
      case 'publish-event':
        this.published.push(message);
        break;
    }
    const refusal = message.kind === 'publish-event' ? this.refusals.get(message.sink) : undefined;
    this.settle(from, {
      kind: 'message-delivered',
      messageId: message.id,
      answer: refusal === undefined ? { kind: 'done' } : { kind: 'refused', message: refusal },
    });
  }

  #tell(
    from: ExecutionId,
    message: Extract<OutboxMessage, { kind: 'command-child' | 'command-other' }>,
    to: ExecutionId,
  ): void {
    const reply = this.settle(to, message.operation as unknown as Command);
    const answer: DeliveryAnswer =
      reply.kind === 'refused'
        ? { kind: 'refused', message: reply.error.message }
        : { kind: 'done' };
    this.settle(from, { kind: 'message-delivered', messageId: message.id, answer });
  }

  /**
   * Claims the next task of a type that is visible, as a worker's poll does; undefined when there
   * is none.
   */
  poll(taskType: string, options: { workerId?: string; domain?: string } = {}): Task | undefined {
    for (const [id, open] of this.opens) {
      for (const task of open.execution.tasks) {
        if (task.status !== 'SCHEDULED' || task.taskType !== taskType) continue;
        const queue = queueOf(task);
        if (queue.taskType !== taskType || queue.domain !== options.domain) continue;
        if (queueDelay(task, this.now) > this.now) continue;
        const reply = this.command(id, {
          kind: 'claim-task',
          taskNumber: task.number,
          reopenCount: task.reopenCount,
          workerId: options.workerId ?? 'w1',
        });
        if (reply.kind === 'claimed') return reply.task;
      }
    }
    return undefined;
  }

  /** Reports on the open task behind a reference. */
  report(
    id: ExecutionId,
    ref: string,
    status: TaskResult['status'],
    output: JsonMap = {},
    more: Partial<TaskResult> = {},
  ): Reply {
    const task = this.task(id, ref);
    return this.command(id, {
      kind: 'update-task',
      task: { taskNumber: task.number },
      result: result(status, output, more),
      mergeOutput: false,
    });
  }

  /** Polls `taskType` and completes what comes. */
  work(taskType: string, output: JsonMap = {}, status: TaskResult['status'] = 'COMPLETED'): void {
    const task = this.poll(taskType);
    if (task === undefined) throw new Error(`Nothing to poll for ${taskType}`);
    const id = this.ownerOf(task);
    this.command(id, {
      kind: 'update-task',
      task: { taskNumber: task.number },
      result: result(status, output),
      mergeOutput: false,
    });
  }

  ownerOf(task: Task): ExecutionId {
    for (const [id, open] of this.opens) {
      if (open.execution.tasks.includes(task)) return id;
    }
    throw new Error(`Nobody owns ${task.ref}`);
  }

  /** Lets time pass and wakes each execution whose timer is due meanwhile, at its moment. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const due = this.#nextWake();
      if (due === undefined || due.at > until) break;
      this.now = Math.max(this.now, due.at);
      this.command(due.id, { kind: 'wake' });
    }
    this.now = until;
  }

  #nextWake(): { id: ExecutionId; at: number } | undefined {
    let next: { id: ExecutionId; at: number } | undefined;
    for (const [id, open] of this.opens) {
      const at = nextWakeAt(open);
      if (at > 0 && (next === undefined || at < next.at)) next = { id, at };
    }
    return next;
  }

  /** The newest record behind a reference as shown, with its suffix. */
  task(id: ExecutionId, ref: string): Task {
    const task = this.open(id).lastByRef(ref);
    if (task === undefined) throw new Error(`No task ${ref}`);
    return task;
  }

  status(id: ExecutionId): string {
    return this.open(id).execution.state.status;
  }

  reason(id: ExecutionId): string | undefined {
    const { reasonForIncompletion } = this.open(id).execution.state;
    return reasonForIncompletion?.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (text) =>
      this.#shortId(text),
    );
  }

  #shortId(text: string): string {
    for (const [id, open] of this.opens) {
      if (text === id) return '<execution>';
      const task = open.execution.tasks.find((each) => taskIdOf(id, each.number) === text);
      if (task !== undefined) return `<${task.ref}>`;
    }
    return text;
  }

  output(id: ExecutionId): JsonMap {
    return this.open(id).execution.output.value;
  }

  outputOf(id: ExecutionId, ref: string): JsonMap {
    return outputOf(this.open(id), this.task(id, ref)).value;
  }

  inputOf(id: ExecutionId, ref: string): JsonMap {
    return inputOf(this.open(id), this.task(id, ref)).value;
  }

  child(id: ExecutionId, ref: string): ExecutionId {
    const childId = this.task(id, ref).subWorkflowId;
    if (childId === undefined) throw new Error(`${ref} has no child`);
    return childId;
  }

  /** `seq ref type status` of every record, in list order. */
  list(id: ExecutionId): string[] {
    return this.open(id).execution.tasks.map((task) => {
      const retry = task.retryCount > 0 ? ` #${task.retryCount}` : '';
      const flags = task.retried ? ' retried' : '';
      return `${task.seq} ${task.ref} ${task.taskType} ${task.status}${retry}${flags}`;
    });
  }
}

export function result(
  status: TaskResult['status'],
  output: JsonMap = {},
  more: Partial<TaskResult> = {},
): TaskResult {
  return {
    status,
    output: Payload.of(output),
    callbackAfterSeconds: 0,
    extendLease: false,
    ...more,
  };
}

/** A definition in wire form. */
export function workflow(tasks: JsonMap[], more: JsonMap = {}): JsonMap {
  return { name: 'wf', version: 1, tasks, ...more };
}

/** A worker task in wire form, named like its reference. */
export function simple(ref: string, more: JsonMap = {}): JsonMap {
  return { name: ref, taskReferenceName: ref, type: 'SIMPLE', ...more };
}

export function taskOf(type: string, ref: string, more: JsonMap = {}): JsonMap {
  return { name: ref, taskReferenceName: ref, type, ...more };
}

/** JavaScript as the sandbox would, and the few jq filters that tests use. */
function evaluate(request: ScriptRequest): ScriptResult {
  if (request.language === 'jq') return evaluateJq(request.source, request.input());
  try {
    const value: unknown = vm.runInNewContext(request.source, {
      $: structuredClone(request.input()),
    });
    return { kind: 'value', value: (JSON.parse(JSON.stringify(value ?? null)) ?? null) as Json };
  } catch (error) {
    const message = String(error);
    const hasLine = /^(Reference|Syntax)Error/.test(message);
    return { kind: 'error', message: hasLine ? `${message} at line 1` : message };
  }
}

function evaluateJq(source: string, input: Json): ScriptResult {
  const path = /^(?:\.(\w+))+$/.exec(source);
  if (path === null) return { kind: 'error', message: `cannot compile ${source}` };
  let value: Json = input;
  for (const key of source.slice(1).split('.')) {
    value = value === null ? null : ((value as JsonMap)[key] ?? null);
  }
  return { kind: 'value', value, values: [value] };
}
