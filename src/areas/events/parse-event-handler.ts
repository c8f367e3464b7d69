// Parsing, checking and writing of event handlers (contract-core 18.1, contract-admin 17.1).
import { wrongField } from '../../model/errors.js';
import type { Json, JsonMap } from '../../model/json.js';
import { parseStartWorkflowRequest } from '../../model/parse-start-request.js';
import { present, RecordReader } from '../../model/record-reader.js';
import { parseTags, type Tag } from '../../model/tag.js';
import { checkStoredStart } from '../../model/validate-start-request.js';
import { Violations } from '../../model/validation.js';
import { refuseUnbuilt } from '../../model/event-providers.js';
import {
  actionKinds,
  type ActionKind,
  type EventAction,
  type EventHandler,
  type EventHandlerFields,
} from './event-handler.js';

export interface EventHandlerRequest {
  readonly fields: EventHandlerFields;
  readonly tags?: readonly Tag[];
}

const textCharsMax = 1000;
const scriptCharsMax = 65_536;
/** Actions of one handler. */
export const actionsMax = 100;
const requiredTexts = [
  ['name', 'Missing event handler name'],
  ['event', 'Missing event location'],
] as const;
/** Evaluators of conditions (semantics 6.2). */
const evaluators = ['javascript', 'graaljs', 'js'];

/**
 * `path` prefixes violations, such as `addEventHandler.arg0`. Throws AppError 'validation' without
 * name or event, 'bad-request' that names field and rule for the rest.
 */
export function parseEventHandler(input: unknown, path: string): EventHandlerRequest {
  const reader = new RecordReader(input, '');
  const name = textOf(reader, 'name') ?? '';
  const event = textOf(reader, 'event') ?? '';
  const violations = new Violations();
  const given = { name: reader.text('name'), event: reader.text('event') };
  for (const [field, message] of requiredTexts) {
    const value = given[field];
    if (value === undefined) violations.add(`${path}.${field}`, message);
    else if (value.trim() === '') violations.addValue(`${path}.${field}`, message, value);
  }
  violations.refuse();
  refuseUnbuilt(event.split(':', 1)[0] as string, 'event');
  const evaluatorType = reader.text('evaluatorType') || undefined;
  if (evaluatorType !== undefined && !evaluators.includes(evaluatorType)) {
    throw wrongField('evaluatorType', `must be one of ${evaluators.join(', ')}`);
  }
  const actions = reader.list('actions', readAction);
  if (actions.length > actionsMax) {
    throw wrongField('actions', `may have ${actionsMax} entries at most`);
  }
  const fields: EventHandlerFields = {
    name,
    event,
    actions,
    active: reader.flag('active', false),
    ...present({
      condition: textOf(reader, 'condition', scriptCharsMax),
      evaluatorType,
      description: textOf(reader, 'description', scriptCharsMax),
    }),
  };
  return { fields, ...present({ tags: reader.record('tags', parseTags) }) };
}

/** As the wire shows it (contract-core 18.1, observed stored form). */
export function toEventHandlerJson(handler: EventHandler, tags: readonly Json[]): JsonMap {
  const { name, event, condition, evaluatorType, actions, active, description } = handler;
  return present({
    name,
    event,
    condition,
    evaluatorType,
    actions: actions.map(({ action, parameters, expandInlineJSON }) => ({
      action,
      [action]: parameters,
      expandInlineJSON,
    })),
    active,
    description,
    createdBy: handler.createdBy || undefined,
    actsAs: handler.actsAs,
    tags: tags.length === 0 ? undefined : [...tags],
  }) as JsonMap;
}

function readAction(input: unknown, path: string): EventAction {
  const reader = new RecordReader(input, path);
  const action = reader.choice('action', actionKinds);
  if (action === undefined) throw wrongField(reader.pathOf('action'), 'is required');
  const sent = reader.optionalMap(action);
  if (sent === undefined) throw wrongField(reader.pathOf(action), `is required by ${action}`);
  return {
    action,
    parameters: parametersOf[action](sent, reader.pathOf(action)),
    expandInlineJSON: reader.flag('expandInlineJSON', false),
  };
}

const parametersOf: Readonly<Record<ActionKind, (sent: JsonMap, path: string) => JsonMap>> = {
  start_workflow: startOf,
  complete_task: taskOf,
  fail_task: taskOf,
  terminate_workflow: (sent, path) => {
    const reader = new RecordReader(sent, path);
    return present({
      workflowId: required(reader, 'workflowId'),
      terminationReason: reader.text('terminationReason'),
    }) as JsonMap;
  },
  update_workflow_variables: (sent, path) => {
    const reader = new RecordReader(sent, path);
    const variables = reader.optionalMap('variables');
    if (variables === undefined) throw wrongField(reader.pathOf('variables'), 'is required');
    return present({
      workflowId: required(reader, 'workflowId'),
      variables,
      appendArray: reader.optionalFlag('appendArray'),
    }) as JsonMap;
  },
};

const copiedStartFields = [
  'correlationId',
  'workflowDef',
  'externalInputPayloadStoragePath',
  'priority',
  'createdBy',
  'idempotencyKey',
  'idempotencyStrategy',
];

/** The request of a start: parsed to check it, shown as it was sent. */
function startOf(sent: JsonMap, path: string): JsonMap {
  const whole = sent['input'] === null ? { ...sent, input: {} } : sent;
  const request = parseStartWorkflowRequest(whole, path);
  checkStoredStart(request, path);
  const copied: { [name: string]: Json | undefined } = { name: request.name };
  for (const name of copiedStartFields) if (sent[name] !== null) copied[name] = sent[name];
  return present({
    ...copied,
    version: request.version,
    input: request.input,
    taskToDomain: Object.keys(request.taskToDomain).length > 0 ? request.taskToDomain : undefined,
  }) as JsonMap;
}

function taskOf(sent: JsonMap, path: string): JsonMap {
  const reader = new RecordReader(sent, path);
  const fields = {
    workflowId: reader.text('workflowId') || undefined,
    taskRefName: reader.text('taskRefName') || undefined,
    taskId: reader.text('taskId') || undefined,
  };
  const isByRef = fields.workflowId !== undefined && fields.taskRefName !== undefined;
  if (fields.taskId === undefined && !isByRef) {
    throw wrongField(path, 'must name a task: taskId, or workflowId and taskRefName');
  }
  return present({
    ...fields,
    output: reader.map('output'),
    outputMessage: reader.optionalMap('outputMessage'),
    reasonForIncompletion: reader.text('reasonForIncompletion'),
  }) as JsonMap;
}

function required(reader: RecordReader, name: string): string {
  const text = reader.text(name) ?? '';
  if (text === '') throw wrongField(reader.pathOf(name), 'is required');
  return text;
}

/** undefined when absent or empty. */
function textOf(reader: RecordReader, name: string, charsMax = textCharsMax): string | undefined {
  const text = reader.text(name) || undefined;
  if (text !== undefined && text.length > charsMax) {
    throw wrongField(reader.pathOf(name), `may have ${charsMax} characters at most`);
  }
  return text;
}
