// The route that tries an event handler with an example message. This server's own; clients of the
// field do not know it.
import { wrongField } from '../../../model/errors.js';
import { custom, type Field } from '../../../model/field.js';
import { actionKinds, eventHandler, parseEventHandler } from '../event-handler.js';
import type { Json, JsonMap } from '../../../model/json.js';
import { toJsonText } from '../../../model/json-text.js';
import { ownRecord } from '../../../model/record.js';
import { present } from '../../../model/record-reader.js';
import { tryHandler, type HandlerTrial, type TrialParts } from '../handle/try-handler.js';
import { body, builtJson, endpoint, type Endpoint } from '../../../api/endpoint.js';
import { anyObject, anything, flag, list, object, oneOf, text } from '../../../model/schema.js';

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

const trialSchema = object(
  'EventHandlerTrial',
  {
    conditionHolds: flag(),
    conditionValue: { ...anything, description: 'What the condition answered' },
    conditionError: text('Why it failed'),
    actions: list(
      object(
        'TriedAction',
        {
          action: oneOf(actionKinds),
          payload: { ...anyObject, description: 'The object of the action, resolved' },
          error: text('With what it would be refused'),
        },
        ['action', 'payload'],
      ),
      'Also when the condition does not hold, and none would be carried out',
    ),
  },
  ['conditionHolds', 'actions'],
);

export function handlerTrialRoutes(parts: TrialParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: '/api/event/handler/test',
      name: 'testEventHandler',
      summary: 'Tries an event handler with an example message; nothing is carried out.',
      access: { rule: 'each', type: 'EVENT_HANDLER', right: 'CREATE' },
      body: body(trialRequest.schema),
      reply: builtJson(trialSchema),
      errors: ['validation'],
      handle: async (request) => {
        const sent = trialRequest.parse(request.json());
        const handler = parseEventHandler(sent.handler, 'handler');
        const payload = typeof sent.message === 'string' ? sent.message : toJsonText(sent.message);
        return toTrialJson(await tryHandler(parts, request.caller, handler, payload));
      },
    }),
  ];
}

function toTrialJson({ condition, actions }: HandlerTrial): JsonMap {
  return present({
    conditionHolds: condition.kind === 'holds',
    conditionValue: condition.kind === 'failed' ? undefined : condition.value,
    conditionError: condition.kind === 'failed' ? condition.reason : undefined,
    actions: actions.map((action) => present({ ...action }) as JsonMap),
  }) as JsonMap;
}
