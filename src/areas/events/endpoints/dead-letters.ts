// Routes of dead letters: messages that an event handler could not deal with. This server's own;
// clients of the field do not know them.
import { AppError, wrongField } from '../../../model/errors.js';
import { ownRecord } from '../../../model/record.js';
import { texts } from '../../../model/field.js';
import { redeliver, redeliveredMax, type DeliveryParts } from '../handle/deliver-message.js';
import { deadLetterSchema } from '../dead-letter.js';
import type { EventHandlers } from '../event-handlers.js';
import { body, endpoint, nothing, query, type Endpoint } from '../../../api/endpoint.js';
import { integer, list, object, text } from '../../../model/schema.js';
import type { RouteRequest } from '../../../api/route.js';

const pattern = '/api/event/handler/:name/dead-letters';
const listedDefault = 100;
const listedMax = 1000;

/** An empty list is refused: a caller that computes one does not mean all of them. */
const chosen = ownRecord('DeadLetterIds', {
  ids: texts({
    about: 'Without a body: all that the operation is for',
    itemsMax: listedMax,
    check(ids, path) {
      if (ids.length === 0) throw wrongField(path, 'must name one dead letter at least');
    },
  }),
});

const redeliverySchema = object(
  'Redelivery',
  {
    done: list(text(), 'Dealt with now, and gone'),
    failed: list(object('FailedRedelivery', { id: text(), reason: text() }, ['id', 'reason'])),
  },
  ['done', 'failed'],
);

export function deadLetterRoutes({
  handlers,
  delivery,
}: {
  readonly handlers: EventHandlers;
  readonly delivery: DeliveryParts;
}): Endpoint[] {
  const { deadLetters } = delivery;
  return [
    endpoint({
      method: 'GET',
      pattern,
      name: 'listDeadLetters',
      summary: 'Lists the messages that a handler could not deal with, newest first.',
      access: { rule: 'target', type: 'EVENT_HANDLER', right: 'READ', id: 'name' },
      parameters: { size: query(integer('At most so many', { default: listedDefault })) },
      reply: list(deadLetterSchema),
      errors: ['not-found'],
      handle: async (request) => {
        const { name } = handlers.get(request.param('name'));
        const size = request.queryNumber('size');
        if (size < 1 || size > listedMax) {
          throw new AppError('bad-request', `size must be from 1 to ${listedMax}`);
        }
        const letters = await deadLetters.list(name, size);
        const shown = letters.map((letter) =>
          handlers.mayListen(request.caller, letter.event) ? letter : { ...letter, payload: '' },
        );
        return shown;
      },
    }),
    endpoint({
      method: 'POST',
      pattern: `${pattern}/redeliver`,
      name: 'redeliverDeadLetters',
      summary:
        `Delivers dead letters again, those of ids or, without a body, the newest ${redeliveredMax}: ` +
        'what failed is carried out again, what succeeded is not.',
      access: { rule: 'target', type: 'EVENT_HANDLER', right: 'EXECUTE', id: 'name' },
      body: body(chosen.schema, false),
      reply: redeliverySchema,
      errors: ['not-found', 'unavailable'],
      handle: async (request) => {
        const handler = handlers.get(request.param('name'));
        const { done, failed } = await redeliver(delivery, handler, idsOf(request));
        return { done, failed: failed.map(({ id, reason }) => ({ id, reason })) };
      },
    }),
    endpoint({
      method: 'POST',
      pattern: `${pattern}/discard`,
      name: 'discardDeadLetters',
      summary: 'Removes dead letters: those of ids, or, without a body, all.',
      access: { rule: 'target', type: 'EVENT_HANDLER', right: 'UPDATE', id: 'name' },
      body: body(chosen.schema, false),
      reply: nothing,
      errors: ['not-found'],
      handle: async (request) => {
        const { name } = handlers.get(request.param('name'));
        const ids = idsOf(request);
        await (ids === undefined ? deadLetters.forget(name) : deadLetters.remove(name, ids));
      },
    }),
  ];
}

/** undefined without a body. */
function idsOf(request: RouteRequest): readonly string[] | undefined {
  request.onlyDeclaredQueries();
  return request.hasBody ? chosen.parse(request.json()).ids : undefined;
}
