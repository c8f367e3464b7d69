// Routes of outgoing webhooks, operations of this server (docs/outgoing.md).
import type { Json } from '../../model/json.js';
import { parseOutgoingWebhook } from './parse-outgoing-webhook.js';
import type { Deliveries } from './deliveries.js';
import type { OutgoingWebhooks } from './outgoing-webhooks.js';
import { body, query, replies, type AccessRule, type Endpoint } from '../../api/endpoint.js';
import { list, text } from '../../api/form.js';
import type { ApiResponse } from '../../api/http-server.js';
import { empty, json } from '../../api/route.js';
import {
  deadLettersForm,
  deliveriesForm,
  outgoingWebhookForm,
  outgoingWebhookRequestForm,
  redeliveredForm,
} from './forms.js';

const base = '/api/metadata/outgoing-webhook';
const entry = { parameters: {}, body: null, errors: ['not-found'] } as const;

export interface OutgoingRoutesParts {
  readonly webhooks: OutgoingWebhooks;
  readonly deliveries: Deliveries;
}

export function outgoingRoutes({ webhooks, deliveries }: OutgoingRoutesParts): Endpoint[] {
  return [...definitionRoutes(webhooks), ...deliveryRoutes(deliveries)];
}

function definitionRoutes(webhooks: OutgoingWebhooks): Endpoint[] {
  return [
    {
      ...entry,
      method: 'POST',
      pattern: base,
      name: 'createOutgoingWebhook',
      summary: 'Creates an outgoing webhook. Only this answer shows its secret.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'CREATE' },
      body: body(outgoingWebhookRequestForm),
      replies: replies(outgoingWebhookForm),
      errors: ['conflict'],
      handle: async (request) =>
        json(await webhooks.create(request.caller, parseOutgoingWebhook(request.json()))),
    },
    {
      ...entry,
      method: 'GET',
      pattern: base,
      name: 'listOutgoingWebhooks',
      summary: 'Lists outgoing webhooks by name.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'READ' },
      replies: replies(list(outgoingWebhookForm)),
      errors: [],
      handle: ({ caller }) => json(webhooks.list(caller)),
    },
    {
      ...entry,
      method: 'GET',
      pattern: `${base}/:id`,
      name: 'getOutgoingWebhook',
      summary: 'Shows an outgoing webhook.',
      access: may('READ'),
      replies: replies(outgoingWebhookForm),
      handle: (request) => json(webhooks.show(request.param('id'))),
    },
    {
      ...entry,
      method: 'PUT',
      pattern: `${base}/:id`,
      name: 'updateOutgoingWebhook',
      summary: 'Replaces an outgoing webhook; what is masked or absent keeps its secret.',
      access: may('UPDATE'),
      body: body(outgoingWebhookRequestForm),
      replies: replies(outgoingWebhookForm),
      handle: async (request) => {
        const fields = parseOutgoingWebhook(request.json());
        return json(await webhooks.update(request.caller, request.param('id'), fields));
      },
    },
    {
      ...entry,
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteOutgoingWebhook',
      summary: 'Deletes an outgoing webhook; what waits for it is not sent.',
      access: may('DELETE'),
      replies: replies(null),
      handle: async (request) => {
        await webhooks.delete(request.param('id'));
        return empty();
      },
    },
  ];
}

function deliveryRoutes(deliveries: Deliveries): Endpoint[] {
  const letters = `${base}/:id/dead-letters`;
  const which = {
    deliveryId: query(text('Deliveries that are meant; absent: all'), { repeated: true }),
  };
  return [
    {
      ...entry,
      method: 'GET',
      pattern: `${base}/:id/deliveries`,
      name: 'listOutgoingDeliveries',
      summary: 'Shows the newest attempts to tell an outgoing webhook.',
      access: may('READ'),
      replies: replies(deliveriesForm),
      handle: async (request) => answer(await deliveries.log(request.param('id'))),
    },
    {
      ...entry,
      method: 'GET',
      pattern: letters,
      name: 'listOutgoingDeadLetters',
      summary: 'Shows the deliveries of an outgoing webhook that were given up.',
      access: may('READ'),
      replies: replies(deadLettersForm),
      handle: async (request) => answer(await deliveries.deadLetters(request.param('id'))),
    },
    {
      ...entry,
      method: 'POST',
      pattern: `${letters}/redeliver`,
      name: 'redeliverOutgoingDeadLetters',
      summary: 'Sends deliveries anew that were given up.',
      access: may('EXECUTE'),
      parameters: which,
      replies: replies(redeliveredForm),
      handle: async (request) => {
        const ids = request.queryAll('deliveryId');
        return json({ redelivered: await deliveries.redeliver(request.param('id'), ids) });
      },
    },
    {
      ...entry,
      method: 'DELETE',
      pattern: letters,
      name: 'deleteOutgoingDeadLetters',
      summary: 'Removes deliveries that were given up.',
      access: may('DELETE'),
      parameters: which,
      replies: replies(null),
      handle: async (request) => {
        await deliveries.removeDeadLetters(request.param('id'), request.queryAll('deliveryId'));
        return empty();
      },
    },
  ];
}

function may(right: 'READ' | 'UPDATE' | 'EXECUTE' | 'DELETE'): AccessRule {
  return { rule: 'target', type: 'WEBHOOK', right, id: 'id' };
}

function answer(value: object): ApiResponse {
  return json(value as Json);
}
