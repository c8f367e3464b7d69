// Columns of the list of executions: the fixed ones, and those that a view names in `cols`: members
// of the row, or of its input or output, such as `input.amount`.
import type { WorkflowSummary } from '../../api/types';
import type { Column } from '../../design/list-table';
import { PageLink } from '../../design/page-link';
import { Status } from '../../design/status';
import { causeOf, duration, moment } from '../../state/format';
import type { View } from '../../state/view';

type ExecutionColumn = Column<WorkflowSummary>;

const before: readonly ExecutionColumn[] = [
  {
    title: 'Execution',
    width: 'clamp(96px, 22vw, 264px)',
    cell: (row) => (
      <PageLink to={`/executions/${row.workflowId}`} className="mono small">
        {row.workflowId}
      </PageLink>
    ),
  },
  { title: 'Status', width: '120px', cell: (row) => <Status status={row.status} /> },
  { title: 'Definition', cell: (row) => `${row.workflowType} v${row.version}` },
  { title: 'Correlation', isOptional: true, cell: (row) => row.correlationId ?? '' },
  { title: 'Started', width: '130px', cell: (row) => moment(row.startTime) },
  {
    title: 'Took',
    width: '80px',
    cell: (row) => duration(row.executionTime || Date.now() - Date.parse(row.startTime)),
  },
];

const reason: ExecutionColumn = {
  title: 'Reason',
  width: 'minmax(120px, 2fr)',
  cell: ({ reasonForIncompletion: whole }) =>
    whole === undefined || whole === '' ? '' : <span title={whole}>{causeOf(whole)}</span>,
};

const chosenMax = 10;
const cellCharsMax = 200;

export function columnsOf(view: View): readonly ExecutionColumn[] {
  return [...before, ...chosenPaths(view).map(pathColumn), reason];
}

/** What `cols` names, each once. */
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
  const member = (row as unknown as Readonly<Record<string, unknown>>)[head];
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
