// SUB_WORKFLOW (semantics 4.10, 2.11): starts a child by a message and waits for its end. The
// child's id is derived from the attempt, so a repeated start meets the same child.
//
// Notes of the record: `messageId` while the start has not been answered, `runAt` while it is put
// off.
import type { ChildStart, Task } from '../../model/execution.js';
import { isMap, type Json, type JsonMap } from '../../model/json.js';
import { AppError } from '../../model/errors.js';
import { Payload } from '../../model/payload.js';
import {
  idempotencyStrategies,
  readWorkflowDef,
  type IdempotencyStrategy,
  type WorkflowDef,
  type WorkflowTask,
} from '../../model/workflow-def.js';
import type { GraphNode } from '../compile.js';
import { addMessage, startedIdOf } from '../outbox-messages.js';
import { failExecution } from '../ending.js';
import { documentOf } from '../execution-document.js';
import { evaluateTemplate } from '../expression/template.js';
import { createTask, endTask, setNotes } from '../records.js';
import { notesOf } from '../notes.js';
import type { Transition } from '../transition.js';
import { reason, shown, startOrderReason, untilTimeout } from '../wait-reason.js';
import { required } from './checks.js';
import type { TaskType } from './contract.js';
import { outsideType, retriedByRule } from './constructors.js';
import { delayRun } from './delayed-start.js';
import { takeBackStart } from './take-back-start.js';

export const subWorkflowTask: TaskType = outsideType({
  names: ['SUB_WORKFLOW'],
  reaches: [{ right: 'EXECUTE', target: 'WORKFLOW_DEF', named: '`subWorkflowParam.name`' }],
  role: 'sub-workflow',
  check(config) {
    const { subWorkflowParam: params } = config;
    if (params === undefined) return [required(config, 'subWorkflowParam')];
    const isNamed = Boolean(params.name) || params.workflowDefinition !== undefined;
    return isNamed ? [] : [required(config, 'subWorkflowParam.name')];
  },
  inputOf: (t, site) => subWorkflowInput(t, site.node, site.config),
  map(t, site) {
    const { config } = site;
    if (config.subWorkflowParam === undefined) {
      const reason = `Task ${config.name} is defined as sub-workflow and is missing subWorkflowParams. Please check the workflow definition`;
      failExecution(t, { status: 'FAILED', reason });
      return;
    }
    const task = createTask(t, {
      ref: site.ref,
      config,
      taskType: 'SUB_WORKFLOW',
      status: 'SCHEDULED',
      iteration: site.iteration,
      input: subWorkflowInput(t, site.node, config),
      startDelaySeconds: config.startDelay,
      callbackAfterSeconds: config.startDelay,
    });
    begin(t, task);
  },
  begin,
  startDelayed: start,
  cancel(t, task) {
    if (takeBackStart(t, task) || notesOf(task)['messageId'] !== undefined) return;
    terminateChild(t, task);
  },
  waitsForOutside: (task) => task.subWorkflowId === undefined,
  retry: {
    ...retriedByRule,
    input(t, task) {
      const node = t.open.nodes.of(task);
      return node === undefined ? task.input : subWorkflowInput(t, node, task.config);
    },
  },
  whyWaits(open, task) {
    if (task.subWorkflowId === undefined) return startOrderReason(open, task);
    return reason(open, task, 'child', {
      reason: `${shown(task)} waits for the end of the sub-workflow ${task.subWorkflowId}.`,
      moves: `what that execution waits for: GET /api/workflow/${task.subWorkflowId}/why`,
      ...untilTimeout(open, task),
      data: { subWorkflowId: task.subWorkflowId },
    });
  },
});

function begin(t: Transition, task: Task): void {
  if (!delayRun(t, task)) start(t, task);
}

function start(t: Transition, task: Task): void {
  const depth = (t.execution.attributes.depth ?? 0) + 1;
  const { childDepthMax } = t.context.limits;
  if (depth > childDepthMax) {
    const reason = `Sub-workflows may not be nested deeper than ${childDepthMax} (childDepthMax)`;
    endTask(t, task, { status: 'FAILED', reason });
    return;
  }
  const request = requestOf(t, task, depth);
  if (typeof request === 'string') {
    endTask(t, task, { status: 'FAILED', reason: request });
    return;
  }
  const message = addMessage(t, {
    kind: 'start-child',
    childId: startedIdOf(t, task),
    taskNumber: task.number,
    reopenCount: task.reopenCount,
    request,
  });
  setNotes(t, task, { runAt: undefined, messageId: message.id });
  t.open.arm(task);
}

/** Tells the child of a cancelled task to end (semantics 1.5.8 step 5). */
export function terminateChild(t: Transition, task: Task): void {
  if (task.subWorkflowId === undefined) return;
  const { status, reasonForIncompletion } = t.execution.state;
  const reason =
    reasonForIncompletion === undefined
      ? `Parent workflow has been terminated with status ${status}`
      : `Parent workflow has been terminated with reason: ${reasonForIncompletion}`;
  addMessage(t, { kind: 'terminate-child', childId: task.subWorkflowId, reason });
}

/** Input of the record: eight keys, null when not given (observed). */
function subWorkflowInput(t: Transition, node: GraphNode, config: WorkflowTask): Payload {
  const document = documentOf(t);
  const params = config.subWorkflowParam ?? {};
  const { workflowDefinition, ...rest } = params;
  const template = node.template('subWorkflowParam', () => rest as JsonMap);
  const given = evaluateTemplate(template, document) as JsonMap;
  const definition =
    typeof workflowDefinition === 'string'
      ? evaluateTemplate(
          node.template('workflowDefinition', () => workflowDefinition),
          document,
        )
      : ((workflowDefinition ?? null) as Json);
  const own = isMap(definition) ? definition : undefined;
  return Payload.of({
    subWorkflowName: given['name'] ?? own?.['name'] ?? null,
    subWorkflowVersion: own === undefined ? (given['version'] ?? latestVersion(t, given)) : null,
    subWorkflowTaskToDomain: given['taskToDomain'] ?? null,
    subWorkflowDefinition: definition,
    priority: given['priority'] ?? null,
    idempotencyKey: given['idempotencyKey'] ?? null,
    idempotencyStrategy: given['idempotencyStrategy'] ?? null,
    workflowInput: evaluateTemplate(node.input, document),
  });
}

/**
 * A branch of a dynamic fork may leave the version out: then it is the latest one at this moment
 * (observed).
 */
function latestVersion(t: Transition, given: JsonMap): Json {
  const { name } = given;
  if (typeof name !== 'string') return null;
  return t.context.definitions.workflowDef(name)?.version ?? null;
}

/** A text: why it cannot be started. */
function requestOf(t: Transition, task: Task, depth: number): ChildStart | string {
  const input = task.input.value;
  const { attributes } = t.execution;
  const def = definitionIn(task);
  if (typeof def === 'string') return def;
  const name = def?.name ?? input['subWorkflowName'];
  if (typeof name !== 'string' || name === '') return 'The name of the sub-workflow is missing';
  const version = versionOf(input['subWorkflowVersion'] ?? null);
  const { subWorkflowTaskToDomain, priority, idempotencyKey, idempotencyStrategy } = input;
  const request: ChildStart = {
    name,
    input: childInput(task, def !== undefined),
    priority: priorityOf(priority ?? null) ?? attributes.priority,
    taskToDomain: isTextMap(subWorkflowTaskToDomain)
      ? subWorkflowTaskToDomain
      : attributes.taskToDomain,
    depth,
  };
  if (def !== undefined) request.def = def;
  else if (version !== undefined) request.version = version;
  if (attributes.correlationId !== undefined) request.correlationId = attributes.correlationId;
  if (attributes.createdBy !== undefined) request.createdBy = attributes.createdBy;
  if (typeof idempotencyKey === 'string' && idempotencyKey !== '') {
    request.idempotencyKey = idempotencyKey;
    if (isStrategy(idempotencyStrategy)) request.idempotencyStrategy = idempotencyStrategy;
  }
  return request;
}

/**
 * The inline definition: the configuration's own object, or one that an expression gave; a text
 * says what is wrong with it.
 */
function definitionIn(task: Task): WorkflowDef | string | undefined {
  const own = task.config.subWorkflowParam?.workflowDefinition;
  if (typeof own === 'object') return own;
  const given = task.input.value['subWorkflowDefinition'] ?? null;
  if (given === null) return undefined;
  try {
    return readWorkflowDef(given, 'subWorkflowDefinition');
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** workflowInput, or the whole record input when that is empty (semantics 4.10.2). */
function childInput(task: Task, isInline: boolean): Payload {
  const input = task.input.value;
  const { workflowInput } = input;
  const own = isMap(workflowInput) && Object.keys(workflowInput).length > 0 ? workflowInput : input;
  if (!isInline) return own === input ? task.input : Payload.of(own);
  return Payload.of({ ...own, _systemMetadata: { dynamic: true } });
}

function versionOf(value: Json): number | undefined {
  const version = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof version === 'number' && Number.isInteger(version) ? version : undefined;
}

function priorityOf(value: Json): number | undefined {
  const priority = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  const isLegal =
    typeof priority === 'number' && Number.isInteger(priority) && priority >= 0 && priority <= 99;
  return isLegal ? priority : undefined;
}

function isStrategy(value: Json | undefined): value is IdempotencyStrategy {
  return idempotencyStrategies.some((strategy) => strategy === value);
}

function isTextMap(value: Json | undefined): value is { [key: string]: string } {
  return isMap(value) && Object.values(value).every((item) => typeof item === 'string');
}
