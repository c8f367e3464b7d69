// Kinds that an import brings and that have no files: variables of the environment, groups and
// users. A grant is added to what the subject has already: an import takes no right away.
import type { ApiClient } from '../shared/api-client.js';
import { isObject, objectOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';
import { grant, kinds, listed, own, type Kind } from '../apply/kinds.js';

const esc = encodeURIComponent;
const idOf = (body: JsonObject): string => textOf(body['id']);

const variable: Kind = {
  name: 'variable',
  folder: 'environment variables',
  idOf: (body) => textOf(body['name']),
  required: ['name', 'value'],
  list: async (client) => {
    const found = await client.find('/api/environment');
    // Older servers answer an object of values.
    if (isObject(found))
      return Object.entries(found).map(([name, value]) => ({ name, value: textOf(value) }));
    return found === undefined ? undefined : objectsOf(found);
  },
  put: (client, body) =>
    client.call('PUT', `/api/environment/${esc(textOf(body['name']))}`, {
      rawBody: textOf(body['value']),
    }),
  remove: (client, found) => client.delete(`/api/environment/${esc(textOf(found['name']))}`),
  defaults: {},
  uncompared: own,
};

const group: Kind = {
  name: 'group',
  folder: 'groups',
  idOf,
  required: ['id', 'description'],
  normal: (body) => ({
    id: idOf(body),
    description: textOf(body['description']),
    roles: namesIn(body['roles'], 'name'),
    defaultAccess: objectOf(body['defaultAccess']),
  }),
  list: async (client) => (await listed(client, '/api/groups'))?.map(normalOf),
  put: (client, { id, ...body }) => client.put(`/api/groups/${esc(textOf(id))}`, body),
  remove: (client, found) => client.delete(`/api/groups/${esc(idOf(found))}`),
  defaults: {},
  uncompared: own,
};

const user: Kind = {
  name: 'user',
  folder: 'users',
  idOf: (body) => idOf(body).toLowerCase(),
  required: ['id', 'name'],
  normal: (body) => ({
    id: idOf(body).toLowerCase(),
    name: textOf(body['name']) || idOf(body),
    roles: namesIn(body['roles'], 'name'),
    groups: namesIn(body['groups'], 'id'),
  }),
  list: async (client) =>
    (await listed(client, '/api/users'))
      ?.filter((body) => body['applicationUser'] !== true && !idOf(body).startsWith('app:'))
      .map((body) => user.normal?.(body) ?? body),
  put: (client, { id, ...body }) => client.put(`/api/users/${esc(textOf(id))}`, body),
  remove: (client, found) => client.delete(`/api/users/${esc(idOf(found))}`),
  defaults: {},
  uncompared: own,
};

const addedGrant: Kind = {
  ...grant,
  put: (client, body) => client.post('/api/auth/authorization', body),
};

function normalOf(body: JsonObject): JsonObject {
  return group.normal?.(body) ?? body;
}

/** Roles and groups are objects in answers, and their names in requests. */
function namesIn(list: unknown, field: string): string[] {
  const entries = Array.isArray(list) ? (list as unknown[]) : [];
  return entries
    .map((entry) => (isObject(entry) ? textOf(entry[field]) : textOf(entry)))
    .filter((name) => name !== '')
    .sort();
}

/** In the order in which they are stored. */
export const importKinds: readonly Kind[] = [
  variable,
  ...kinds.filter((kind) => kind !== grant),
  group,
  user,
  addedGrant,
];

/** Direct grants of all users and groups of a server; a grant that comes by a tag is the tag's. */
export async function grantsOf(
  client: ApiClient,
  subjects: readonly { readonly type: 'USER' | 'GROUP'; readonly id: string }[],
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (const subject of subjects) {
    const folder = subject.type === 'USER' ? 'users' : 'groups';
    const answer = objectOf(await client.find(`/api/${folder}/${esc(subject.id)}/permissions`));
    for (const entry of objectsOf(answer['grantedAccess'])) {
      const { target, access, tag } = entry;
      if (tag !== undefined && tag !== null) continue;
      const { type, id } = objectOf(target);
      found.push({ subject, target: { type, id }, access });
    }
  }
  return found.map((body) => grant.normal?.(body) ?? body);
}

/** Kinds by the words of `--kind`. */
export const isGrant = (kind: Kind): boolean => kind === addedGrant;
export const isUser = (kind: Kind): boolean => kind === user;
export const isGroup = (kind: Kind): boolean => kind === group;
