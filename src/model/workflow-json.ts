// JSON text of an execution as clients see it (contract-core 7.1, 7.3): `Workflow` and
// `WorkflowStatus` on the wire. Tasks, payloads and the definition are texts already and go in as
// they are.
import { taskIdOf } from '../std/ids.js';
import { shownMark } from './imported-id.js';
import type { Execution } from './execution.js';
import { toJsonText } from './json-text.js';
import { toWorkflowDefJson } from './workflow-def-json.js';
import { plainId, withPlainIds } from './subject.js';

const quoted = JSON.stringify as (text: string) => string;

/**
 * `tasks` are the texts of `toTaskJson` in list order; absent when they are not asked for (shown as
 * `[]`).
 */
export function toWorkflowJson(execution: Execution, tasks?: readonly string[]): string {
  return `{${workflowFields(execution, tasks)}}`;
}

/**
 * The execution as a failure workflow gets it in `failedWorkflow` (contract-core 10.4): with the
 * failed task, the previous status and the update time under its internal name.
 */
export function toFailedWorkflowJson(execution: Execution, tasks?: readonly string[]): string {
  const { state } = execution;
  let text = `${workflowFields(execution, tasks)},"updatedTime":${state.updateTime}`;
  if (state.previousStatus !== undefined) {
    text += `,"previousStatus":"${state.previousStatus}"`;
  }
  if (state.failedTaskNumber !== undefined) {
    text += `,"failedTaskId":"${taskIdOf(execution.id, state.failedTaskNumber)}"`;
  }
  return `{${text}}`;
}

/** Contract-core 7.3. */
export function toWorkflowStatusJson(
  execution: Execution,
  include: { readonly output: boolean; readonly variables: boolean },
): string {
  const { correlationId } = execution.attributes;
  return (
    `{"workflowId":"${execution.id}"` +
    (correlationId ? `,"correlationId":${quoted(correlationId)}` : '') +
    (include.output ? `,"output":${execution.output.text}` : '') +
    (include.variables ? `,"variables":${execution.variables.text}` : '') +
    `,"status":"${execution.state.status}"}`
  );
}

function workflowFields(execution: Execution, tasks: readonly string[] | undefined): string {
  const { attributes, state, snapshot } = execution;
  const storedInput = attributes.externalInputPayloadStoragePath;
  return (
    `"workflowId":"${execution.id}","workflowName":${quoted(snapshot.def.name)}` +
    `,"workflowVersion":${snapshot.def.version},"status":"${state.status}"` +
    `,"createTime":${state.createTime},"startTime":${state.createTime}` +
    `,"updateTime":${state.updateTime},"endTime":${state.endTime}` +
    `,"lastRetriedTime":${state.lastRetriedTime},"priority":${attributes.priority}` +
    optionalFields(execution) +
    `,"ownerApp":"","rateLimited":false,"history":[]` +
    `,"taskToDomain":${toJsonText(attributes.taskToDomain)}` +
    `,"failedReferenceTaskNames":${toJsonText(state.failedReferenceTaskNames)}` +
    `,"failedTaskNames":${toJsonText(state.failedTaskNames)}` +
    `,"input":${storedInput === undefined ? execution.input.text : '{}'}` +
    `,"output":${execution.output.text},"variables":${execution.variables.text}` +
    `,"tasks":[${tasks === undefined ? '' : listed(tasks)}]` +
    `,"workflowDefinition":${definitionText(execution)}`
  );
}

/** Not joined: that would copy each text once more. */
function listed(texts: readonly string[]): string {
  let list = texts[0] ?? '';
  for (let i = 1; i < texts.length; i++) list += `,${texts[i]}`;
  return list;
}

function definitionText({ attributes, snapshot }: Execution): string {
  const variables = attributes.definitionVariables;
  if (variables === undefined) return toWorkflowDefJson(snapshot.def);
  return toJsonText({ ...withPlainIds(snapshot.def), variables: variables.value });
}

/** Texts that are left out when unset. */
function optionalFields({ attributes, state }: Execution): string {
  let text = '';
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined) text += `,"${name}":${quoted(value)}`;
  };
  add('correlationId', attributes.correlationId);
  add('reasonForIncompletion', state.reasonForIncompletion);
  add('parentWorkflowId', attributes.parentWorkflowId);
  if (attributes.parentWorkflowId !== undefined && attributes.parentTaskNumber !== undefined) {
    const { parentWorkflowId, parentTaskNumber } = attributes;
    add('parentWorkflowTaskId', taskIdOf(parentWorkflowId, parentTaskNumber));
  }
  add('reRunFromWorkflowId', state.reRunFromWorkflowId);
  add('event', attributes.event);
  add('externalInputPayloadStoragePath', attributes.externalInputPayloadStoragePath);
  add('idempotencyKey', attributes.idempotencyKey);
  add('createdBy', attributes.createdBy && plainId(attributes.createdBy));
  const { imported } = attributes;
  return imported === undefined ? text : `${text},"imported":${toJsonText(shownMark(imported))}`;
}
