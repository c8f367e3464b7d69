// Forms of event handlers and of their records on the wire (contract-core 18, contract-admin 17).
import { actionKinds } from '../event-handler.js';
import { anyObject, flag, integer, list, object, oneOf, text, time } from '../../../api/form.js';
import { tagListForm } from '../../../api/tag-routes.js';

const task = {
  workflowId: text(),
  taskRefName: text(),
  taskId: text('In place of workflowId and taskRefName'),
  output: anyObject,
  outputMessage: anyObject,
  reasonForIncompletion: text(),
};

const actionForm = object(
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

export const eventHandlerForm = object(
  'EventHandler',
  {
    name: text(),
    event: text('provider:queue'),
    condition: text('Script over the message, which is $; absent: always'),
    evaluatorType: text('javascript'),
    actions: list(actionForm),
    active: flag(),
    description: text(),
    createdBy: text(),
    actsAs: text('Whose rights it acts with: who changed it last; absent: who created it'),
    tags: tagListForm,
  },
  ['name', 'event'],
);

export const eventExecutionForm = object(
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
    eventHandler: eventHandlerForm,
  },
  ['id', 'messageId', 'name', 'event', 'created', 'status', 'output'],
);

export const eventMessageForm = object(
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
    eventExecutions: list(eventExecutionForm),
  },
  ['id', 'eventTarget', 'eventType', 'status', 'createdAt', 'payload', 'eventExecutions'],
);

export const handledEventsForm = object(
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
