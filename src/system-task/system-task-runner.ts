// Runs system tasks for the shards (semantics 4.0.2): one run per attempt at a time, its result
// goes to the execution's single writer as the command `system-task-result`. Nothing about a run is
// stored: a SCHEDULED task of such a type is the promise that it is run (invariants M5), so after a
// crash it is run again, with the same attempt key.
//
// An execution that was dropped from memory and loaded again asks for its runs again. A run that is
// still under way is not started twice then.
import { bySystem, type Executions, type SystemTasks } from '../shard/executions.js';
import { sleep, type Clock } from '../std/clock.js';
import { taskIdOf } from '../std/ids.js';
import { redactError, redactMap, redactText } from '../model/redact.js';
import { secretTexts } from '../model/secret-texts.js';
import { isOpenTask } from '../operation/open-task.js';
import { AppError, isNotFound } from '../model/errors.js';
import type { ExecutionTrace, Task, TaskResult } from '../model/execution.js';
import { isRecorded, passedOn, runContext } from '../model/task-trace.js';
import { contextIn, currentTrace } from '../telemetry/trace.js';
import type { TraceContext } from '../telemetry/trace-context.js';
import { Payload } from '../model/payload.js';
import { reasonCharsMax } from '../model/parse-task-result.js';
import { defaultValueLimits, type ValueLimits } from '../model/value-limits.js';
import { excessOf } from '../engine/expression/bounds.js';
import { inputOf } from '../engine/derived-payloads.js';
import { mayHoldSecrets, resolveSecrets, type SecretLookup } from '../engine/expression/secrets.js';
import { isRunWanted } from '../engine/task-kinds.js';
import { attemptLimits } from '../engine/worker-queue.js';
import { isTransient } from '../operation/refusals.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { aboutExecution } from '../shard/about-execution.js';
import { runsOfEngineTypes } from './list.js';
import { isOutboundError } from './outbound-failure.js';
import { noteCaller } from './run-callers.js';
import { RunLimits, type RunLimitSettings } from './run-limits.js';
import { isFinalFailure } from './final-failure.js';
import {
  failed,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
  type TaskOutcome,
  type TaskRun,
} from './system-task.js';

export interface SystemTaskParts {
  /** The types that this server runs, by name. */
  readonly types: ReadonlyMap<string, SystemTaskType>;
  readonly services: SystemTaskServices;
  readonly clock: Clock;
  readonly limits: RunLimitSettings;
  /** undefined: no secrets are known and their names stay as they are. */
  readonly secrets: ((startedBy: string | undefined) => SecretLookup) | undefined;
  /** Of what tasks put out; absent: those of a server without settings. */
  readonly valueLimits?: ValueLimits;
  /** Called with errors that nothing else reports. `about`: fields of the log line. */
  readonly failed: (error: unknown, about?: object) => void;
}

export const defaultRunLimits: RunLimitSettings = { runsMax: 2048, runsPerLaneMax: 256 };

/** Creates the runner of system tasks; shard/output-release.ts calls it. */
export function createSystemTasks(parts: SystemTaskParts): SystemTaskRunner {
  const tasks = new Map<string, SystemTask>();
  const { types } = parts;
  for (const { name, create } of [...types.values(), ...runsOfEngineTypes(types)]) {
    tasks.set(name, create(parts.services));
  }
  return new SystemTaskRunner(tasks, {
    ...parts,
    executions: parts.services.executions,
  });
}

/** Between two tries while the store or another execution does not answer. */
const repeatDelayMs = 500;

interface Run {
  /** As the run was asked for; another one by now if the execution was loaded again. */
  readonly open: OpenExecution;
  readonly task: Task;
  readonly reopenCount: number;
  readonly cancel: AbortController;
  ended: Promise<void>;
}

export interface RunnerParts extends Pick<
  SystemTaskParts,
  'clock' | 'limits' | 'secrets' | 'valueLimits' | 'failed'
> {
  readonly executions: Pick<Executions, 'command' | 'read'>;
}

export class SystemTaskRunner implements SystemTasks {
  readonly #runs = new Map<string, Run>();
  readonly #limits: RunLimits;

  constructor(
    private readonly tasks: ReadonlyMap<string, SystemTask>,
    private readonly parts: RunnerParts,
  ) {
    this.#limits = new RunLimits(parts.limits, parts.clock);
  }

  /** Runs under way, waiting ones included. */
  get running(): number {
    return this.#runs.size;
  }

  async run(open: OpenExecution, task: Task): Promise<void> {
    // A delayed start comes back as another output (semantics 4.0.4).
    if (!isRunWanted(task)) return;
    const key = keyOf(open, task, task.reopenCount);
    const underWay = this.#runs.get(key);
    if (underWay !== undefined && !underWay.cancel.signal.aborted) return underWay.ended;
    const { reopenCount } = task;
    const cancel = new AbortController();
    const run: Run = { open, task, reopenCount, cancel, ended: Promise.resolve() };
    this.#runs.set(key, run);
    const outcome = this.#carryOut(run)
      .catch(this.parts.failed)
      .finally(() => {
        if (this.#runs.get(key) === run) this.#runs.delete(key);
      });
    run.ended = outcome.then(() => undefined);
    // No part of the run: an execution that has lost its result by then asks for a new one.
    if ((await outcome)?.status === 'IN_PROGRESS') {
      await this.#confirm(run).catch(this.parts.failed);
    }
  }

  async confirm(open: OpenExecution, task: Task): Promise<void> {
    const type = this.tasks.get(task.taskType);
    if (type === undefined || type.isShownRunning) return;
    const run = { open, task, reopenCount: task.reopenCount, cancel: new AbortController() };
    const asTaskRun = this.#toTaskRun(run, inputOf(open, task), new Set());
    await type.confirm(asTaskRun, () => Promise.resolve(true));
  }

  cancel(open: OpenExecution, task: Task): void {
    for (let reopenCount = task.reopenCount; reopenCount >= 0; reopenCount--) {
      this.#runs.get(keyOf(open, task, reopenCount))?.cancel.abort();
    }
    const type = this.tasks.get(task.taskType);
    if (task.status !== 'CANCELED' || type === undefined) return;
    const taskId = taskIdOf(open.execution.id, task.number);
    type
      .cancelled(taskId, `${taskId}:${task.reopenCount}`, task.output.value)
      .catch(this.parts.failed);
  }

  /** Resolves with what was reported; undefined when the run was cancelled. */
  async #carryOut(run: Run): Promise<TaskOutcome | undefined> {
    const { signal } = run.cancel;
    while (!signal.aborted) {
      let result: { outcome: TaskOutcome; startedAt: number } | undefined;
      try {
        result = await this.#outcomeOf(run);
      } catch (error) {
        if (!isPassing(error)) throw error;
      }
      if (result !== undefined) {
        await this.#report(run, result.outcome, result.startedAt);
        return result.outcome;
      }
      await sleep(this.parts.clock, repeatDelayMs);
    }
    return undefined;
  }

  /** Rejects only with failures that pass by themselves. */
  async #outcomeOf(run: Run): Promise<{ outcome: TaskOutcome; startedAt: number }> {
    const { task, open } = run;
    const type = this.tasks.get(task.taskType);
    const stored = inputOf(open, task);
    const caller = open.execution.attributes.createdBy ?? '';
    const lane = `${task.taskType} ${type?.lane(stored.value) ?? ''}`;
    return this.#limits.run({ lane, caller }, attemptLimits(task), async () => {
      const startedAt = this.parts.clock.now();
      if (run.cancel.signal.aborted) return { outcome: failed('Cancelled'), startedAt };
      if (type === undefined) {
        const reason = `This server does not carry out tasks of type ${task.taskType}`;
        return { outcome: failed(reason), startedAt };
      }
      if (type.isShownRunning) this.#tellStart(run, startedAt);
      return { outcome: await this.#runType(type, run, stored), startedAt };
    });
  }

  /** Shows the task as running. An execution that misses this learns of the run by its result. */
  #tellStart({ open, task, reopenCount }: Run, startedAt: number): void {
    const command = {
      kind: 'system-task-started',
      taskNumber: task.number,
      reopenCount,
      startedAt,
    } as const;
    const { executions, failed: report } = this.parts;
    executions.command(open.execution.id, command, bySystem).catch((error: unknown) => {
      if (!isPassing(error) && !isNotFound(error)) report(error);
    });
  }

  async #runType(type: SystemTask, run: Run, stored: Payload): Promise<TaskOutcome> {
    const used = new Set<string>();
    try {
      const outcome = await type.run(this.#toTaskRun(run, stored, used));
      const secrets = [...used];
      return {
        ...outcome,
        output: redactMap(outcome.output, secrets),
        ...(outcome.reason === undefined ? {} : { reason: redactText(outcome.reason, secrets) }),
      };
    } catch (error) {
      if (isPassing(error)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      const secrets = [...used];
      const outcome = failed(redactText(message, secrets));
      if (isFinal(error)) return { ...outcome, status: 'FAILED_WITH_TERMINAL_ERROR' };
      if (!isExpected(error)) {
        this.parts.failed(redactError(error, secrets), aboutExecution(run.open));
      }
      return outcome;
    }
  }

  /** `used` collects the secrets that the input asked for or that the run learns. */
  #toTaskRun(run: Omit<Run, 'ended'>, stored: Payload, used: Set<string>): TaskRun {
    const { open, task, reopenCount } = run;
    const { id, snapshot, attributes } = open.execution;
    const taskId = taskIdOf(id, task.number);
    noteCaller(run.cancel.signal, attributes.createdBy ?? '');
    return {
      workflowId: id,
      workflowName: snapshot.def.name,
      workflowVersion: snapshot.def.version,
      correlationId: attributes.correlationId,
      startedBy: attributes.createdBy,
      taskToDomain: attributes.taskToDomain,
      taskId,
      ref: task.ref,
      attemptKey: `${taskId}:${reopenCount}`,
      storedInput: stored.value,
      input: this.#withSecrets(stored, attributes.createdBy, used),
      parameters: task.config.inputParameters,
      asyncComplete: task.config.asyncComplete,
      pollCount: task.pollCount,
      output: task.output.value,
      trace: callsTrace(attributes.trace, task),
      signal: run.cancel.signal,
      hide: (secret) => {
        for (const text of secretTexts(secret)) used.add(text);
      },
    };
  }

  #withSecrets(
    stored: Payload,
    startedBy: string | undefined,
    used: Set<string>,
  ): Payload['value'] {
    const { secrets } = this.parts;
    if (secrets === undefined || !mayHoldSecrets(stored.text)) return stored.value;
    const secret = secrets(startedBy);
    const lookup: SecretLookup = (name) => {
      const value = secret(name);
      for (const text of secretTexts(value ?? '')) used.add(text);
      return value;
    };
    return resolveSecrets(stored.value, lookup) as Payload['value'];
  }

  /** As often as the store is away. */
  async #confirm(run: Run): Promise<void> {
    const type = this.tasks.get(run.task.taskType);
    const stored = inputOf(run.open, run.task);
    while (!run.cancel.signal.aborted) {
      try {
        const asTaskRun = this.#toTaskRun(run, stored, new Set());
        await type?.confirm(asTaskRun, () => isOpenTask(this.parts.executions, asTaskRun.taskId));
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isPassing(error)) throw error;
      }
      await sleep(this.parts.clock, repeatDelayMs);
    }
  }

  /** Gives the result to the execution, as often as its owner cannot take it. */
  async #report(run: Run, given: TaskOutcome, startedAt: number): Promise<void> {
    const { valueLimits = defaultValueLimits } = this.parts;
    // Bytes are the owner's to judge; what is beyond these limits might not even get there.
    const excess = excessOf(given.output, Number.MAX_SAFE_INTEGER, valueLimits);
    const outcome = excess === undefined ? given : beyondLimits(excess);
    const result: TaskResult = {
      status: outcome.status,
      output: Payload.of(outcome.output),
      callbackAfterSeconds: outcome.callbackAfterSeconds ?? 0,
      extendLease: false,
    };
    if (outcome.reason !== undefined) {
      result.reasonForIncompletion = outcome.reason.slice(0, reasonCharsMax);
    }
    if (outcome.workerId !== undefined) result.workerId = outcome.workerId;
    const command = {
      kind: 'system-task-result',
      taskNumber: run.task.number,
      reopenCount: run.reopenCount,
      result,
      startedAt,
    } as const;
    while (!run.cancel.signal.aborted) {
      try {
        await this.parts.executions.command(run.open.execution.id, command, bySystem);
        return;
      } catch (error) {
        // Removed meanwhile: nobody wants the result.
        if (isNotFound(error)) return;
        if (!isPassing(error)) throw error;
      }
      await sleep(this.parts.clock, repeatDelayMs);
    }
  }
}

/** Of what a run calls: its own span, else the trace of the newest request, else the caller's. */
function callsTrace(trace: ExecutionTrace | undefined, task: Task): TraceContext | undefined {
  if (isRecorded(trace)) return runContext(trace, task);
  return contextIn(currentTrace()) ?? (trace === undefined ? undefined : passedOn(trace, task));
}

function keyOf(open: OpenExecution, task: Task, reopenCount: number): string {
  return `${open.execution.id}:${task.number}:${reopenCount}`;
}

/**
 * The store is away, or the outcome of a call to another execution is not known: the run is
 * repeated. A limit that is reached fails the attempt instead, so that its retry policy waits.
 */
function isPassing(error: unknown): boolean {
  return isTransient(error) && !(error instanceof AppError && error.kind === 'too-many');
}

/** Another attempt would end the same, as where the starter has no right. */
function isFinal(error: unknown): boolean {
  return isFinalFailure(error) || (error instanceof AppError && error.kind === 'forbidden');
}

/** The world outside was at fault, not this server. */
function isExpected(error: unknown): boolean {
  if (isOutboundError(error)) return true;
  return error instanceof AppError && error.kind !== 'internal';
}

function beyondLimits(excess: string): TaskOutcome {
  const reason = `The output of the task is ${excess}`;
  return { status: 'FAILED_WITH_TERMINAL_ERROR', output: {}, reason };
}
