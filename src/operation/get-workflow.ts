// Reads of one execution (contract-core 9). All of them build the JSON text inside the read, so
// that nothing is copied twice.
import { requireOnExecution } from '../access/execution-rights.js';
import { isAdministrator, type Caller } from '../model/caller.js';
import { AppError, noSuchWorkflow } from '../model/errors.js';
import type { Json, JsonMap } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';
import { present } from '../model/record-reader.js';
import { taskStatuses, type TaskStatus } from '../model/status.js';
import { toWorkflowStatusJson } from '../model/workflow-json.js';
import { viewOf, type NamedView } from '../shard/named-views.js';
import { requireExecutionRight } from './access.js';
import { AnswerSize } from './answer-size.js';
import type { OperationContext } from './context.js';
import { taskText, workflowText } from './execution-view.js';
import { withoutTasks } from './archive.js';

/** Reads need no more than this. */
export type ReadContext = Pick<OperationContext, 'executions' | 'clock' | 'access' | 'archive'>;

/** JSON text of the Workflow. Throws AppError 'not-found'. */
export async function getWorkflow(
  context: ReadContext,
  caller: Caller,
  { id, includeTasks }: { id: string; includeTasks: boolean },
): Promise<string> {
  if (!isAdministrator(caller)) await requireExecutionRight(context, caller, 'READ', id);
  const now = context.clock.now();
  const text = await context.executions.read(id, viewOf(workflowView, { includeTasks, now }));
  if (text !== undefined) return text;
  const archived = await archivedWorkflow(context, caller, id);
  return includeTasks ? toJsonText(archived as Json) : withoutTasks(archived);
}

/** JSON text of WorkflowStatus (contract-core 7.3). Throws AppError 'not-found'. */
export async function getWorkflowStatus(
  context: ReadContext,
  caller: Caller,
  { id, ...include }: { id: string; output: boolean; variables: boolean },
): Promise<string> {
  if (!isAdministrator(caller)) await requireExecutionRight(context, caller, 'READ', id);
  const text = await context.executions.read(id, viewOf(workflowStatusView, include));
  if (text !== undefined) return text;
  const { workflowId, correlationId, output, variables, status } = await archivedWorkflow(
    context,
    caller,
    id,
  );
  return toJsonText({
    ...{ workflowId: workflowId as Json, ...present({ correlationId }) },
    ...(include.output ? { output: output as Json } : {}),
    ...(include.variables ? { variables: variables as Json } : {}),
    status,
  });
}

/** Throws AppError 'not-found' when it is not in the archive either, 'forbidden'. */
async function archivedWorkflow(
  { archive, access }: ReadContext,
  caller: Caller,
  id: string,
): Promise<JsonMap & { readonly status: string }> {
  const archived = await archive?.workflow(id);
  if (archived === undefined) throw noSuchWorkflow(id);
  requireOnExecution(access, caller, 'READ', archived.owned, id);
  return archived.workflow;
}

/** JSON text of the Workflow. `now`: epoch ms. */
export const workflowView: NamedView<{ includeTasks: boolean; now: number }, string> = {
  name: 'workflow',
  view: (open, { includeTasks, now }) => workflowText(open, includeTasks, now),
};

/** JSON text of WorkflowStatus. */
export const workflowStatusView: NamedView<{ output: boolean; variables: boolean }, string> = {
  name: 'workflow-status',
  view: (open, include) => toWorkflowStatusJson(open.execution, include),
};

export interface TaskPage {
  /** The execution. */
  readonly id: string;
  readonly start: number;
  readonly count: number;
  /** Empty: every status. */
  readonly statuses: readonly TaskStatus[];
}

/**
 * JSON text of a page of tasks with the number of tasks per status (contract-core 4.1, 9). Throws
 * AppError 'not-found'.
 */
export async function listWorkflowTasks(
  context: ReadContext,
  caller: Caller,
  page: TaskPage,
): Promise<string> {
  const { id } = page;
  await requireExecutionRight(context, caller, 'READ', id);
  if (page.start < 0 || page.count < 0) {
    throw new AppError('bad-request', 'start and count must not be negative');
  }
  const now = context.clock.now();
  const text = await context.executions.read(id, viewOf(taskPageView, { page, now }));
  if (text !== undefined) return text;
  const { tasks } = await archivedWorkflow(context, caller, id);
  return archivedPage(tasks as (JsonMap & { readonly status: TaskStatus })[], page);
}

/** The same page out of the archive. */
function archivedPage(
  tasks: readonly (JsonMap & { readonly status: TaskStatus })[],
  { start, count, statuses }: TaskPage,
): string {
  const isWanted = ({ status }: { readonly status: TaskStatus }): boolean =>
    statuses.length === 0 || statuses.includes(status);
  const wanted = tasks.filter(isWanted);
  const summary: { [status: string]: number } = {};
  for (const { status } of wanted) summary[status] = (summary[status] ?? 0) + 1;
  const results: Json[] = wanted.slice(start, start + count);
  return toJsonText({ totalHits: wanted.length, results, summary });
}

/** JSON text of a page of tasks. `now`: epoch ms. */
export const taskPageView: NamedView<{ page: TaskPage; now: number }, string> = {
  name: 'task-page',
  view: (open, { page, now }) => {
    const { tasks } = open.execution;
    const wanted =
      page.statuses.length === 0
        ? tasks
        : tasks.filter((task) => page.statuses.includes(task.status));
    const summary: Partial<Record<TaskStatus, number>> = {};
    for (const task of wanted) summary[task.status] = (summary[task.status] ?? 0) + 1;
    const shown = wanted.slice(page.start, page.start + page.count);
    const size = new AnswerSize();
    const results = shown.map((task) => size.add(taskText(open, task, now))).join(',');
    return `{"totalHits":${wanted.length},"results":[${results}],"summary":${JSON.stringify(summary)}}`;
  },
};

/** A task status in any case. Throws AppError 'bad-request' for another word. */
export function parseTaskStatus(text: string): TaskStatus {
  const status = taskStatuses.find((each) => each === text.toUpperCase());
  if (status === undefined) {
    throw new AppError('bad-request', `The task status must be one of ${taskStatuses.join(', ')}`);
  }
  return status;
}
