// Tells a caller its rights before it acts: for clients that show only what would work.
import { rights, targetTypes, type AccessRules, type TargetType } from '../access/access-rules.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import { endpoint, query, type Endpoint } from './endpoint.js';
import * as schema from '../model/schema.js';

export function rightsRoutes(access: AccessRules): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: '/api/rights',
      name: 'getRights',
      summary: 'Tells which rights the caller has on a resource, or on all of a type.',
      access: { rule: 'caller' },
      parameters: {
        type: query(schema.oneOf(targetTypes, 'Type of the resource'), { required: true }),
        id: query(schema.text('Its name or id; absent: every resource of the type')),
      },
      reply: schema.list(schema.oneOf(rights), 'CREATE also where a permission to create suffices'),
      handle: (request) => {
        const type = targetTypes.find((each) => each === request.query('type'));
        if (type === undefined) {
          throw new AppError('bad-request', "Parameter 'type' is no type of resources");
        }
        const { caller } = request;
        const target = { type, id: request.query('id') || undefined };
        return rights.filter(
          (right) =>
            access.may(caller, right, target) ||
            (right === 'CREATE' && mayCreate(access, caller, type)),
        );
      },
    }),
  ];
}

/** By a permission of a role (contract-admin 5.1). */
function mayCreate(access: AccessRules, caller: Caller, type: TargetType): boolean {
  return access.hasPermission(caller, `CREATE_${type}`);
}
