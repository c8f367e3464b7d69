// Checks the access rule of an endpoint before its handler runs (contract-admin 5, 6). What the
// rule `each` asks is the operation's to check, because only it knows the objects.
import { requireRight, type AccessRules } from '../access/access-rules.js';
import { isAdministrator } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { AccessRule } from './endpoint.js';
import type { RouteRequest } from './route.js';

/** Throws AppError 'forbidden' unless the caller may. */
export type Guard = (request: RouteRequest) => void;

/** undefined when nothing is to be checked before the handler. */
export function createGuard(rule: AccessRule, access: AccessRules): Guard | undefined {
  switch (rule.rule) {
    case 'public':
    case 'caller':
    case 'each':
      return undefined;
    case 'administrator':
      return ({ caller }) => {
        if (!isAdministrator(caller)) throw lacks(caller.id, 'the role ADMIN');
      };
    case 'permission': {
      const { anyOf } = rule;
      return ({ caller }) => {
        if (anyOf.some((permission) => access.hasPermission(caller, permission))) return;
        throw lacks(caller.id, `any of the permissions ${anyOf.join(', ')}`);
      };
    }
    case 'target': {
      const { type, right } = rule;
      const idOf = readerOf(rule.id);
      return (request) => {
        if (isAdministrator(request.caller)) return;
        requireRight(access, request.caller, right, { type, id: idOf(request) });
      };
    }
  }
}

/** Reads a path variable, or after a `?` a query parameter. */
function readerOf(id: string): (request: RouteRequest) => string | undefined {
  if (!id.startsWith('?')) return (request) => request.param(id);
  const name = id.slice(1);
  return (request) => request.query(name);
}

function lacks(callerId: string, what: string): AppError {
  return new AppError('forbidden', `${callerId} does not have ${what}`);
}
