// Tells what the server serves and what of it the caller may use.
import type { AccessRules } from '../access/access-rules.js';
import { isAdministrator } from '../model/caller.js';
import { lackOf } from './access-guard.js';
import { endpoint, type Endpoint } from './endpoint.js';
import * as schema from '../model/schema.js';
import { plainId } from '../model/subject.js';

/** A user with a password, an access key, or a user of the identity provider. */
export const signInKinds = ['password', 'key', 'provider'] as const;

export const featuresSchema: schema.Schema = schema.object(
  'Features',
  {
    version: schema.text('Version of the server'),
    durability: schema.text('Durability level in force (invariants section 2)'),
    basePath: schema.text('Path below which everything is served too; empty for none'),
    environment: schema.text('What the operator calls this environment; empty for nothing'),
    signIn: schema.list(
      schema.oneOf(signInKinds),
      'How one may sign in; none without authentication',
    ),
    areas: schema.list(
      schema.text('One or two first segments of paths below /api that are served'),
    ),
    user: schema.object(
      'FeaturesUser',
      {
        id: schema.text('Who asks; empty without authentication'),
        administrator: schema.flag('Whether this caller may do everything'),
        closed: schema.list(
          schema.text(),
          'Routes that no role of this caller opens, such as `GET /api/users/:id`',
        ),
      },
      ['id', 'administrator', 'closed'],
    ),
  },
  ['version', 'durability', 'basePath', 'environment', 'signIn', 'areas', 'user'],
);

export interface ServerFeatures {
  readonly version: string;
  readonly durability: string;
  readonly basePath: string;
  /** The operator's name of this environment; '' for none. */
  readonly environment: string;
  readonly signIn: readonly (typeof signInKinds)[number][];
}

/** The endpoints together with the one that tells which areas they serve. */
export function withFeatures(
  endpoints: readonly Endpoint[],
  access: AccessRules,
  server: ServerFeatures,
): Endpoint[] {
  const paths = endpoints.map(({ pattern }) => pattern.split('/'));
  const ofApi = paths.filter(([, root, area]) => root === 'api' && isLiteral(area));
  const names = ofApi.flatMap(([, , area, part]) =>
    isLiteral(part) ? [String(area), `${area}/${part}`] : [String(area)],
  );
  const served = [...new Set(names)].sort();
  return [
    ...endpoints,
    endpoint({
      method: 'GET',
      pattern: '/api/features',
      name: 'getFeatures',
      summary: 'Tells what this server serves and who asks.',
      access: { rule: 'caller' },
      reply: featuresSchema,
      handle: ({ caller }) => {
        const closed = endpoints
          .filter((endpoint) => lackOf(endpoint.access, access, caller) !== undefined)
          .map(({ method, pattern }) => `${method} ${pattern}`);
        const user = { id: plainId(caller.id), administrator: isAdministrator(caller), closed };
        return { ...server, areas: served, user };
      },
    }),
  ];
}

function isLiteral(segment: string | undefined): boolean {
  return segment !== undefined && segment !== '' && !segment.startsWith(':');
}
