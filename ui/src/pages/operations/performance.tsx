// Which definitions and task types are slow, and which fail, in a window.
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Performance, TaskPerformance, WorkflowPerformance } from '../../api/types';
import { FilterField, useFilter } from '../../design/filter-field';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { Trend } from '../../design/plot';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { WindowChoice, sinceOf, spanWord, useWindow } from '../../design/window-choice';
import { count, duration, moment, percent } from '../../state/format';

const spans = ['15m', '1h', '1d', '7d'] as const;
const everyMs = 5000;

function usePerformance(): {
  readonly query: UseQueryResult<Performance>;
  readonly span: (typeof spans)[number];
} {
  const span = useWindow(spans);
  const query = useQuery({
    queryKey: ['operations', 'performance', span],
    queryFn: ({ signal }) => ask<Performance>(`/api/stats/performance?window=${span}`, { signal }),
    refetchInterval: everyMs,
    placeholderData: keepPreviousData,
  });
  return { query, span };
}

export function DefinitionsTab(): ReactElement {
  const { query, span } = usePerformance();
  return (
    <div className="stack">
      <Bar span={span} label="Definition" />
      <Loaded query={query}>
        {({ workflows, countedSince }) => (
          <>
            <DefinitionTable rows={workflows} span={span} />
            <Since {...{ countedSince, span }}>
              Times are from start to end of those that ended; one that was retried ends again.
              Trends show failures.
            </Since>
          </>
        )}
      </Loaded>
    </div>
  );
}

interface SlowDefinitionsProps {
  /** It has its height. */
  readonly onThere: () => void;
}

/** The same for the overview, with its window. */
export function SlowDefinitions({ onThere }: SlowDefinitionsProps): ReactElement {
  const { query, span } = usePerformance();
  const isThere = !query.isPending;
  useEffect(() => {
    if (isThere) onThere();
  }, [isThere, onThere]);
  return (
    <section className="panel rows slowest" aria-label="Slowest and most failing">
      <div className="panel-head">
        <h2>Slowest and most failing</h2>
        <span className="row end grow">
          <PageLink to="/operations" view={{ tab: 'task-types', window: span }}>
            Task types
          </PageLink>
        </span>
      </div>
      <Loaded query={query}>
        {({ workflows }) => <DefinitionTable rows={workflows} span={span} />}
      </Loaded>
    </section>
  );
}

export function TaskTypesTab(): ReactElement {
  const { query, span } = usePerformance();
  return (
    <div className="stack">
      <Bar span={span} label="Task type" />
      <Loaded query={query}>
        {({ tasks, countedSince }) => (
          <>
            <TaskTable rows={tasks} span={span} />
            <Since {...{ countedSince, span }}>
              A task waits from when a worker could have it until one does; trends show failures.
            </Since>
          </>
        )}
      </Loaded>
    </div>
  );
}

interface BarProps {
  readonly span: (typeof spans)[number];
  readonly label: string;
}

function Bar({ span, label }: BarProps): ReactElement {
  return (
    <div className="row between">
      <FilterField label={label} />
      <WindowChoice spans={spans} span={span} />
    </div>
  );
}

function Since(props: {
  readonly countedSince: number;
  readonly span: string;
  readonly children: string;
}): ReactElement {
  const isShort = props.countedSince > Date.parse(sinceOf(props.span));
  return (
    <p className="quiet">
      {props.children}
      {isShort && ` Counted since ${moment(props.countedSince)}.`}
    </p>
  );
}

/** A right-aligned number; '' and last in order where there is none. */
function number<Row>(
  title: string,
  width: string,
  value: (row: Row) => number | undefined,
  shown: (value: number) => string,
): SortableColumn<Row> {
  const cell = (row: Row): string => {
    const known = value(row);
    return known === undefined ? '' : shown(known);
  };
  return { title, width, isNumber: true, value, cell };
}

const endedOf = ({ completed, failed, timedOut, terminated }: WorkflowPerformance): number =>
  completed + failed + timedOut + terminated;
const badOf = ({ failed, timedOut }: WorkflowPerformance): number => failed + timedOut;

/** undefined without any. */
function shareOf(part: number, all: number): number | undefined {
  return all === 0 ? undefined : part / all;
}

function failures<Row>(
  share: (row: Row) => number | undefined,
  cell: (row: Row, text: string) => ReactElement,
): SortableColumn<Row> {
  return {
    title: 'Failed',
    width: '62px',
    isNumber: true,
    value: share,
    cell: (row) => {
      const known = share(row);
      return known === undefined ? '' : known === 0 ? '0 %' : cell(row, percent(known));
    },
  };
}

function trend<Row>(
  name: (row: Row) => string,
  failed: (row: Row) => readonly number[],
): SortableColumn<Row> {
  const sum = (row: Row): number => failed(row).reduce((all, each) => all + each, 0);
  return {
    title: 'Trend',
    width: '122px',
    // Tasks that got worse: the failures of the later half.
    value: (row) =>
      failed(row)
        .slice(-6)
        .reduce((all, each) => all + each, 0),
    cell: (row) =>
      sum(row) === 0 ? (
        ''
      ) : (
        <Trend
          label={`Failures of ${name(row)} over time: ${failed(row).join(', ')}`}
          values={failed(row)}
        />
      ),
  };
}

const definitionColumns = (span: string): readonly SortableColumn<WorkflowPerformance>[] => [
  {
    title: 'Definition',
    width: 'minmax(120px, 2fr)',
    value: ({ name }) => name,
    cell: ({ name }) =>
      name === '' ? (
        'Others'
      ) : (
        <PageLink to={`/definitions/${encodeURIComponent(name)}`}>{name}</PageLink>
      ),
  },
  number('Started', '78px', ({ started }) => started, count),
  number('Ended', '72px', endedOf, count),
  failures(
    (row) => shareOf(badOf(row), endedOf(row)),
    ({ name }, text) => (
      <PageLink
        to="/executions"
        className="error-text"
        view={{ type: name, status: 'FAILED,TIMED_OUT', from: sinceOf(span) }}
      >
        {text}
      </PageLink>
    ),
  ),
  trend(
    ({ name }) => name,
    (row) => row.trend.failed,
  ),
  number('p50', '92px', ({ tookMs }) => tookMs?.p50, duration),
  number('p95', '92px', ({ tookMs }) => tookMs?.p95, duration),
];

const columnsBySpan = new Map(spans.map((span) => [span, definitionColumns(span)]));

interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly span: (typeof spans)[number];
}

function DefinitionTable({ rows, span }: TableProps<WorkflowPerformance>): ReactElement {
  const navigate = useNavigate();
  const { fits } = useFilter();
  const columns = columnsBySpan.get(span) ?? [];
  const sorted = useSorted(
    rows.filter(({ name }) => fits(name)),
    columns,
  );
  if (rows.length === 0)
    return <Empty>No execution started or ended in the last {spanWord(span)}.</Empty>;
  return (
    <ListTable
      label="Definitions"
      {...sorted}
      keyOf={({ name }) => name}
      open={({ name }) => void navigate({ to: `/definitions/${encodeURIComponent(name)}` })}
    />
  );
}

const queueAddress = (taskType: string): string => `/queues/${encodeURIComponent(taskType)}`;
const domainView = (domain: string): Record<string, string> => (domain === '' ? {} : { domain });

const taskColumns: readonly SortableColumn<TaskPerformance>[] = [
  {
    title: 'Task type',
    width: 'minmax(120px, 2fr)',
    value: ({ taskType }) => taskType,
    cell: ({ taskType, domain }) =>
      taskType === '' ? (
        'Others'
      ) : (
        <>
          <PageLink to={queueAddress(taskType)} view={domainView(domain)}>
            {taskType}
          </PageLink>
          {domain !== '' && <span className="quiet"> in {domain}</span>}
        </>
      ),
  },
  number('Scheduled', '82px', ({ scheduled }) => scheduled, count),
  number('Completed', '86px', ({ completed }) => completed, count),
  failures(
    ({ completed, failed }) => shareOf(failed, completed + failed),
    (_row, text) => <b className="error-text">{text}</b>,
  ),
  trend(
    ({ taskType }) => taskType,
    (row) => row.trend.failed,
  ),
  number('Wait p50', '80px', ({ waitMs }) => waitMs?.p50, duration),
  number('Wait p95', '80px', ({ waitMs }) => waitMs?.p95, duration),
  number('Run p50', '80px', ({ runMs }) => runMs?.p50, duration),
  number('Run p95', '80px', ({ runMs }) => runMs?.p95, duration),
];

function TaskTable({ rows, span }: TableProps<TaskPerformance>): ReactElement {
  const navigate = useNavigate();
  const { fits } = useFilter();
  const sorted = useSorted(
    rows.filter(({ taskType }) => fits(taskType)),
    taskColumns,
  );
  if (rows.length === 0) return <Empty>No task was queued in the last {spanWord(span)}.</Empty>;
  return (
    <ListTable
      label="Task types"
      {...sorted}
      keyOf={({ taskType, domain }) => `${domain}:${taskType}`}
      open={({ taskType, domain }) =>
        void navigate({ to: queueAddress(taskType), search: domainView(domain) as never })
      }
    />
  );
}
