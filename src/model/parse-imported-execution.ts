// Reads an execution as servers of this API show it (a Workflow with its tasks, contract-core 7.1
// and 7.2), which has ended, to store it as history. Its ids become ids of this server.
import type { ExecutionId } from '../std/ids.js';
import type {
  DefinitionSnapshot,
  EndedPart,
  ExecutionAttributes,
  ExecutionProgress,
  Task,
} from './execution.js';
import { importedIdOf, isForeignId } from './imported-id.js';
import type { Json } from './json.js';
import { forEachTask } from './nested-tasks.js';
import { parseWorkflowTask } from './parse-workflow-def.js';
import { Payload } from './payload.js';
import { present, RecordReader, refused } from './record-reader.js';
import { endStatuses } from './retention.js';
import { checkShape } from './shape-limits.js';
import { snapshotAsShown } from './snapshot.js';
import { isTerminalTask, taskStatuses } from './status.js';
import { readWorkflowDef, type WorkflowTask } from './workflow-def.js';

export interface ImportedExecution {
  readonly id: ExecutionId;
  /** At the other server. */
  readonly foreignId: string;
  readonly snapshot: DefinitionSnapshot;
  readonly attributes: ExecutionAttributes;
  readonly input: Payload;
  readonly ended: EndedPart;
}

/** Address of the other server, and the execution. */
export interface ImportRequest {
  readonly from: string;
  readonly execution: ImportedExecution;
}

const fromCharsMax = 500;
/** How far the clock of the other server may be ahead, ms. */
const clockAheadMs = 24 * 3600 * 1000;

/** Body of an import. `now`: epoch ms. Throws AppError 'bad-request' that names field and rule. */
export function parseImportRequest(input: unknown, now: number): ImportRequest {
  checkShape(input, 'the body');
  const reader = new RecordReader(input, '');
  const from = reader.text('from') ?? '';
  if (from.trim() === '' || from.length > fromCharsMax) {
    throw refused(
      'from',
      `must be the address of the other server, of 1 to ${fromCharsMax} characters`,
    );
  }
  const execution = reader.record('execution', (value, path) => readExecution(value, path, now));
  if (execution === undefined) throw refused('execution', 'must be an execution with its tasks');
  return { from, execution };
}

function readExecution(input: unknown, path: string, now: number): ImportedExecution {
  const reader = new RecordReader(input, path);
  const foreignId = readId(reader, 'workflowId');
  if (foreignId === undefined) throw refused(reader.pathOf('workflowId'), 'must be given');
  const snapshot = readSnapshot(reader);
  const tasks = readTasks(reader, snapshot, now);
  return {
    id: importedIdOf(foreignId),
    foreignId,
    snapshot,
    attributes: readAttributes(reader),
    input: Payload.of(reader.map('input')),
    ended: {
      state: { ...readProgress(reader, now), taskCounter: tasks.length, seqCounter: tasks.length },
      output: Payload.of(reader.map('output')),
      variables: Payload.of(reader.map('variables')),
      tasks,
    },
  };
}

/** The definition that it ran by; servers that do not show it show its name and version. */
function readSnapshot(reader: RecordReader): DefinitionSnapshot {
  const shown = reader.raw('workflowDefinition');
  const path = reader.pathOf('workflowDefinition');
  const name = reader.text('workflowName') ?? reader.text('workflowType') ?? '';
  const version = reader.integer('workflowVersion', reader.integer('version', 1));
  const def = readWorkflowDef(shown ?? { name, version, tasks: [] }, path);
  if (def.name === '') throw refused(`${path}.name`, 'must not be empty');
  return snapshotAsShown(def);
}

function readAttributes(reader: RecordReader): ExecutionAttributes {
  const parent = readId(reader, 'parentWorkflowId');
  return {
    priority: reader.integer('priority', 0),
    taskToDomain: reader.textMap('taskToDomain'),
    ...present({
      correlationId: reader.text('correlationId') || undefined,
      parentWorkflowId: parent === undefined ? undefined : importedIdOf(parent),
      event: reader.text('event') || undefined,
      createdBy: reader.text('createdBy') || undefined,
    }),
  };
}

function readProgress(
  reader: RecordReader,
  now: number,
): Omit<ExecutionProgress, 'taskCounter' | 'seqCounter'> {
  const status = reader.choice('status', endStatuses);
  if (status === undefined) {
    throw refused(reader.pathOf('status'), `must be one of ${endStatuses.join(', ')}`);
  }
  const createTime = readTime(reader, 'createTime', now) || readTime(reader, 'startTime', now);
  if (createTime === 0) throw refused(reader.pathOf('createTime'), 'must be given');
  const updateTime = readTime(reader, 'updateTime', now) || createTime;
  const endTime = Math.max(createTime, readTime(reader, 'endTime', now) || updateTime);
  return {
    ...{ status, createTime, updateTime, endTime },
    lastRetriedTime: readTime(reader, 'lastRetriedTime', now),
    failedReferenceTaskNames: reader.texts('failedReferenceTaskNames'),
    failedTaskNames: reader.texts('failedTaskNames'),
    ...{ outboxCounter: 0, generation: 1, unsettled: false },
    ...present({ reasonForIncompletion: reader.text('reasonForIncompletion') || undefined }),
  };
}

interface TaskPlaces {
  readonly now: number;
  /** Configurations of the definition by reference name. */
  readonly configs: ReadonlyMap<string, WorkflowTask>;
  /** Numbers here by task id there. */
  readonly numbers: ReadonlyMap<string, number>;
}

/** In the order of the other server, whose numbers may have gaps. */
function readTasks(reader: RecordReader, { def }: DefinitionSnapshot, now: number): Task[] {
  const listed = reader.list('tasks', (item, path) => new RecordReader(item, path));
  const numbers = new Map(
    listed.map((task, index) => [task.text('taskId') ?? '', index + 1] as const),
  );
  const configs = new Map<string, WorkflowTask>();
  forEachTask(def.tasks, (config) => configs.set(config.taskReferenceName, config));
  return listed.map((task, index) => readTask(task, index + 1, { now, configs, numbers }));
}

function readTask(reader: RecordReader, number: number, places: TaskPlaces): Task {
  const time = (name: string): number => readTime(reader, name, places.now);
  const ref = reader.text('referenceTaskName') ?? '';
  if (ref === '') throw refused(reader.pathOf('referenceTaskName'), 'must be given');
  const iteration = reader.integer('iteration', 0);
  const config = configOf(reader, ref, iteration, places);
  const taskType = reader.text('taskType') ?? config.type;
  const status = reader.choice('status', taskStatuses) ?? 'COMPLETED';
  const isOver = isTerminalTask(status);
  const child = readId(reader, 'subWorkflowId');
  const retried = places.numbers.get(reader.text('retriedTaskId') ?? '');
  return {
    ...{ number, ref, config, taskType, iteration },
    defName: reader.text('taskDefName') ?? config.name,
    // The other server has left it when the execution ended: here nothing of it runs on.
    status: isOver ? status : 'CANCELED',
    seq: number,
    retryCount: reader.integer('retryCount', 0),
    reopenCount: 0,
    retried: reader.flag('retried', false),
    executed: reader.flag('executed', false),
    retriedTaskNumber: retried,
    scheduledAt: time('scheduledTime'),
    firstScheduledAt: time('scheduledTime'),
    startAt: time('startTime'),
    firstStartAt: time('firstStartTime') || time('startTime'),
    endAt: time('endTime'),
    updateAt: time('updateTime'),
    startDelaySeconds: reader.integer('startDelayInSeconds', 0),
    callbackAfterSeconds: reader.integer('callbackAfterSeconds', 0),
    callbackAfterMs: 0,
    responseTimeoutSeconds: reader.integer('responseTimeoutSeconds', 0),
    rateLimitPerFrequency: reader.integer('rateLimitPerFrequency', 0),
    rateLimitFrequencyInSeconds: reader.integer('rateLimitFrequencyInSeconds', 0),
    pollCount: reader.integer('pollCount', 0),
    workerId: reader.text('workerId') || undefined,
    domain: reader.text('domain') || undefined,
    reason: reader.text('reasonForIncompletion') || undefined,
    subWorkflowId: child === undefined ? undefined : importedIdOf(child),
    subworkflowChanged: reader.flag('subworkflowChanged', false),
    ...{ waitUntilAt: 0, lease: undefined, notes: undefined, executionMetadata: undefined },
    input: Payload.of(reader.map('inputData')),
    output: Payload.of(reader.map('outputData')),
    externalOutputPayloadStoragePath: reader.text('externalOutputPayloadStoragePath') || undefined,
  };
}

/** That of the definition; tasks of dynamic forks bring their own. */
function configOf(
  reader: RecordReader,
  ref: string,
  iteration: number,
  { configs }: TaskPlaces,
): WorkflowTask {
  const suffix = `__${iteration}`;
  const plain = iteration > 0 && ref.endsWith(suffix) ? ref.slice(0, -suffix.length) : ref;
  const known = configs.get(plain);
  if (known !== undefined) return known;
  const shown = reader.raw('workflowTask');
  const named = { name: reader.text('taskDefName') ?? ref, taskReferenceName: plain };
  const given = shown === undefined ? named : { ...named, ...(shown as { [name: string]: Json }) };
  return parseWorkflowTask(given, reader.pathOf('workflowTask'));
}

/** Epoch ms; 0 when it is not set. */
function readTime(reader: RecordReader, name: string, now: number): number {
  const time = reader.long(name, 0);
  if (time < 0 || time > now + clockAheadMs) {
    throw refused(reader.pathOf(name), 'must be epoch milliseconds between 1970 and now');
  }
  return time;
}

/** undefined when absent or empty. */
function readId(reader: RecordReader, name: string): string | undefined {
  const id = reader.text(name) || undefined;
  if (id === undefined || isForeignId(id) || importedIdOf(id) === id) return id;
  throw refused(reader.pathOf(name), 'must be an id of letters, digits and the signs _ . : -');
}
