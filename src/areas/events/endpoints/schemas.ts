// Schemas of event handlers and of their records on the wire (contract-core 18, contract-admin 17).
import { actionKinds } from '../event-handler.js';
import {
  anyObject,
  flag,
  integer,
  list,
  object,
  oneOf,
  text,
  time,
} from '../../../model/schema.js';
import { tagListSchema } from '../../../api/tag-routes.js';

const task = {
  workflowId: text(),
  taskRefName: text(),
  taskId: text('In place of workflowId and taskRefName'),
  output: anyObject,
  outputMessage: anyObject,
  reasonForIncompletion: text(),
};

const actionSchema = object(
  'EventAction',
  {
    action: oneOf(actionKinds, 'Selects the object of the same name'),
    start_workflow: {
      ...anyObject,
      description: 'A start: name, version, correlationId, input, taskToDomain, idempotencyKey ...',
    },
    complete_task: object('EventTaskDetails', task),
    fail_task: object('EventTaskDetails', task),
    terminate_workflow: object('EventTerminateWorkflow', {
      workflowId: text(),
      terminationReason: text(),
    }),
    update_workflow_variables: object('EventUpdateVariables', {
      workflowId: text(),
      variables: anyObject,
      appendArray: flag('Values are added to lists that are there'),
    }),
    expandInlineJSON: flag('Texts of the message that hold JSON are read as such'),
  },
  ['action'],
);

export const eventHandlerSchema = object(
  'EventHandler',
  {
    name: text(),
    event: text('provider:queue'),
    condition: text('Script over the message, which is $; absent: always'),
    evaluatorType: text('javascript'),
    actions: list(actionSchema),
    active: flag(),
    description: text(),
    createdBy: text(),
    actsAs: text('Whose rights it acts with: who changed it last; absent: who created it'),
    tags: tagListSchema,
  },
  ['name', 'event'],
);

export const eventExecutionSchema = object(
  'EventExecution',
  {
    id: text(),
    messageId: text(),
    name: text('Of the handler'),
    event: text(),
    created: time(),
    status: oneOf(['IN_PROGRESS', 'COMPLETED', 'FAILED', 'SKIPPED']),
    statusDescription: text(),
    action: oneOf(actionKinds),
    output: anyObject,
    payload: anyObject,
    fullMessagePayload: anyObject,
    eventHandler: eventHandlerSchema,
  },
  ['id', 'messageId', 'name', 'event', 'created', 'status', 'output'],
);

export const eventMessageSchema = object(
  'EventMessage',
  {
    id: text(),
    eventTarget: text(),
    eventType: oneOf(['WEBHOOK', 'MESSAGE']),
    status: oneOf(['RECEIVED', 'HANDLED', 'REJECTED']),
    statusDescription: text(),
    createdAt: time(),
    payload: text('JSON text; cut when it is long'),
    fullPayload: anyObject,
    eventExecutions: list(eventExecutionSchema),
  },
  ['id', 'eventTarget', 'eventType', 'status', 'createdAt', 'payload', 'eventExecutions'],
);

export const handledEventsSchema = object(
  'HandledEvents',
  {
    totalHits: integer(),
    results: list(
      object(
        'HandledEvent',
        {
          name: text('Of the handler'),
          event: text(),
          active: flag(),
          numberOfActions: integer(),
          numberOfMessages: integer('Messages of the event that are kept'),
        },
        ['name', 'event', 'active', 'numberOfActions', 'numberOfMessages'],
      ),
    ),
  },
  ['totalHits', 'results'],
);
