// SENDGRID (semantics 4.23): sends a mail through the service of that name.
import {
  type Json,
  type JsonMap,
  toJsonText,
  FinalFailure,
  configured,
  required,
  completed,
  failed,
  list,
  requiredText,
  parameterTask,
  type TaskInput,
  text,
} from '@downbeat/plugin';
import { postToService } from './service-call.js';

const parameters = {
  from: requiredText,
  to: { ...list, isRequired: true },
  subject: text,
  contentType: { kind: 'text', oneOf: ['text/plain', 'text/html'] },
  content: requiredText,
  sendgridConfiguration: requiredText,
} as const;
const service = 'https://api.sendgrid.com';

export const sendgridTask = parameterTask({
  name: 'SENDGRID',
  reaches: [{ right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`sendgridConfiguration`' }],
  parameters,
  async run({ client, integrations }, run, input) {
    const name = input.text('sendgridConfiguration');
    const integration = await integrations.provider(run, name, ['EMAIL']);
    const base = configured(integration, 'endpoint') || service;
    const response = await postToService(client, run, {
      url: `${base.replace(/\/+$/, '')}/v3/mail/send`,
      headers: { authorization: `Bearer ${required(integration, 'api_key')}` },
      body: toJsonText(mailOf(input)),
    });
    const output = { response };
    const { statusCode, reasonPhrase } = response;
    if (statusCode < 300) return completed(run, output);
    return failed(`SendGrid answered ${statusCode} ${reasonPhrase}`, output);
  },
});

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
