// The rights of a caller on one execution (docs/access.md, "Whose executions"). Rights on its
// definition's name count while the name belongs to who it belonged to at the start. After that the
// execution is left to who owned the name, to who started it, and to rights on all definitions. The
// starter of an inline definition may always act on the execution.
import { isAdministrator, type Caller } from '../model/caller.js';
import { adHocRegistration } from '../model/name-registration.js';
import type { OwnedExecution } from './owned-execution.js';
import { AppError } from '../model/errors.js';
import type { AccessRules, Right } from './access-rules.js';
import { plainId } from '../model/subject.js';

const all = { type: 'WORKFLOW_DEF', id: undefined } as const;

export function mayOnExecution(
  access: AccessRules,
  caller: Caller,
  right: Right,
  execution: OwnedExecution,
): boolean {
  const isHeld = access.isNameHeld(execution);
  const target = isHeld ? ({ type: 'WORKFLOW_DEF', id: execution.name } as const) : all;
  return access.may(caller, right, target) || isOwnExecution(caller, execution, isHeld);
}

/**
 * `shown`: what the caller named, where that is not the execution. Throws AppError 'forbidden' that
 * names no more.
 */
export function requireOnExecution(
  access: AccessRules,
  caller: Caller,
  right: Right,
  execution: OwnedExecution,
  id: string,
  shown = executionShown(id),
): void {
  if (mayOnExecution(access, caller, right, execution)) return;
  throw new AppError('forbidden', `${plainId(caller.id)} has no ${right} access on ${shown}`);
}

/** An execution as a refusal names it. */
export function executionShown(id: string): string {
  return `WORKFLOW ${id}`;
}

/** The same for callers who named a task: the id of its execution is not told. */
export function taskShown(taskId: string): string {
  return `TASK ${taskId}`;
}

/** Whether the caller has the right on every execution there is. */
export function mayOnAllExecutions(access: AccessRules, caller: Caller, right: Right): boolean {
  return isAdministrator(caller) || access.may(caller, right, all);
}

/** `isHeld`: as `isNameHeld` says. */
export function isOwnExecution(
  { id }: Caller,
  { nameOwner, createdBy }: OwnedExecution,
  isHeld: boolean,
): boolean {
  if (id === '') return false;
  if (id === createdBy && (!isHeld || nameOwner?.isInline === true)) return true;
  // Of a name that nobody had registered the owner is the starter.
  const isAdHoc = nameOwner?.registration === adHocRegistration;
  return id === nameOwner?.owner && (!isHeld || isAdHoc);
}
