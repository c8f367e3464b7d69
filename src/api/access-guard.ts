// Checks the access rule of an endpoint before its handler runs (contract-admin 5, 6). The
// operation checks the rule `each`, because only it knows the objects.
import { requireRight, type AccessRules } from '../access/access-rules.js';
import { isAdministrator, type Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { AccessRule } from './endpoint.js';
import type { RouteRequest } from './route.js';
import { plainId } from '../model/subject.js';

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
    case 'permission':
      return ({ caller }) => {
        const lack = lackOf(rule, access, caller);
        if (lack !== undefined) throw lacks(plainId(caller.id), lack);
      };
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

/**
 * The right that the caller lacks whatever the call is about; undefined: none, or the call decides.
 */
export function lackOf(rule: AccessRule, access: AccessRules, caller: Caller): string | undefined {
  if (rule.rule === 'administrator') return isAdministrator(caller) ? undefined : 'the role ADMIN';
  if (rule.rule !== 'permission') return undefined;
  const { anyOf } = rule;
  if (anyOf.some((permission) => access.hasPermission(caller, permission))) return undefined;
  return `any of the permissions ${anyOf.join(', ')}`;
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
