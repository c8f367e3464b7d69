// Checks the rights of a caller on executions: those on their definition count (contract-admin
// 6.4). Administrators are let through at once, so that nothing is read for them.
import { requireRight, type AccessRules, type Right } from '../access/access-rules.js';
import { isAdministrator, type Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import {
  executionShown,
  isOwnExecution,
  mayOnAllExecutions,
  mayOnExecution,
  requireOnExecution,
} from '../access/execution-rights.js';
import type { OwnedExecution } from '../access/owned-execution.js';
import type { Execution } from '../model/execution.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import { viewOf, type NamedView } from '../shard/named-views.js';
import type { OperationContext } from './context.js';
import { plainId } from '../model/subject.js';

export type AccessContext = Pick<OperationContext, 'access' | 'executions'>;

/**
 * Throws AppError 'forbidden', which names `shown`: what the caller named, where that is not the
 * execution. An unknown execution is left to the operation, which answers that it is not found.
 */
export async function requireExecutionRight(
  { access, executions }: AccessContext,
  caller: Caller,
  right: Right,
  id: string,
  shown?: string,
): Promise<void> {
  if (isAdministrator(caller)) return;
  const owned = await executions.read(id, ({ execution }) => ownedOf(execution));
  if (owned !== undefined) requireOnExecution(access, caller, right, owned, id, shown);
}

/** The task that a report is about: an attempt, or the newest one of a reference name. */
export type ReportedTask = { readonly taskNumber: number } | { readonly ref: string };

interface Reported extends OwnedExecution {
  /** null: there is no such task. */
  readonly taskType: string | null;
}

/** The facts that decide the right to report; none of them ever changes. */
export const reportedTaskView: NamedView<ReportedTask, Reported> = {
  name: 'reported-task',
  view: (open, reported) => {
    const task =
      'ref' in reported
        ? (open.lastByRef(reported.ref) ?? open.lastByPlainRef(reported.ref))
        : open.byNumber.get(reported.taskNumber);
    const { snapshot, attributes, state } = open.execution;
    return {
      name: snapshot.def.name,
      nameOwner: attributes.nameOwner,
      createdBy: attributes.createdBy,
      startedAt: state.createTime,
      taskType: task?.taskType ?? null,
    };
  },
};

/**
 * For reports on a task: EXECUTE on the task definition does too, which workers have. Throws or
 * rejects with AppError 'forbidden', which names `shown`. On the path of every report, so there is
 * nothing to wait for (undefined) where the execution is in memory.
 */
export function requireReportRight(
  { access, executions }: AccessContext,
  caller: Caller,
  id: string,
  reported: ReportedTask,
  shown?: string,
): Promise<void> | undefined {
  if (isAdministrator(caller)) return undefined;
  const check = (seen: Reported): void =>
    requireEither(access, caller, seen, shown ?? executionShown(id));
  const known = executions.peek(id, (open) => reportedTaskView.view(open, reported));
  if (known !== undefined) {
    check(known);
    return undefined;
  }
  const read = executions.read(id, viewOf(reportedTaskView, reported));
  // A node of an earlier version tells neither registration nor start: then rights by name count.
  return read.then((seen) =>
    seen === undefined ? undefined : check({ ...seen, startedAt: seen.startedAt ?? Infinity }),
  );
}

function requireEither(
  access: AccessRules,
  caller: Caller,
  reported: Reported,
  shown: string,
): void {
  if (mayOnExecution(access, caller, 'EXECUTE', reported)) return;
  const { taskType } = reported;
  if (taskType !== null && access.may(caller, 'EXECUTE', { type: 'TASK_DEF', id: taskType }))
    return;
  throw new AppError('forbidden', `${plainId(caller.id)} has no EXECUTE access on ${shown}`);
}

/** The workflow to be started; the definition may come with the start. */
export interface Startable {
  readonly name: string;
  readonly workflowDef?: WorkflowDef | undefined;
}

/**
 * A start needs EXECUTE on the definition. For one that comes with the start, under a name that
 * nobody has registered, the right to create definitions does too.
 */
export function mayStart(
  access: AccessRules,
  caller: Caller,
  { name, workflowDef }: Startable,
): boolean {
  const id = workflowDef?.name ?? name;
  const isFree = workflowDef !== undefined && access.heldSince(id) === undefined;
  if (isFree && access.hasPermission(caller, 'CREATE_WORKFLOW_DEF')) return true;
  return access.may(caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id });
}

/** Throws AppError 'forbidden'. */
export function requireStartRight(access: AccessRules, caller: Caller, request: Startable): void {
  if (isAdministrator(caller) || mayStart(access, caller, request)) return;
  const id = request.workflowDef?.name ?? request.name;
  requireRight(access, caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id });
}

/**
 * An execution goes on with a definition of its name that is registered now: while the name belongs
 * to who it belonged to at the start. Throws AppError 'forbidden'.
 */
export function requireHeldName(
  access: AccessRules,
  caller: Caller,
  execution: OwnedExecution,
): void {
  if (isAdministrator(caller) || access.isNameHeld(execution)) return;
  throw new AppError(
    'forbidden',
    'The name of its definition has been registered anew since the execution started',
  );
}

/** Tells of an execution whether the caller may see it. */
export function readableExecutions(
  access: AccessRules,
  caller: Caller,
): (execution: Owned) => boolean {
  const isReadable = readableOwned(access, caller);
  return (execution) => isReadable(ownedOf(execution));
}

/** The same by the facts that it hangs on. */
export function readableOwned(
  access: AccessRules,
  caller: Caller,
): (execution: OwnedExecution) => boolean {
  if (mayOnAllExecutions(access, caller, 'READ')) return () => true;
  const byName = readableNames(access, caller);
  return (execution) => {
    const isHeld = access.isNameHeld(execution);
    return (isHeld && byName(execution.name)) || isOwnExecution(caller, execution, isHeld);
  };
}

/**
 * Tells of a workflow name whether the caller has READ on it: on the executions that began while
 * the name belonged to who owns it now (docs/access.md).
 */
export function readableNames(access: AccessRules, caller: Caller): (name: string) => boolean {
  if (isAdministrator(caller)) return () => true;
  const known = new Map<string, boolean>();
  return (name) => {
    let readable = known.get(name);
    if (readable === undefined) {
      readable = access.may(caller, 'READ', { type: 'WORKFLOW_DEF', id: name });
      known.set(name, readable);
    }
    return readable;
  };
}

type Owned = Pick<Execution, 'snapshot' | 'attributes'> & {
  readonly state: Pick<Execution['state'], 'createTime'>;
};

/** The facts that decide the rights on an execution. */
export function ownedOf({ snapshot, attributes, state }: Owned): OwnedExecution {
  const { nameOwner, createdBy } = attributes;
  return { name: snapshot.def.name, nameOwner, createdBy, startedAt: state.createTime };
}
