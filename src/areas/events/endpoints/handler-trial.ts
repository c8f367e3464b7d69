// The route that tries an event handler with an example message. This server's own; clients of the
// field do not know it.
import { wrongField } from '../../../model/errors.js';
import { custom, type Field } from '../../../model/field.js';
import { eventHandler, parseEventHandler } from '../event-handler.js';
import type { Json } from '../../../model/json.js';
import { toJsonText } from '../../../model/json-text.js';
import { ownRecord } from '../../../model/record.js';
import { tryHandler, type TrialParts } from '../handle/try-handler.js';
import { body, endpoint, type Endpoint } from '../../../api/endpoint.js';
import { anything } from '../../../model/schema.js';
import { trialSchema } from './schemas.js';

const message: Field<Json, 'required'> = {
  presence: 'required',
  schema: { ...anything, description: 'An example; a text is what would be published' },
  read(reader, name) {
    if (!reader.has(name)) throw wrongField(reader.pathOf(name), 'is required');
    return (reader.raw(name) ?? null) as Json;
  },
};

const trialRequest = ownRecord('EventHandlerTrialRequest', {
  handler: custom(eventHandler.request.schema, (sent) => sent, { required: true }),
  message,
});

export function handlerTrialRoutes(parts: TrialParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: '/api/event/handler/test',
      name: 'testEventHandler',
      summary: 'Tries an event handler with an example message; nothing is carried out.',
      access: { rule: 'each', type: 'EVENT_HANDLER', right: 'CREATE' },
      body: body(trialRequest.schema),
      reply: trialSchema,
      errors: ['validation'],
      handle: async (request) => {
        const sent = trialRequest.parse(request.json());
        const handler = parseEventHandler(sent.handler, 'handler');
        const payload = typeof sent.message === 'string' ? sent.message : toJsonText(sent.message);
        return await tryHandler(parts, request.caller, handler, payload);
      },
    }),
  ];
}
