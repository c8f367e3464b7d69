// What a caller may do with executions: the rights that count are those on their definition
// (contract-admin 6.4). Administrators are let through at once, so that nothing is read for them.
import { requireRight, type AccessRules, type Right } from '../access/access-rules.js';
import { isAdministrator, type Caller } from '../model/caller.js';
import type { StartWorkflowRequest } from '../model/parse-start-request.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { viewOf, type NamedView } from '../shard/named-views.js';
import type { OperationContext } from './context.js';

export type AccessContext = Pick<OperationContext, 'access' | 'executions'>;

/**
 * Throws AppError 'forbidden'. An unknown execution is left to the operation, which answers that it
 * is not found.
 */
export async function requireExecutionRight(
  { access, executions }: AccessContext,
  caller: Caller,
  right: Right,
  id: string,
): Promise<void> {
  if (isAdministrator(caller)) return;
  const name = await executions.read(id, nameOf);
  if (name !== undefined) requireRight(access, caller, right, { type: 'WORKFLOW_DEF', id: name });
}

/** The task that a report is about: an attempt, or the newest one of a reference name. */
export type ReportedTask = { readonly taskNumber: number } | { readonly ref: string };

interface ReportedNames {
  readonly name: string;
  /** null: there is no such task. */
  readonly taskType: string | null;
}

/** What the right to report hangs on; none of it ever changes. */
export const reportedTaskView: NamedView<ReportedTask, ReportedNames> = {
  name: 'reported-task',
  view: (open, reported) => {
    const task =
      'ref' in reported
        ? (open.lastByRef(reported.ref) ?? open.lastByPlainRef(reported.ref))
        : open.byNumber.get(reported.taskNumber);
    return { name: nameOf(open), taskType: task?.taskType ?? null };
  },
};

/**
 * For reports on a task: EXECUTE on the task definition does too, which workers have. Throws or
 * rejects with AppError 'forbidden'. On the path of every report, so there is nothing to wait for
 * (undefined) where the execution is in memory.
 */
export function requireReportRight(
  { access, executions }: AccessContext,
  caller: Caller,
  id: string,
  reported: ReportedTask,
): Promise<void> | undefined {
  if (isAdministrator(caller)) return undefined;
  const check = (names: ReportedNames): void => requireEither(access, caller, names);
  const known = executions.peek(id, (open) => reportedTaskView.view(open, reported));
  if (known !== undefined) {
    check(known);
    return undefined;
  }
  const read = executions.read(id, viewOf(reportedTaskView, reported));
  return read.then((seen) => (seen === undefined ? undefined : check(seen)));
}

function requireEither(
  access: AccessRules,
  caller: Caller,
  { name, taskType }: ReportedNames,
): void {
  if (access.may(caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id: name })) return;
  if (taskType === null) {
    requireRight(access, caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id: name });
  } else requireRight(access, caller, 'EXECUTE', { type: 'TASK_DEF', id: taskType });
}

/**
 * A start needs EXECUTE on the definition. For a definition that comes with the call the right to
 * create definitions does too. Throws AppError 'forbidden'.
 */
export function requireStartRight(
  access: AccessRules,
  caller: Caller,
  request: Pick<StartWorkflowRequest, 'name' | 'workflowDef'>,
): void {
  if (isAdministrator(caller)) return;
  const { workflowDef } = request;
  if (workflowDef !== undefined && access.hasPermission(caller, 'CREATE_WORKFLOW_DEF')) return;
  const id = workflowDef?.name ?? request.name;
  requireRight(access, caller, 'EXECUTE', { type: 'WORKFLOW_DEF', id });
}

/** Tells of a workflow name whether the caller may see its executions. */
export function readableWorkflows(access: AccessRules, caller: Caller): (name: string) => boolean {
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

function nameOf(open: OpenExecution): string {
  return open.execution.snapshot.def.name;
}
