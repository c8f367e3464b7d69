// A task that a mock of the test stands for (docs/test-server.md). The record shows the type and
// the input of the real task; the outcome is the mock's. Its life is the ordinary one: SCHEDULED,
// started, ended after the mock's delay, retried by the rule of its definition. The outcome of a
// delayed attempt is kept with the record, so that a mock which is removed meanwhile changes
// nothing for it.
import type { Task } from '../../model/execution.js';
import { isMap, type JsonMap } from '../../model/json.js';
import { mockStatuses, type MockOutcome } from '../../model/parse-task-mock.js';
import { Payload } from '../../model/payload.js';
import type { EngineContext } from '../context.js';
import { taskPart } from '../decision.js';
import { failExecution } from '../ending.js';
import { domainOf, excessOfPayload } from '../mapping.js';
import { mockNotes, notesOf } from '../notes.js';
import { reachesNothing } from '../reaches.js';
import { createTask, endTask, setNotes } from '../records.js';
import { plainRefOf } from '../references.js';
import { taskOutputViolation, refuseInvalidInput } from '../schema-checks.js';
import type { MockableTask } from '../task-mocks.js';
import type { Transition } from '../transition.js';
import { signalReason } from '../wait-reason.js';
import type { Site, TaskType } from './contract.js';
import { outsideType, retriedByRule } from './constructors.js';
import { delayRun, runLater } from './delayed-start.js';
import { beginRunning } from './inline-run.js';

/** Note of an attempt whose delay runs: how it is going to end. */
const outcomeNote = 'mockOutcome';

/** Roles of tasks that a mock may stand for; the others are what holds the flow together. */
const mockableRoles: ReadonlySet<string> = new Set(['plain', 'choice', 'loop', 'sub-workflow']);

type Find = (type: string, context: EngineContext) => TaskType;

/** `find`: the type behind a name. */
export function mockedTask(find: Find): TaskType {
  const real = (t: Transition, task: Task): TaskType =>
    find(task.config.type === 'SIMPLE' ? 'SIMPLE' : task.taskType, t.context);
  const start = (t: Transition, task: Task): void => startAttempt(t, task, real(t, task));
  return outsideType({
    names: [],
    reaches: reachesNothing,
    map: () => {
      throw new Error('A mocked record is made by mapMocked');
    },
    begin(t, task) {
      if (!delayRun(t, task)) start(t, task);
    },
    startDelayed: start,
    successor: (t, task, node) => real(t, task).successor(t, task, node),
    hasResponseTimeout: true,
    waitsForOutside: () => true,
    retry: { ...retriedByRule, input: (t, task) => real(t, task).retry.input(t, task) },
    whyWaits: signalReason,
  });
}

/** Makes the record of a configuration that a mock stands for; false: none does. */
export function mapMocked(t: Transition, site: Site, type: TaskType): boolean {
  const { mocks } = t.context;
  if (mocks === undefined || type.names.includes('DYNAMIC')) return false;
  const { config } = site;
  const isNamed = config.type === 'SIMPLE' || config.type === 'DYNAMIC';
  const taskType = isNamed ? config.name : config.type;
  const asked = { ref: site.ref, plainRef: site.node.ref, taskName: config.name, taskType };
  if (!mocks.has({ ...executionOf(t), ...asked })) return false;
  if (!mockableRoles.has(type.role)) {
    failExecution(t, { status: 'FAILED', reason: notMockable(site.ref, config.type) });
    return true;
  }
  const task = createTask(t, {
    ref: site.ref,
    config,
    taskType,
    status: 'SCHEDULED',
    iteration: site.iteration,
    input: type.inputOf(t, site),
    ...(type.carriedOutBy === 'worker' ? { domain: domainOf(t, taskType) } : {}),
    startDelaySeconds: config.startDelay,
    callbackAfterSeconds: config.startDelay,
    responseTimeoutSeconds: config.taskDefinition?.responseTimeoutSeconds ?? 0,
    notes: mockNotes,
  });
  if (type.hasSchemas && refuseInvalidInput(t, task)) return true;
  if (!delayRun(t, task)) startAttempt(t, task, type);
  return true;
}

function notMockable(ref: string, type: string): string {
  return (
    `No mock can stand for ${ref}: a task of type ${type} holds the flow together. ` +
    'Mock the tasks around it.'
  );
}

function executionOf(
  t: Transition,
): Pick<MockableTask, 'workflowId' | 'workflowName' | 'workflowVersion' | 'correlationId'> {
  const { id, snapshot, attributes } = t.execution;
  const { name, version } = snapshot.def;
  return {
    workflowId: id,
    workflowName: name,
    workflowVersion: version,
    correlationId: attributes.correlationId,
  };
}

/** The attempt starts, or its delay is over. */
function startAttempt(t: Transition, task: Task, type: TaskType): void {
  const noted = notedOutcome(task);
  if (noted !== undefined) {
    endAttempt(t, task, type, noted);
    return;
  }
  const { ref, taskType, retryCount } = task;
  const asked = { ref, plainRef: plainRefOf(task), taskName: task.config.name, taskType };
  const outcome = t.context.mocks?.outcomeOf({ ...executionOf(t), ...asked }, retryCount);
  if (outcome === undefined) {
    const reason = 'The mock that stood for this task has been removed';
    endTask(t, task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason });
    return;
  }
  task.workerId = 'mock';
  task.pollCount++;
  task.callbackAfterSeconds = 0;
  task.callbackAfterMs = 0;
  setNotes(t, task, { runAt: undefined });
  beginRunning(t, task);
  if (outcome.delayMs === 0) endAttempt(t, task, type, outcome);
  else {
    setNotes(t, task, { [outcomeNote]: { ...outcome } });
    runLater(t, task, outcome.delayMs);
  }
}

function notedOutcome(task: Task): MockOutcome | undefined {
  const noted = notesOf(task)[outcomeNote];
  if (!isMap(noted)) return undefined;
  const { status, output, reasonForIncompletion } = noted;
  return {
    status: mockStatuses.find((each) => each === status) ?? 'COMPLETED',
    output: isMap(output) ? output : {},
    ...(typeof reasonForIncompletion === 'string' ? { reasonForIncompletion } : {}),
    delayMs: 0,
  };
}

function endAttempt(t: Transition, task: Task, type: TaskType, outcome: MockOutcome): void {
  setNotes(t, task, { runAt: undefined, [outcomeNote]: undefined });
  const { status, reasonForIncompletion: reason } = outcome;
  const output = outputOf(t, task, type, outcome.output);
  task.reason = reason;
  if (status === 'IN_PROGRESS') {
    task.output = output;
    task.updateAt = t.now;
    t.touch(task, taskPart.record | taskPart.output);
    t.open.arm(task);
    return;
  }
  const refusal = refusalOf(t, task, type, { status, output });
  if (refusal === undefined) endTask(t, task, { status, output });
  else endTask(t, task, { status: 'FAILED_WITH_TERMINAL_ERROR', reason: refusal, output });
}

/** Why the output may not be; undefined when it may (semantics 2.12, 3.9). */
function refusalOf(
  t: Transition,
  task: Task,
  type: TaskType,
  { status, output }: { status: string; output: Payload },
): string | undefined {
  const { limits } = t.context;
  const excess = excessOfPayload(output, limits.taskPayloadBytesMax, limits);
  if (excess !== undefined) return `The output of the task is ${excess}`;
  if (status !== 'COMPLETED' || !type.hasSchemas) return undefined;
  return taskOutputViolation(t, task, output);
}

/** A SWITCH takes the case that the mock names as `selectedCase`. */
function outputOf(t: Transition, task: Task, type: TaskType, given: JsonMap): Payload {
  if (type.role !== 'choice') return Payload.of(given);
  const { selectedCase } = given;
  const chosen = typeof selectedCase === 'string' ? selectedCase : '';
  task.input = Payload.of({ ...task.input.value, case: chosen });
  t.touch(task, taskPart.input);
  return Payload.of({ evaluationResult: [chosen], ...given, selectedCase: chosen });
}
