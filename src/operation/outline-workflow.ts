// An execution without its payloads: what a page needs to draw it, at a fiftieth of its size. A
// fork of 10,000 branches answers 17 MB in full, because the fork's record carries all branches.
import { taskIdOf } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import type { Task } from '../model/execution.js';
import type { Json, JsonMap } from '../model/json.js';
import { shownMark } from '../model/imported-id.js';
import type { Payload } from '../model/payload.js';
import { failureWorkflowKey } from '../engine/ending.js';
import { toWorkflowDefJson } from '../model/workflow-def-json.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { requireExecutionRight } from './access.js';
import type { ReadContext } from './get-workflow.js';
import { noSuchWorkflow } from '../model/errors.js';
import { parsed } from '../telemetry/trace-context.js';
import { plainId } from '../model/subject.js';

/** Names of the values of one row, in order. */
export const outlineColumns = [
  'taskId',
  'referenceTaskName',
  'taskType',
  'taskDefName',
  'status',
  'scheduledTime',
  'startTime',
  'endTime',
  'retryCount',
  'retried',
  'iteration',
  'workerId',
  'domain',
  'subWorkflowId',
  'reasonForIncompletion',
  'startDelaySeconds',
] as const;

/**
 * JSON text of the outline; without tasks its rows are empty, which is enough to see by its
 * revision that nothing has changed. Throws AppError 'not-found'.
 */
export async function outlineWorkflow(
  context: ReadContext,
  caller: Caller,
  { id, includeTasks }: { readonly id: string; readonly includeTasks: boolean },
): Promise<string> {
  await requireExecutionRight(context, caller, 'READ', id);
  const text = await context.executions.read(id, includeTasks ? outlineText : taskless);
  if (text === undefined) throw noSuchWorkflow(id);
  return text;
}

const outlineText = ({ execution }: OpenExecution): string =>
  textOf(
    execution,
    execution.tasks.map((task) => outlineRow(execution.id, task)),
  );

const taskless = ({ execution }: OpenExecution): string => textOf(execution, []);

function textOf(execution: OpenExecution['execution'], rows: readonly Json[][]): string {
  const { snapshot, state } = execution;
  return (
    `{"head":${JSON.stringify(outlineHead(execution))}` +
    `,"workflowDefinition":${toWorkflowDefJson(snapshot.def)}` +
    `,"revision":${state.updateTime}` +
    `,"tasks":{"columns":${JSON.stringify(outlineColumns)},"rows":${JSON.stringify(rows)}}}`
  );
}

/** An execution with the sizes of its payloads in place of them. */
export function outlineHead({
  id,
  snapshot,
  state,
  attributes,
  ...payloads
}: OpenExecution['execution']): JsonMap {
  const optional: JsonMap = {};
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined) optional[name] = value;
  };
  add('correlationId', attributes.correlationId);
  add('parentWorkflowId', attributes.parentWorkflowId);
  add('createdBy', plainId(attributes.createdBy ?? '') || undefined);
  add('event', attributes.event);
  add('traceId', attributes.trace && parsed(attributes.trace).traceId);
  add('reasonForIncompletion', state.reasonForIncompletion);
  if (state.endTime !== 0) add('failureWorkflowId', idIn(payloads.output, failureWorkflowKey));
  if (payloads.input.text.includes('"failureStatus"')) {
    add('failedWorkflowId', idIn(payloads.input, 'workflowId'));
  }
  if (attributes.imported !== undefined) optional['imported'] = shownMark(attributes.imported);
  return {
    workflowId: id,
    workflowName: snapshot.def.name,
    workflowVersion: snapshot.def.version,
    status: state.status,
    startTime: state.createTime,
    updateTime: state.updateTime,
    endTime: state.endTime,
    priority: attributes.priority,
    inputChars: payloads.input.text.length,
    outputChars: payloads.output.text.length,
    variablesChars: payloads.variables.text.length,
    failedReferenceTaskNames: [...state.failedReferenceTaskNames],
    ...optional,
  };
}

/** The id of an execution that a payload names; read only where the payload is small. */
function idIn(payload: Payload, key: string): string | undefined {
  const { text } = payload;
  if (text.length > namedCharsMax || !text.includes(key)) return undefined;
  const id = (payload.value as JsonMap)[key];
  return typeof id === 'string' && executionId.test(id) ? id : undefined;
}

const namedCharsMax = 256 * 1024;
const executionId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** One row, in the order of `outlineColumns`. */
export function outlineRow(id: OpenExecution['execution']['id'], task: Task): Json[] {
  return [
    taskIdOf(id, task.number),
    task.ref,
    task.taskType,
    task.defName,
    task.status,
    task.scheduledAt,
    task.startAt,
    task.endAt,
    task.retryCount,
    task.retried,
    task.iteration,
    task.workerId ?? null,
    task.domain ?? null,
    task.subWorkflowId ?? null,
    task.reason ?? null,
    task.startDelaySeconds,
  ];
}
