// The three tag routes that every tagged resource has: PUT adds, GET lists, DELETE removes
// (contract-admin 9.4). The area of the resource says whether it must exist.
import type { TargetType } from '../access/access-rules.js';
import type { Caller } from '../model/caller.js';
import type { ErrorKind } from '../model/errors.js';
import { parseTags, tagListSchema, toTagJson } from '../model/tag.js';
import type { Tags } from '../operation/tags/tags.js';
import { body, endpoint, nothing, type AccessRule, type Endpoint } from './endpoint.js';
import type { RouteRequest } from './route.js';

export interface TagRouteParts {
  readonly tags: Tags;
  readonly type: TargetType;
  /** Pattern of the resource; `/tags` follows. */
  readonly resource: string;
  /** For the names of the endpoints, such as `Secret`. */
  readonly noun: string;
  /** Path variables that make up the id, joined with `:`. */
  readonly variables: readonly string[];
  /** Throws AppError 'not-found' or 'forbidden'; absent: anything may be tagged. */
  readonly check?: (id: string, caller: Caller, right: 'READ' | 'UPDATE') => void;
}

export function tagRoutes(parts: TagRouteParts): Endpoint[] {
  const { tags, type, resource, noun, variables, check } = parts;
  const pattern = `${resource}/tags`;
  const errors: readonly ErrorKind[] = check === undefined ? [] : ['not-found'];
  const idOf = (request: RouteRequest, right: 'READ' | 'UPDATE'): string => {
    const id = variables.map((name) => request.param(name)).join(':');
    check?.(id, request.caller, right);
    return id;
  };
  const [id = ''] = variables;
  // An id of several parts is built here, so `check` has to refuse.
  const access = (right: 'READ' | 'UPDATE'): AccessRule =>
    variables.length === 1 ? { rule: 'target', type, right, id } : { rule: 'each', type, right };
  return [
    endpoint({
      method: 'PUT',
      pattern,
      name: `add${noun}Tags`,
      summary: 'Adds tags.',
      access: access('UPDATE'),
      body: body(tagListSchema),
      reply: nothing,
      errors,
      handle: async (request) => {
        const id = idOf(request, 'UPDATE');
        await tags.add(request.caller, { type, id }, parseTags(request.json(), ''));
      },
    }),
    endpoint({
      method: 'GET',
      pattern,
      name: `get${noun}Tags`,
      summary: 'Lists tags.',
      access: access('READ'),
      reply: tagListSchema,
      errors,
      handle: (request) => tags.of(type, idOf(request, 'READ')).map(toTagJson),
    }),
    endpoint({
      method: 'DELETE',
      pattern,
      name: `delete${noun}Tags`,
      summary: 'Removes tags by key and value.',
      access: access('UPDATE'),
      body: body(tagListSchema),
      reply: nothing,
      errors,
      handle: (request) => {
        const id = idOf(request, 'UPDATE');
        return tags.remove(request.caller, { type, id }, parseTags(request.json(), ''));
      },
    }),
  ];
}
