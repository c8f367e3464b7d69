// An event handler (contract-core 18.1, contract-admin 17.1): when a message of its event comes and
// its condition holds, its actions are carried out.
import { noun, type ShownOf, type StoredOf, type WrittenOf } from '../../declare/noun.js';
import { evaluatorField, tagged } from '../../declare/resource-fields.js';
import { wrongField } from '../../model/errors.js';
import { refuseUnbuilt } from '../../model/event-providers.js';
import { anyMap, filledText, flag, list, map, text, type Field } from '../../model/field.js';
import type { Json, JsonMap } from '../../model/json.js';
import { parseKeptStart } from '../../model/kept-start.js';
import { ownerIdOf } from '../../model/owner-of-record.js';
import { record } from '../../model/record.js';
import { present, RecordReader } from '../../model/record-reader.js';
import { anyObject, flag as flagSchema, object, oneOf, type Shape } from '../../model/schema.js';
import type { Tag } from '../../model/tag.js';
import { Violations } from '../../model/validation.js';

const textCharsMax = 1000;
const scriptCharsMax = 65_536;
/** Actions of one handler. */
export const actionsMax = 100;

/** The actions there are; each has an object of the same name. */
export const actionKinds = [
  'start_workflow',
  'complete_task',
  'fail_task',
  'terminate_workflow',
  'update_workflow_variables',
] as const;
export type ActionKind = (typeof actionKinds)[number];

export interface EventAction {
  readonly action: ActionKind;
  /** The object named like the action; texts in it may hold expressions. */
  readonly parameters: JsonMap;
  /** Texts of the message that hold JSON are read as such before. */
  readonly expandInlineJSON: boolean;
}

const startDetails: Shape<JsonMap> = {
  schema: {
    ...anyObject,
    description: 'A start: name, version, correlationId, input, taskToDomain, idempotencyKey ...',
  },
  parse: (sent, path = '') => startOf(sent as JsonMap, path),
};

const taskFields = record('EventTaskDetails', {
  workflowId: filledText(),
  taskRefName: filledText(),
  taskId: filledText({ about: 'In place of workflowId and taskRefName' }),
  output: map(),
  outputMessage: anyMap(),
  reasonForIncompletion: text(),
});
const taskDetails: Shape<ReturnType<typeof taskFields.parse>> = {
  schema: taskFields.schema,
  parse(sent, path = '') {
    const fields = taskFields.parse(sent, path);
    const isByRef = fields.workflowId !== undefined && fields.taskRefName !== undefined;
    if (fields.taskId !== undefined || isByRef) return fields;
    throw wrongField(path, 'must name a task: taskId, or workflowId and taskRefName');
  },
};

const workflowId = text({
  required: true,
  mayBeEmpty: true,
  check(id, path) {
    if (id === '') throw wrongField(path, 'is required');
  },
});

const detailsOf: Readonly<Record<ActionKind, Shape<Readonly<Record<string, Json | undefined>>>>> = {
  start_workflow: startDetails,
  complete_task: taskDetails,
  fail_task: taskDetails,
  terminate_workflow: record('EventTerminateWorkflow', {
    workflowId,
    terminationReason: text(),
  }),
  update_workflow_variables: record('EventUpdateVariables', {
    workflowId,
    variables: anyMap({ required: true }),
    appendArray: flag({ about: 'Values are added to lists that are there' }),
  }),
};

/** An action on the wire: its parameters stand under the name of its kind. */
type ShownAction = { readonly [Kind in ActionKind]?: JsonMap } & {
  readonly action: ActionKind;
  readonly expandInlineJSON: boolean;
};

const action = {
  schema: object(
    'EventAction',
    {
      action: oneOf(actionKinds, 'Selects the object of the same name'),
      ...Object.fromEntries(actionKinds.map((kind) => [kind, detailsOf[kind].schema])),
      expandInlineJSON: flagSchema('Texts of the message that hold JSON are read as such'),
    },
    ['action'],
  ),
  parse(input: unknown, path: string): EventAction {
    const reader = new RecordReader(input, path);
    const kind = reader.choice('action', actionKinds);
    if (kind === undefined) throw wrongField(reader.pathOf('action'), 'is required');
    const sent = reader.optionalMap(kind);
    if (sent === undefined) throw wrongField(reader.pathOf(kind), `is required by ${kind}`);
    return {
      action: kind,
      parameters: present(detailsOf[kind].parse(sent, reader.pathOf(kind))) as JsonMap,
      expandInlineJSON: reader.flag('expandInlineJSON', false),
    };
  },
};

const actions = list(action, { itemsMax: actionsMax });
/** Nobody reads it: it only tells the answer's type. */
const shownActions: Field<readonly ShownAction[], 'always'> = { ...actions, read: () => undefined };

/** The evaluator of a condition that is the name of a field of the message (semantics 6.2). */
export const valueParam = 'value-param';

export const eventHandler = noun({
  title: 'EventHandler',
  labels: { evaluatorType: 'Language of the condition' },
  written: {
    name: text({ required: true, charsMax: textCharsMax }),
    event: text({
      about: 'provider:queue, or any text that messages are sent under',
      required: true,
      charsMax: textCharsMax,
      check: (event) => refuseUnbuilt(event.split(':', 1)[0] as string, 'event'),
    }),
    condition: filledText({
      about: 'Script over the message, which is $; absent: always',
      charsMax: scriptCharsMax,
    }),
    evaluatorType: evaluatorField(valueParam),
    actions,
    active: flag({ default: false }),
    description: filledText({ charsMax: scriptCharsMax }),
  },
  beside: tagged,
  kept: {
    createdBy: text({ about: 'Id of who created it; absent without authentication' }),
    actsAs: text({
      about: 'Whose rights it acts with: who changed it last; absent: who created it',
    }),
  },
  derived: { actions: shownActions },
  stored: { kind: 'event-handler', idOf: ({ name }) => name },
});

/** The part of an event handler that a caller writes. */
export type EventHandlerFields = WrittenOf<typeof eventHandler>;
export type EventHandler = StoredOf<typeof eventHandler>;
export type ShownEventHandler = ShownOf<typeof eventHandler>;

/** Subject id of who answers for it; empty: it was saved without authentication. */
export function ownerOfHandler(handler: EventHandler): string {
  return ownerIdOf({ createdBy: '', ...handler });
}

const requiredTexts = [
  ['name', 'Missing event handler name'],
  ['event', 'Missing event location'],
] as const;

/**
 * `path` prefixes violations, such as `addEventHandler.arg0`. Throws AppError 'validation' without
 * name or event, 'bad-request' that names field and rule for the rest.
 */
export function parseEventHandler(input: unknown, path: string): EventHandlerFields {
  const reader = new RecordReader(input, '');
  const violations = new Violations();
  for (const [field, message] of requiredTexts) {
    const value = reader.text(field);
    if (value === undefined) violations.add(`${path}.${field}`, message);
    else if (value.trim() === '') violations.addValue(`${path}.${field}`, message, value);
  }
  violations.refuse();
  return eventHandler.request.parse(input);
}

/** As the wire shows it (contract-core 18.1, observed stored form). */
export function toEventHandlerJson(handler: EventHandler, tags: Tag[]): ShownEventHandler {
  const { createdBy, ...stored } = handler;
  return eventHandler.toJson(createdBy ? handler : stored, {
    ...(tags.length > 0 && { tags }),
    actions: handler.actions.map(({ action: kind, parameters, expandInlineJSON }) => ({
      action: kind,
      [kind]: parameters,
      expandInlineJSON,
    })),
  });
}

/** A start as it is shown. Throws AppError. */
function startOf(sent: JsonMap, path: string): JsonMap {
  const { request, asSent } = parseKeptStart(sent, path);
  return present({
    ...asSent,
    name: request.name,
    version: request.version,
    input: request.input,
    priority: sent['priority'] ?? undefined,
    taskToDomain: Object.keys(request.taskToDomain).length > 0 ? request.taskToDomain : undefined,
  }) as JsonMap;
}
