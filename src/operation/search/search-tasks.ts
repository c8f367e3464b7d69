// Searches for tasks (contract-core 12.1, semantics 8.7): there is no index of tasks, so the
// executions that can hold one (plan.ts) are read one after the other. Without a sort, tasks come
// by their executions, newest first, in the order of their list.
import { breathe } from '../../std/breather.js';
import { groupBy } from '../../std/group-by.js';
import type { ExecutionId } from '../../std/ids.js';
import { toJsonText } from '../../model/json-text.js';
import { toTaskSummary } from '../../model/summaries.js';
import type { Task } from '../../model/execution.js';
import { inputOf, outputOf } from '../../engine/derived-payloads.js';
import type { OpenExecution } from '../../engine/open-execution.js';
import { readableExecutions } from '../access.js';
import { AnswerSize } from '../answer-size.js';
import { taskText, workflowText } from '../execution-view.js';
import { readExecutions } from '../read-executions.js';
import { readableCandidates } from './candidates.js';
import { SearchEffort } from './effort.js';
import type { Expression } from './expression.js';
import { searchedTasks } from './fields.js';
import { matches } from './matches.js';
import { compareKeys, parseSort, sortKeysOf, type Criterion, type SortKey } from './order.js';
import { isInRange, planTasks, type Plan } from './plan.js';
import {
  checkBreadth,
  expressionOf,
  inTurn,
  pageOf,
  type SearchContext,
  type SearchRequest,
} from './request.js';
import { summaryTexts, type SearchAnswer } from './search-workflows.js';

interface TaskHit {
  readonly id: ExecutionId;
  readonly startedAt: number;
  readonly taskNumber: number;
  /** Place in the execution's list. */
  readonly position: number;
  readonly keys: readonly SortKey[];
}

const isTaskField = (name: string): boolean => searchedTasks.fields.has(name);

/**
 * TaskSummary texts. Throws AppError 'bad-request' for what is no query and for a search that is
 * too broad.
 */
export function searchTasks(search: SearchContext, request: SearchRequest): Promise<SearchAnswer> {
  const now = search.context.clock.now();
  return answerTasks(search, request, (open, task) => {
    const payloads = { input: inputOf(open, task), output: outputOf(open, task) };
    return toJsonText(toTaskSummary(open.execution, task, payloads, now));
  });
}

/** Task texts. */
export function searchTasksInFull(
  search: SearchContext,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const now = search.context.clock.now();
  return answerTasks(search, request, (open, task) => taskText(open, task, now));
}

/** WorkflowSummary texts of the executions that own the tasks of a page, each once. */
export function searchWorkflowsByTasks(
  search: SearchContext,
  request: SearchRequest,
): Promise<SearchAnswer> {
  return answerOwners(search, request, (ids) => summaryTexts(search, request.caller, ids));
}

/** Workflow texts of the executions that own the tasks of a page, each once. */
export function searchWorkflowsByTasksInFull(
  search: SearchContext,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const now = search.context.clock.now();
  const size = new AnswerSize();
  return answerOwners(search, request, (ids) =>
    readExecutions(search.context, ids, (open) => size.add(workflowText(open, true, now))),
  );
}

async function answerTasks(
  search: SearchContext,
  request: SearchRequest,
  view: (open: OpenExecution, task: Task) => string,
): Promise<SearchAnswer> {
  const hits = await find(search, request);
  const page = pageOf(hits, request);
  const byExecution = groupBy(page, ({ id }) => id);
  const size = new AnswerSize();
  const texts = new Map<string, string>();
  const read = (open: OpenExecution): void => {
    const { id } = open.execution;
    for (const { taskNumber: number } of byExecution.get(id) ?? []) {
      const task = open.byNumber.get(number);
      if (task !== undefined) texts.set(`${id}:${number}`, size.add(view(open, task)));
    }
  };
  await inTurn(search, request.caller, () =>
    readExecutions(search.context, [...byExecution.keys()], read, breathe),
  );
  const results = page.flatMap(({ id, taskNumber }) => texts.get(`${id}:${taskNumber}`) ?? []);
  return { totalHits: hits.length - (page.length - results.length), results };
}

/** Equal executions within a page count once (semantics 8.7). */
async function answerOwners(
  search: SearchContext,
  request: SearchRequest,
  read: (ids: readonly ExecutionId[]) => Promise<(string | undefined)[]>,
): Promise<SearchAnswer> {
  const hits = await find(search, request);
  const page = pageOf(hits, request);
  const texts = await read([...new Set(page.map(({ id }) => id))]);
  const results = texts.filter((text) => text !== undefined);
  return { totalHits: hits.length - (page.length - results.length), results };
}

function find(search: SearchContext, request: SearchRequest): Promise<TaskHit[]> {
  return inTurn(search, request.caller, () => findNow(search, request));
}

async function findNow(search: SearchContext, request: SearchRequest): Promise<TaskHit[]> {
  const expression = expressionOf(request, searchedTasks.fields);
  const criteria = parseSort(request.sort, isTaskField);
  const plan = planTasks(expression);
  const candidates = await readableCandidates(search, request.caller, plan);
  checkBreadth(candidates.length, search.limits.executionsReadMax);
  const now = search.context.clock.now();
  const effort = new SearchEffort();
  const isReadable = readableExecutions(search.context.access, request.caller);
  const lists = await readExecutions(
    search.context,
    candidates,
    (open) => hitsIn(open, plan, { expression, criteria, now, effort, isReadable }),
    () => effort.pause(),
  );
  return lists
    .flatMap((list) => list ?? [])
    .sort(
      (a, b) =>
        compareKeys(a.keys, b.keys, criteria) ||
        b.startedAt - a.startedAt ||
        (a.id < b.id ? 1 : a.id > b.id ? -1 : a.position - b.position),
    );
}

interface Wanted {
  readonly expression: Expression | undefined;
  readonly criteria: readonly Criterion[];
  /** Epoch ms. */
  readonly now: number;
  readonly effort: SearchEffort;
  /** Whether the caller may read an execution. */
  readonly isReadable: ReturnType<typeof readableExecutions>;
}

function hitsIn(
  open: OpenExecution,
  plan: Plan,
  { expression, criteria, now, effort, isReadable }: Wanted,
): TaskHit[] {
  const { id, snapshot, state, tasks } = open.execution;
  const startedAt = state.createTime;
  const { status } = state;
  const { name } = snapshot.def;
  if (!isReadable(open.execution) || !isInRange(plan.range, { name, status, startedAt })) return [];
  return tasks.flatMap((task, position) => {
    const item = { open, task, now };
    if (expression !== undefined && matches(expression, item, searchedTasks, effort) !== true) {
      return [];
    }
    const keys = sortKeysOf(item, criteria, searchedTasks);
    return { id, startedAt, taskNumber: task.number, position, keys };
  });
}
