// Routes of outgoing webhooks, operations of this server (docs/outgoing.md).
import {
  endpoint,
  listOf,
  nothing,
  one,
  query,
  shownOf,
  type AccessRule,
  type Endpoint,
} from '../../api/endpoint.js';
import { AppError } from '../../model/errors.js';
import type { RouteRequest } from '../../api/route.js';
import { text } from '../../model/schema.js';
import { integer } from '../../model/field.js';
import { record } from '../../model/record.js';
import type { Deliveries } from './deliveries.js';
import {
  deadLetter,
  deliveryLog,
  outgoingWebhook,
  type ShownDeadLetter,
  type ShownOutgoingWebhook,
} from './outgoing-webhook.js';
import type { OutgoingWebhooks } from './outgoing-webhooks.js';

const base = '/api/metadata/outgoing-webhook';
const errors = ['not-found'] as const;
const shown = { schema: outgoingWebhook.shown.schema } as const;
const redelivered = record('OutgoingRedelivered', {
  redelivered: integer({ about: 'Deliveries that are sent anew', required: true }),
});

export interface OutgoingRoutesParts {
  readonly webhooks: OutgoingWebhooks;
  readonly deliveries: Deliveries;
}

export function outgoingRoutes({ webhooks, deliveries }: OutgoingRoutesParts): Endpoint[] {
  return [...definitionRoutes(webhooks), ...deliveryRoutes(deliveries)];
}

function definitionRoutes(webhooks: OutgoingWebhooks): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'createOutgoingWebhook',
      summary: 'Creates an outgoing webhook. Only this answer shows its secret.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'CREATE' },
      body: outgoingWebhook.request,
      reply: one<ShownOutgoingWebhook>(shown),
      errors: ['conflict'],
      handle: ({ caller }, fields) => webhooks.create(caller, fields),
    }),
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listOutgoingWebhooks',
      summary: 'Lists outgoing webhooks by name.',
      access: { rule: 'each', type: 'WEBHOOK', right: 'READ' },
      reply: listOf<ShownOutgoingWebhook>(shown),
      handle: ({ caller }) => webhooks.list(caller),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:id`,
      name: 'getOutgoingWebhook',
      summary: 'Shows an outgoing webhook.',
      access: may('READ'),
      reply: one<ShownOutgoingWebhook>(shown),
      errors,
      handle: (request) => webhooks.show(request.param('id')),
    }),
    endpoint({
      method: 'PUT',
      pattern: `${base}/:id`,
      name: 'updateOutgoingWebhook',
      summary: 'Replaces an outgoing webhook; what is masked or absent keeps its secret.',
      access: may('UPDATE'),
      body: outgoingWebhook.request,
      reply: one<ShownOutgoingWebhook>(shown),
      errors,
      handle: (request, fields) => webhooks.update(request.caller, request.param('id'), fields),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteOutgoingWebhook',
      summary: 'Deletes an outgoing webhook; what waits for it is not sent.',
      access: may('DELETE'),
      reply: nothing,
      errors,
      handle: (request) => webhooks.delete(request.param('id')),
    }),
  ];
}

function deliveryRoutes(deliveries: Deliveries): Endpoint[] {
  const letters = `${base}/:id/dead-letters`;
  const parameters = {
    deliveryId: query(text('Deliveries that are meant; absent: all'), { repeated: true }),
  };
  return [
    endpoint({
      method: 'GET',
      pattern: `${base}/:id/deliveries`,
      name: 'listOutgoingDeliveries',
      summary: 'Shows the newest attempts to tell an outgoing webhook.',
      access: may('READ'),
      reply: shownOf(deliveryLog),
      errors,
      handle: (request) => deliveries.log(request.param('id')),
    }),
    endpoint({
      method: 'GET',
      pattern: letters,
      name: 'listOutgoingDeadLetters',
      summary: 'Shows the deliveries of an outgoing webhook that were given up, oldest first.',
      access: may('READ'),
      reply: listOf<ShownDeadLetter>(deadLetter.shown),
      errors,
      handle: (request) => deliveries.deadLetters(request.param('id')),
    }),
    endpoint({
      method: 'POST',
      pattern: `${letters}/redeliver`,
      name: 'redeliverOutgoingDeadLetters',
      summary: 'Sends deliveries anew that were given up.',
      access: may('EXECUTE'),
      parameters,
      reply: shownOf(redelivered),
      errors,
      handle: async (request) => {
        const ids = chosenOf(request);
        return { redelivered: await deliveries.redeliver(request.param('id'), ids) };
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: letters,
      name: 'deleteOutgoingDeadLetters',
      summary: 'Removes deliveries that were given up.',
      access: may('DELETE'),
      parameters,
      reply: nothing,
      errors,
      handle: (request) => deliveries.removeDeadLetters(request.param('id'), chosenOf(request)),
    }),
  ];
}

/** Absent: all deliveries. */
function chosenOf(request: RouteRequest): readonly string[] | undefined {
  request.onlyDeclaredQueries();
  if (request.query('deliveryId') === undefined) return undefined;
  const ids = request.queryAll('deliveryId');
  if (ids.some((id) => id !== '')) return ids;
  throw new AppError('bad-request', "Parameter 'deliveryId' must name a delivery");
}

function may(right: 'READ' | 'UPDATE' | 'EXECUTE' | 'DELETE'): AccessRule {
  return { rule: 'target', type: 'WEBHOOK', right, id: 'id' };
}
