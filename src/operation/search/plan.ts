// Which index answers a search: of the clauses that must all hold it takes those that an index
// knows. The others are checked on each candidate, so a plan only narrows the search and never
// decides wrongly.
import { parseExecutionId, parseTaskId, type ExecutionId } from '../../std/ids.js';
import { openStatuses, workflowStatuses, type WorkflowStatus } from '../../model/status.js';
import type { IndexRange } from '../../store/search-store.js';
import { conjuncts, type Expression, type Test } from './expression.js';
import { toNumber } from './matches.js';

export interface Plan {
  /** Only these executions; undefined: any. */
  readonly ids: readonly ExecutionId[] | undefined;
  /** Only executions with one of these; undefined: any. */
  readonly correlationIds: readonly string[] | undefined;
  readonly range: IndexRange;
  /** The range says all that the search asks: no candidate has to be checked. */
  readonly isExact: boolean;
}

/**
 * With more names or correlation ids each candidate is checked: every one of them has an index per
 * shard, a name per status too.
 */
const indexedMax = 100;

/** For executions. */
export function planWorkflows(expression: Expression | undefined): Plan {
  const clauses = expression === undefined ? [] : conjuncts(expression);
  const ids = allowed(clauses, 'workflowId');
  const correlationIds = fewOf(allowed(clauses, 'correlationId'));
  const names = allowed(clauses, 'workflowType');
  const statuses = allowed(clauses, 'status');
  const { fromAt, untilAt } = startBounds(clauses);
  const indexedNames = fewOf(names);
  const isIndexed = (clause: Expression): boolean =>
    valuesOf(clause, 'workflowType') !== undefined ||
    valuesOf(clause, 'status') !== undefined ||
    startBound(clause) !== undefined;
  return {
    ids: ids && executionIds(ids, parseExecutionId),
    correlationIds,
    range: {
      names: indexedNames,
      statuses: statuses && workflowStatuses.filter((status) => statuses.includes(status)),
      fromAt,
      untilAt,
    },
    isExact: indexedNames === names && clauses.every(isIndexed),
  };
}

/** For tasks: their executions. */
export function planTasks(expression: Expression | undefined): Plan {
  const clauses = expression === undefined ? [] : conjuncts(expression);
  const ids = allowed(clauses, 'workflowId');
  const taskIds = allowed(clauses, 'taskId');
  const statuses = allowed(clauses, 'status');
  const ofTasks = taskIds && executionIds(taskIds, (text) => parseTaskId(text)?.executionId);
  const ofWorkflows = ids && executionIds(ids, parseExecutionId);
  // An execution that has ended has no open task.
  const isOpen = statuses?.every((status) => openTaskStatuses.has(status)) === true;
  return {
    ids:
      ofTasks === undefined || ofWorkflows === undefined
        ? (ofTasks ?? ofWorkflows)
        : ofTasks.filter((id) => ofWorkflows.includes(id)),
    correlationIds: fewOf(allowed(clauses, 'correlationId')),
    range: {
      names: fewOf(allowed(clauses, 'workflowType')),
      statuses: isOpen ? openStatuses : undefined,
      fromAt: undefined,
      untilAt: undefined,
    },
    isExact: false,
  };
}

const openTaskStatuses = new Set(['SCHEDULED', 'IN_PROGRESS']);

/** Whether a header is inside the range of a plan that found its candidates in another way. */
export function isInRange(
  range: IndexRange,
  found: { name: string; status: WorkflowStatus; startedAt: number },
): boolean {
  return (
    range.names?.includes(found.name) !== false &&
    range.statuses?.includes(found.status) !== false &&
    (range.fromAt === undefined || found.startedAt >= range.fromAt) &&
    (range.untilAt === undefined || found.startedAt <= range.untilAt)
  );
}

function executionIds(
  texts: readonly string[],
  parse: (text: string) => ExecutionId | undefined,
): ExecutionId[] {
  return [...new Set(texts.flatMap((text) => parse(text) ?? []))];
}

function fewOf(values: string[] | undefined): string[] | undefined {
  return values !== undefined && values.length <= indexedMax ? values : undefined;
}

/** The values that the clauses leave for a field, each once; undefined: any. */
function allowed(clauses: readonly Expression[], field: string): string[] | undefined {
  let left: string[] | undefined;
  for (const clause of clauses) {
    const values = valuesOf(clause, field);
    if (values === undefined) continue;
    left =
      left === undefined ? [...new Set(values)] : left.filter((value) => values.includes(value));
  }
  return left;
}

/**
 * The values that a clause allows for a field when it says nothing else; an empty value may mean
 * "missing" and is none.
 */
function valuesOf(clause: Expression, field: string): string[] | undefined {
  if (clause.kind === 'or') {
    const sets = clause.items.map((item) => valuesOf(item, field));
    return sets.some((set) => set === undefined) ? undefined : (sets as string[][]).flat();
  }
  if (clause.kind !== 'compare' || clause.field !== field) return undefined;
  const { test } = clause;
  const values = test.op === '=' ? [test.value] : test.op === 'in' ? test.values : undefined;
  if (values === undefined) return undefined;
  if (values.some(({ text, pattern }) => pattern !== undefined || text === '')) return undefined;
  return values.map(({ text }) => text);
}

interface Bounds {
  readonly fromAt: number | undefined;
  readonly untilAt: number | undefined;
}

function startBounds(clauses: readonly Expression[]): Bounds {
  let fromAt: number | undefined;
  let untilAt: number | undefined;
  for (const clause of clauses) {
    const bound = startBound(clause);
    if (bound?.fromAt !== undefined) fromAt = Math.max(fromAt ?? bound.fromAt, bound.fromAt);
    if (bound?.untilAt !== undefined) untilAt = Math.min(untilAt ?? bound.untilAt, bound.untilAt);
  }
  return { fromAt, untilAt };
}

/** Start times are whole milliseconds. */
function startBound(clause: Expression): Bounds | undefined {
  if (clause.kind !== 'compare' || clause.field !== 'startTime') return undefined;
  const bounds = boundsOf(clause.test);
  if (bounds === undefined) return undefined;
  return Number.isNaN(bounds.fromAt ?? 0) || Number.isNaN(bounds.untilAt ?? 0) ? undefined : bounds;
}

function boundsOf(test: Test): Bounds | undefined {
  switch (test.op) {
    case '>':
      return { fromAt: Math.floor(toNumber(test.value.text)) + 1, untilAt: undefined };
    case '>=':
      return { fromAt: Math.ceil(toNumber(test.value.text)), untilAt: undefined };
    case '<':
      return { fromAt: undefined, untilAt: Math.ceil(toNumber(test.value.text)) - 1 };
    case '<=':
      return { fromAt: undefined, untilAt: Math.floor(toNumber(test.value.text)) };
    case 'between':
      return {
        fromAt: Math.ceil(toNumber(test.low.text)),
        untilAt: Math.floor(toNumber(test.high.text)),
      };
    default:
      return undefined;
  }
}
