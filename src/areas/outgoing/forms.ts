// Forms of outgoing webhooks on the wire.
import { changeEvents } from '../../model/status-event.js';
import {
  flag,
  integer,
  list,
  mapOf,
  object,
  oneOf,
  text,
  time,
  type Form,
} from '../../api/form.js';
import { tagListForm } from '../../api/tag-routes.js';

const written = {
  name: text(),
  url: text('Address that is told, with http:// or https://'),
  events: list(oneOf(changeEvents), 'What it is told of'),
  workflowNames: list(text(), 'Names of workflow definitions; empty: all'),
  workflowTags: { ...tagListForm, description: 'Tags of the definition, one of which it carries' },
  taskNames: list(text(), 'Names of task definitions, for events of tasks; empty: all'),
  active: flag('False: it is told nothing more', { default: true }),
  attemptsMax: integer('Attempts before a delivery is given up', { default: 12 }),
  retryDelayMs: integer('Pause before the second attempt, doubled for each further one', {
    default: 5000,
  }),
  headers: mapOf(text(), 'Sent with each delivery; values are masked in all answers'),
  secretValue: text(
    'Key of the signatures: whsec_ and base64, or a text; drawn when absent; masked in all answers ' +
      'but that of the creation',
  ),
};

export const outgoingWebhookRequestForm: Form = object('OutgoingWebhookRequest', written, [
  'name',
  'url',
  'events',
]);

export const outgoingWebhookForm: Form = object(
  'OutgoingWebhook',
  {
    ...written,
    id: text(),
    createdBy: text(),
    actsAs: text('Whose rights it acts with: who changed it last; absent: who created it'),
    createdAt: time(),
  },
  ['id', 'name', 'url', 'events', 'active', 'attemptsMax', 'retryDelayMs', 'createdAt'],
);

export const deliveriesForm: Form = object(
  'OutgoingDeliveries',
  {
    waiting: integer('Deliveries on their way'),
    attempts: list(
      object(
        'OutgoingDeliveryAttempt',
        {
          deliveryId: text('Header webhook-id of the delivery'),
          eventType: oneOf(changeEvents),
          attempt: integer('1 for the first; 0: none was made'),
          time: time(),
          durationMs: integer(),
          status: integer('HTTP status of the answer; 0: there was none'),
          outcome: oneOf(['DELIVERED', 'RETRY', 'DEAD']),
          error: text('Why it failed'),
        },
        ['deliveryId', 'eventType', 'attempt', 'time', 'durationMs', 'status', 'outcome', 'error'],
      ),
      'Newest first',
    ),
  },
  ['waiting', 'attempts'],
);

export const deadLettersForm: Form = list(
  object(
    'OutgoingDeadLetter',
    {
      deliveryId: text(),
      eventType: oneOf(changeEvents),
      body: text('JSON text that was sent'),
      createdAt: time(),
      diedAt: time(),
      attempts: integer(),
      lastError: text(),
    },
    ['deliveryId', 'eventType', 'body', 'createdAt', 'diedAt', 'attempts', 'lastError'],
  ),
  'Oldest first',
);

export const redeliveredForm: Form = object(
  'OutgoingRedelivered',
  { redelivered: integer('Deliveries that are sent anew') },
  ['redelivered'],
);
