// Endpoints of secrets (contract-admin 7.2). Deleting an unknown secret answers 200: one client
// library would otherwise take its absence for a failure.
import { rights, type Right } from '../../access/access-rules.js';
import { parseRights } from '../../operation/identity/parse-identity.js';
import type { Secrets } from '../../operation/secrets/secrets.js';
import type { Tags } from '../../operation/tags/tags.js';
import { toTagJson } from '../../model/tag.js';
import { body, query, replies, repliesText, type Endpoint } from '../endpoint.js';
import { anyObject, flag, list, object, oneOf, text } from '../form.js';
import { empty, json, text as answerText } from '../route.js';
import { tagListForm, tagRoutes } from '../tag-routes.js';
import { textOf } from './text-body.js';

export interface SecretRouteParts {
  readonly secrets: Secrets;
  readonly tags: Tags;
}

const base = '/api/secrets';
const namesForm = list(text('Name of a secret'));
const maskedForm = object(
  'MaskedSecret',
  { name: text('Name'), partial: text('Always ***: no part of a value is shown') },
  ['name', 'partial'],
);
const reads = { rule: 'target', type: 'SECRET_NAME', right: 'READ', id: 'key' } as const;

export function secretRoutes(parts: SecretRouteParts): Endpoint[] {
  return [
    ...valueRoutes(parts),
    ...listRoutes(parts),
    ...cacheRoutes(),
    ...tagRoutes({
      tags: parts.tags,
      type: 'SECRET_NAME',
      resource: `${base}/:key`,
      noun: 'Secret',
      variables: ['key'],
      check: (name) => parts.secrets.require(name),
    }),
  ];
}

function valueRoutes({ secrets }: SecretRouteParts): Endpoint[] {
  return [
    {
      method: 'PUT',
      pattern: `${base}/:key`,
      name: 'putSecret',
      summary: 'Creates or replaces a secret.',
      access: { rule: 'each', type: 'SECRET_NAME', right: 'UPDATE' },
      parameters: {},
      body: body(text('The value: raw, or as a JSON string')),
      replies: replies(null),
      errors: [],
      handle: async (request) => {
        await secrets.put(request.caller, request.param('key'), textOf(request.text()));
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:key`,
      name: 'getSecret',
      summary: 'Shows the value of a secret.',
      access: reads,
      audit: 'secret-reads',
      parameters: {},
      body: null,
      replies: repliesText(text('The value')),
      errors: ['not-found'],
      handle: async (request) => answerText(await secrets.value(request.param('key'))),
    },
    {
      method: 'DELETE',
      pattern: `${base}/:key`,
      name: 'deleteSecret',
      summary: 'Deletes a secret with its tags and grants.',
      access: { rule: 'target', type: 'SECRET_NAME', right: 'DELETE', id: 'key' },
      parameters: {},
      body: null,
      replies: replies(null),
      errors: [],
      handle: async (request) => {
        const id = request.param('key');
        if (secrets.exists(id)) await secrets.delete(id);
        return empty();
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:key/exists`,
      name: 'hasSecret',
      summary: 'Tells whether there is a secret of the name.',
      access: reads,
      parameters: {},
      body: null,
      replies: replies(flag('Whether there is one')),
      errors: [],
      handle: (request) => json(secrets.exists(request.param('key'))),
    },
  ];
}

function listRoutes({ secrets, tags }: SecretRouteParts): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: base,
      name: 'listAllSecrets',
      summary: 'Lists the names of the secrets that the caller has any right on.',
      access: { rule: 'each', type: 'SECRET_NAME', right: 'READ' },
      audit: 'reads',
      parameters: {},
      body: body(anyObject, false),
      replies: replies(namesForm),
      errors: [],
      handle: ({ caller }) => {
        // The right to create is one on all names, those of others too.
        const held = rights.filter((right) => right !== 'CREATE');
        const names = held.flatMap((right) => secrets.names(caller, [right]));
        return json([...new Set(names)].sort());
      },
    },
    {
      method: 'GET',
      pattern: base,
      name: 'listSecrets',
      summary: 'Lists the names of the secrets on which the caller has all of the rights.',
      access: { rule: 'each', type: 'SECRET_NAME', right: 'READ' },
      parameters: { access: query(oneOf(rights, 'Rights; READ when absent'), { repeated: true }) },
      body: null,
      replies: replies(namesForm),
      errors: [],
      handle: (request) => {
        const wanted = parseRights(request.queryAll('access'), 'access');
        const asked: readonly Right[] = wanted.length === 0 ? ['READ'] : wanted;
        return json(secrets.names(request.caller, asked));
      },
    },
    {
      method: 'GET',
      pattern: `${base}/v2`,
      name: 'listMaskedSecrets',
      summary: 'Lists the secrets that the caller may read, with nothing of their values.',
      access: { rule: 'each', type: 'SECRET_NAME', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(list(maskedForm)),
      errors: [],
      handle: ({ caller }) =>
        json(secrets.names(caller, ['READ']).map((name) => ({ name, partial: '***' }))),
    },
    {
      method: 'GET',
      pattern: '/api/secrets-v2',
      name: 'listTaggedSecrets',
      summary: 'Lists the secrets that the caller may read, with their tags.',
      access: { rule: 'each', type: 'SECRET_NAME', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(
        list(object('ExtendedSecret', { name: text('Name'), tags: tagListForm }, ['name', 'tags'])),
      ),
      errors: [],
      handle: ({ caller }) =>
        json(
          secrets
            .names(caller, ['READ'])
            .map((name) => ({ name, tags: tags.of('SECRET_NAME', name).map(toTagJson) })),
        ),
    },
  ];
}

/** Secrets are followed by every node within a second; there is nothing to clear. */
function cacheRoutes(): Endpoint[] {
  return (['clearLocalCache', 'clearRedisCache'] as const).map((name) => ({
    method: 'GET',
    pattern: `${base}/${name}`,
    name: `${name}OfSecrets`,
    summary: 'Answers at once: secrets are never older than a second here.',
    access: { rule: 'administrator' },
    audit: 'routine',
    parameters: {},
    body: null,
    replies: replies(object('SecretCacheCleared', { message: text() }, ['message'])),
    errors: [],
    handle: () => json({ message: 'Secrets are kept up to date, there is no cache to clear' }),
  }));
}
