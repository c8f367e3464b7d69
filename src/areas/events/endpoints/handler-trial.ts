// The route that tries an event handler with an example message. This server's own; clients of the
// field do not know it.
import { AppError } from '../../../model/errors.js';
import { actionKinds, eventHandler, parseEventHandler } from '../event-handler.js';
import type { Json, JsonMap } from '../../../model/json.js';
import { toJsonText } from '../../../model/json-text.js';
import { present, RecordReader } from '../../../model/record-reader.js';
import { tryHandler, type HandlerTrial, type TrialParts } from '../handle/try-handler.js';
import { body, builtJson, endpoint, type Endpoint } from '../../../api/endpoint.js';
import { anyObject, anything, flag, list, object, oneOf, text } from '../../../model/schema.js';

const requestSchema = object(
  'EventHandlerTrialRequest',
  {
    handler: eventHandler.request.schema,
    message: { ...anything, description: 'An example; a text is what would be published' },
  },
  ['handler', 'message'],
);

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
      body: body(requestSchema),
      reply: builtJson(trialSchema),
      errors: ['validation'],
      handle: async (request) => {
        const reader = new RecordReader(request.json(), '');
        reader.only(Object.keys(requestSchema.properties ?? {}));
        if (reader.raw('handler') === undefined) throw required('handler');
        if (!reader.has('message')) throw required('message');
        const handler = parseEventHandler(reader.raw('handler'), 'handler');
        const message = (reader.raw('message') ?? null) as Json;
        const payload = typeof message === 'string' ? message : toJsonText(message);
        return toTrialJson(await tryHandler(parts, request.caller, handler, payload));
      },
    }),
  ];
}

function required(field: string): AppError {
  return new AppError('bad-request', `${field} is required`);
}

function toTrialJson({ condition, actions }: HandlerTrial): JsonMap {
  return present({
    conditionHolds: condition.kind === 'holds',
    conditionValue: condition.kind === 'failed' ? undefined : condition.value,
    conditionError: condition.kind === 'failed' ? condition.reason : undefined,
    actions: actions.map((action) => present({ ...action }) as JsonMap),
  }) as JsonMap;
}
