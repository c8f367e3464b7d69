// Routes of the deliveries of outgoing webhooks, operations of this server (docs/outgoing.md).
import {
  endpoint,
  listOf,
  nothing,
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
import { deadLetter, deliveryLog, type ShownDeadLetter } from './outgoing-webhook.js';

const base = '/api/metadata/outgoing-webhook';
const errors = ['not-found'] as const;
const redelivered = record('OutgoingRedelivered', {
  redelivered: integer({ about: 'Deliveries that are sent anew', required: true }),
});

export function deliveryRoutes(deliveries: Deliveries): Endpoint[] {
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

function may(right: 'READ' | 'EXECUTE' | 'DELETE'): AccessRule {
  return { rule: 'target', type: 'WEBHOOK', right, id: 'id' };
}
