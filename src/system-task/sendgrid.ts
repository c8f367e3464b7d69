// SENDGRID (semantics 4.23): sends a mail through the service of that name.
import type { Json, JsonMap } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';
import { FinalFailure } from './final-failure.js';
import { configured, required } from './open-integration.js';
import { postToService } from './service-call.js';
import {
  completed,
  failed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
} from './system-task.js';
import { checkParameters, list, requiredText, TaskInput, text } from './task-input.js';

const parameters = {
  from: requiredText,
  to: { ...list, isRequired: true },
  subject: text,
  contentType: { kind: 'text', oneOf: ['text/plain', 'text/html'] },
  content: requiredText,
  sendgridConfiguration: requiredText,
} as const;
const service = 'https://api.sendgrid.com';

export const sendgridTask: SystemTaskType = {
  ...ordinaryType,
  name: 'SENDGRID',
  reaches: [{ right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`sendgridConfiguration`' }],
  check: checkParameters(parameters),
  create: createSendgridTask,
};

export function createSendgridTask(
  services: Pick<SystemTaskServices, 'client' | 'integrations'>,
): SystemTask {
  const { integrations } = services;
  return {
    ...ordinaryRun,
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const name = input.text('sendgridConfiguration');
      const user = integrations.userOf(run);
      const integration = await integrations.provider(user, name, ['EMAIL']);
      const base = configured(integration, 'endpoint') || service;
      const response = await postToService(services.client, run, {
        url: `${base.replace(/\/+$/, '')}/v3/mail/send`,
        headers: { authorization: `Bearer ${required(integration, 'api_key')}` },
        body: toJsonText(mailOf(input)),
      });
      const output = { response };
      const { statusCode, reasonPhrase } = response;
      if (statusCode < 300) return completed(run, output);
      return failed(`SendGrid answered ${statusCode} ${reasonPhrase}`, output);
    },
  };
}

function mailOf(input: TaskInput): JsonMap {
  return {
    personalizations: [{ to: input.list('to').map(addressOf) }],
    from: addressOf(input.text('from')),
    subject: input.text('subject'),
    content: [
      {
        type: input.text('contentType').toLowerCase() || 'text/plain',
        value: input.text('content'),
      },
    ],
  };
}

/** `a@b.c` or `Name <a@b.c>`. */
function addressOf(given: Json): JsonMap {
  if (typeof given !== 'string' || !given.includes('@')) {
    throw new FinalFailure('inputParameters.from and to must hold mail addresses');
  }
  const named = /^(.*?)\s*<([^<>]+)>$/.exec(given.trim());
  if (named === null) return { email: given.trim() };
  return { email: named[2] ?? '', name: named[1] ?? '' };
}
