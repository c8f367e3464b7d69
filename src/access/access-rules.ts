// The rules of access: which caller may do what with which resource (contract-admin 6). Operations
// ask these rules for each object that they touch; endpoints declare which rule applies to them.
import { AppError } from '../model/errors.js';
import { isAdministrator, type Caller } from '../model/caller.js';
import type { OwnedExecution } from './owned-execution.js';
import { plainId } from '../model/subject.js';

/** Access types of a grant (contract-admin 6.1). */
export const rights = ['CREATE', 'READ', 'EXECUTE', 'UPDATE', 'DELETE'] as const;
export type Right = (typeof rights)[number];

/** Kinds of resources that grants name (contract-admin 6.2). */
export const targetTypes = [
  'WORKFLOW',
  'WORKFLOW_DEF',
  'WORKFLOW_SCHEDULE',
  'EVENT_HANDLER',
  'TASK_DEF',
  'TASK_REF_NAME',
  'TASK_ID',
  'APPLICATION',
  'USER',
  'GROUP',
  'ROLE',
  'SECRET_NAME',
  'ENV_VARIABLE',
  'TAG',
  'DOMAIN',
  'INTEGRATION_PROVIDER',
  'INTEGRATION',
  'PROMPT',
  'USER_FORM_TEMPLATE',
  'SCHEMA',
  'CLUSTER_CONFIG',
  'WEBHOOK',
  'API_GATEWAY_SERVICE',
  'API_GATEWAY_SERVICE_ROUTE',
  'AUTH_CONFIG',
  'SERVICE_REGISTRY',
] as const;
export type TargetType = (typeof targetTypes)[number];

export interface Target {
  readonly type: TargetType;
  /** Name or id, as contract-admin 6.2 lists them; undefined: every resource of the type. */
  readonly id: string | undefined;
  /** With TASK_DEF: the domain in which the task is polled or scheduled (contract-admin 6.4). */
  readonly domain?: string;
}

export interface AccessRules {
  /** Answers from memory, without waiting. */
  may(caller: Caller, right: Right, target: Target): boolean;
  /** Whether rights by the name of its definition count for an execution (owned-execution.ts). */
  isNameHeld(execution: OwnedExecution): boolean;
  /** From when on they do for all of a name (owned-execution.ts). */
  heldSince(name: string): number | undefined;
  /** Whether one of the caller's roles has a permission (contract-admin 5.1). From memory too. */
  hasPermission(caller: Caller, permission: string): boolean;
}

/** The rules while authentication is off. */
export const everythingAllowed: AccessRules = {
  may: () => true,
  isNameHeld: () => true,
  heldSince: () => 0,
  hasPermission: () => true,
};

/** Throws AppError 'forbidden'. */
export function requireAdministrator(caller: Caller): void {
  if (isAdministrator(caller)) return;
  throw new AppError('forbidden', `${plainId(caller.id)} does not have the role ADMIN`);
}

/**
 * Throws AppError 'forbidden' that names the missing right (contract-admin 1.4). `asked`: what the
 * caller named, where the target is what stands behind it, whose name he may not learn.
 */
export function requireRight(
  rules: AccessRules,
  caller: Caller,
  right: Right,
  target: Target,
  asked?: string,
): void {
  if (rules.may(caller, right, target)) return;
  const named = target.id === undefined ? target.type : `${target.type} ${target.id}`;
  const what = asked ?? named;
  throw new AppError('forbidden', `${plainId(caller.id)} has no ${right} access on ${what}`);
}
