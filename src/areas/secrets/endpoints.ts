// Endpoints of secrets (contract-admin 7.2). Deleting an unknown secret answers 200: one client
// library would otherwise take its absence for a failure.
import { rights, type Right } from '../../access/access-rules.js';
import {
  endpoint,
  listOf,
  nothing,
  one,
  plainText,
  query,
  shownOf,
  type Endpoint,
  type Intake,
} from '../../api/endpoint.js';
import {
  anyObject,
  flag as flagSchema,
  object,
  oneOf,
  text as textSchema,
} from '../../model/schema.js';
import { tagRoutes } from '../../api/tag-routes.js';
import { text } from '../../model/field.js';
import type { ShownOf } from '../../declare/noun.js';
import { record } from '../../model/record.js';
import { parseRights } from '../../access/parse-rights.js';
import type { Tags } from '../../operation/tags/tags.js';
import { secret, type Secrets } from './secrets.js';
import { sentText } from './sent-value.js';

const base = '/api/secrets';
const names = listOf<string>({ schema: textSchema('Name of a secret') });
const masked = record('MaskedSecret', {
  name: text({ about: 'Name', required: true }),
  partial: text({ about: 'Always ***: no part of a value is shown', required: true }),
});
const cleared = record('SecretCacheCleared', { message: text({ required: true }) });
/** A body that clients send and that says nothing. */
const ignored: Intake<void> = { schema: anyObject, isRequired: false, of: () => undefined };
const target = (right: 'READ' | 'DELETE') =>
  ({ rule: 'target', type: 'SECRET_NAME', right, id: 'key' }) as const;
const each = (right: 'READ' | 'UPDATE') => ({ rule: 'each', type: 'SECRET_NAME', right }) as const;

export function secretRoutes(secrets: Secrets, tags: Tags): Endpoint[] {
  return [
    ...valueRoutes(secrets),
    ...listRoutes(secrets),
    ...cacheRoutes(),
    ...tagRoutes({
      tags,
      type: 'SECRET_NAME',
      resource: `${base}/:key`,
      noun: 'Secret',
      variables: ['key'],
      check: (name) => secrets.require(name),
    }),
  ];
}

function valueRoutes(secrets: Secrets): Endpoint[] {
  return [
    endpoint({
      method: 'PUT',
      pattern: `${base}/:key`,
      name: 'putSecret',
      summary: 'Creates or replaces a secret.',
      access: each('UPDATE'),
      body: sentText,
      reply: nothing,
      handle: (request, value) => secrets.put(request.caller, request.param('key'), value),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:key`,
      name: 'getSecret',
      summary: 'Shows the value of a secret.',
      access: target('READ'),
      audit: 'secret-reads',
      reply: plainText('The value'),
      errors: ['not-found'],
      handle: (request) => secrets.value(request.param('key')),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:key`,
      name: 'deleteSecret',
      summary: 'Deletes a secret with its tags and grants.',
      access: target('DELETE'),
      reply: nothing,
      async handle(request) {
        const id = request.param('key');
        if (secrets.exists(id)) await secrets.delete(id);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:key/exists`,
      name: 'hasSecret',
      summary: 'Tells whether there is a secret of the name.',
      access: target('READ'),
      reply: one<boolean>({ schema: flagSchema('Whether there is one') }),
      handle: (request) => secrets.exists(request.param('key')),
    }),
  ];
}

function listRoutes(secrets: Secrets): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'listAllSecrets',
      summary: 'Lists the names of the secrets that the caller has any right on.',
      access: each('READ'),
      audit: 'reads',
      body: ignored,
      reply: names,
      lists: {
        called: 'Secret',
        about: 'Definitions refer to them as ${workflow.secrets.NAME}; nobody can read them back.',
        written: object('SentSecret', { value: textSchema('Can be written, not read') }, ['value']),
        ...{ shown: secret.shown.schema, columns: ['name'], key: ['name'] },
      },
      handle: ({ caller }) => {
        // The right to create is one on all names, those of others too.
        const held = rights.filter((right) => right !== 'CREATE');
        return [...new Set(held.flatMap((right) => secrets.names(caller, [right])))].sort();
      },
    }),
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listSecrets',
      summary: 'Lists the names of the secrets on which the caller has all of the rights.',
      access: each('READ'),
      parameters: { access: query(oneOf(rights, 'Rights; READ when absent'), { repeated: true }) },
      reply: names,
      handle: (request) => {
        const wanted = parseRights(request.queryAll('access'), 'access');
        const asked: readonly Right[] = wanted.length === 0 ? ['READ'] : wanted;
        return secrets.names(request.caller, asked);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/v2`,
      name: 'listMaskedSecrets',
      summary: 'Lists the secrets that the caller may read, with nothing of their values.',
      access: each('READ'),
      reply: listOf(masked),
      handle: ({ caller }) =>
        secrets.names(caller, ['READ']).map((name) => ({ name, partial: '***' })),
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/secrets-v2',
      name: 'listTaggedSecrets',
      summary: 'Lists the secrets that the caller may read, with their tags.',
      access: each('READ'),
      reply: listOf<ShownOf<typeof secret>>(secret.shown),
      handle: ({ caller }) => secrets.tagged(caller),
    }),
  ];
}

/** Secrets are followed by every node within a second; there is nothing to clear. */
function cacheRoutes(): Endpoint[] {
  return (['clearLocalCache', 'clearRedisCache'] as const).map((name) =>
    endpoint({
      method: 'GET',
      pattern: `${base}/${name}`,
      name: `${name}OfSecrets`,
      summary: 'Answers at once: secrets are never older than a second here.',
      access: { rule: 'administrator' },
      audit: 'routine',
      reply: shownOf(cleared),
      handle: () => ({ message: 'Secrets are kept up to date, there is no cache to clear' }),
    }),
  );
}
