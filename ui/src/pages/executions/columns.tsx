// Columns of the list of executions: key and cause first, then those that a view names in `cols`
// (members of the row, or of its input or output, such as `input.amount`), id and times.
import type { JsonObject, WorkflowSummary } from '../../api/types';
import type { Column, ColumnSort } from '../../design/list-table';
import { PageLink } from '../../design/page-link';
import { firstLine } from '../../design/reason';
import { StatusMark } from '../../design/status';
import { causeOf } from '../../state/causes';
import { ago, duration, moment } from '../../state/format';
import type { View } from '../../state/view';

type ExecutionColumn = Column<WorkflowSummary>;

/** The column that one looks for first: the business key, or without one the definition. */
const execution: ExecutionColumn = {
  title: 'Execution',
  width: 'minmax(140px, 1.2fr)',
  cell: ({ workflowId, workflowType, version, correlationId = '', status, imported }) => (
    <span className="what">
      <StatusMark status={status} />
      <PageLink to={`/executions/${workflowId}`}>
        {correlationId === '' ? workflowType : correlationId}
      </PageLink>
      <small>
        {correlationId === '' ? `version ${version}` : `${workflowType} v${version}`}
        {imported !== undefined && ', history'}
      </small>
    </span>
  ),
};

const cause: ExecutionColumn = {
  title: 'Cause',
  card: 'cause',
  width: 'minmax(120px, 2fr)',
  cell: ({ reasonForIncompletion: whole = '', failedReferenceTaskNames: failed = '' }) =>
    whole === '' ? (
      ''
    ) : (
      <span className="what plain" title={whole}>
        <span>{firstLine(causeOf(whole))}</span>
        <small>{failed}</small>
      </span>
    ),
};

const id: ExecutionColumn = {
  title: 'Id',
  card: 'left-out',
  width: '76px',
  cell: ({ workflowId }) => (
    <code className="short-id" title={workflowId}>
      {workflowId}
    </code>
  ),
};

const took: ExecutionColumn = {
  title: 'Took',
  card: 'left-out',
  width: '92px',
  isNumber: true,
  cell: ({ status, startTime, endTime, executionTime = 0 }) =>
    duration(
      status === 'RUNNING' || status === 'PAUSED' || endTime === undefined
        ? Date.now() - Date.parse(startTime)
        : executionTime,
    ),
};

type Sorted = (field: string) => ColumnSort;

const started = (sorted: Sorted | undefined): ExecutionColumn => ({
  title: 'Started',
  card: 'time',
  width: '118px',
  isNumber: true,
  ...(sorted && { sort: sorted('startTime') }),
  cell: ({ startTime }) => (
    <span title={moment(startTime)}>{ago(Date.parse(startTime)).replace(/^on /, '')}</span>
  ),
});

const ended = (sorted: Sorted | undefined): ExecutionColumn => ({
  title: 'Ended',
  card: 'left-out',
  width: '118px',
  isNumber: true,
  isOptional: true,
  ...(sorted && { sort: sorted('endTime') }),
  cell: ({ endTime }) =>
    endTime === undefined ? (
      ''
    ) : (
      <span title={moment(endTime)}>{ago(Date.parse(endTime)).replace(/^on /, '')}</span>
    ),
});

const chosenMax = 10;
const cellCharsMax = 200;

/** `sorted`: how heads sort; absent: they do not. */
export function columnsOf(view: View, sorted?: Sorted): readonly ExecutionColumn[] {
  const chosen = chosenPaths(view).map(pathColumn);
  return [execution, cause, ...chosen, id, took, started(sorted), ended(sorted)];
}

/** The paths that `cols` names, each once. */
export function chosenPaths(view: View): readonly string[] {
  const paths = (view['cols'] ?? '').split(',').map((path) => path.trim());
  return [...new Set(paths.filter((path) => path !== ''))].slice(0, chosenMax);
}

function pathColumn(path: string): ExecutionColumn {
  return { title: path, cell: (row) => shown(valueAt(row, path)) };
}

/** undefined where the row has nothing there. */
function valueAt(row: WorkflowSummary, path: string): unknown {
  const [head = '', ...rest] = path.split('.');
  const members: JsonObject = row;
  const member = members[head];
  const isPayload = (head === 'input' || head === 'output') && typeof member === 'string';
  let value: unknown = isPayload ? parsed(member) : member;
  for (const name of rest) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, cellCharsMax);
}
