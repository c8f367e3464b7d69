// The two deletions that every named resource with versions has: all of it, or one version.
import type { TargetType } from '../access/access-rules.js';
import { replies, type AccessRule, type Endpoint } from './endpoint.js';
import { integer } from './form.js';
import { empty } from './route.js';

export interface DeletionRouteParts {
  readonly type: TargetType;
  /** Pattern of the resource; its variable is `name`. */
  readonly resource: string;
  /** Pattern of one version; its variables are `name` and `version`. */
  readonly version: string;
  /** For the names of the endpoints, such as `Schema`. */
  readonly noun: string;
  /** For the summaries, such as `schema`. */
  readonly called: string;
  /** Rejects with AppError 'not-found'. */
  readonly deleteAll: (name: string) => Promise<void>;
  /** Rejects with AppError 'not-found'. */
  readonly deleteVersion: (name: string, version: number) => Promise<void>;
}

export function deletionRoutes(parts: DeletionRouteParts): Endpoint[] {
  const { type, noun, called } = parts;
  const access: AccessRule = { rule: 'target', type, right: 'DELETE', id: 'name' };
  return [
    {
      method: 'DELETE',
      pattern: parts.resource,
      name: `delete${noun}`,
      summary: `Deletes a ${called} with all its versions.`,
      access,
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await parts.deleteAll(request.param('name'));
        return empty();
      },
    },
    {
      method: 'DELETE',
      pattern: parts.version,
      name: `delete${noun}Version`,
      summary: `Deletes one version of a ${called}.`,
      access,
      parameters: {},
      path: { version: integer() },
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        await parts.deleteVersion(request.param('name'), request.paramInteger('version'));
        return empty();
      },
    },
  ];
}
