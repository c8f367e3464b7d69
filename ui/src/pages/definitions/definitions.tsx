// All workflow definitions, each with its newest version; the chosen one stands beside them in
// short, its name leads to all of it.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { WorkflowDef, WorkflowStats } from '../../api/types';
import { Button } from '../../design/controls';
import { FilterField, useFilter } from '../../design/filter-field';
import { PageLink } from '../../design/page-link';
import { ListTable } from '../../design/list-table';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Beside } from '../../design/pane';
import { useSorted, type SortableColumn } from '../../design/sorted';
import { ago, count, duration, moment, percent } from '../../state/format';
import { sinceOf, spanWord } from '../../design/window-choice';
import { useRefusal } from '../../state/rights';
import { useView } from '../../state/view';
import { DefinitionPane } from './definition-pane';
import { definitionAddress } from './definition-address';

const path = '/api/metadata/workflow/latest-versions';

const columnsWith = (stats: Stats): readonly SortableColumn<WorkflowDef>[] => [
  {
    title: 'Name',
    width: 'minmax(150px, 3fr)',
    value: ({ name }) => name,
    cell: ({ name, description = '' }) => (
      <span className="what plain" title={description}>
        <PageLink to={definitionAddress(name)}>{name}</PageLink>
        <small>{description}</small>
      </span>
    ),
  },
  {
    ...{ title: 'Runs', width: '72px', isNumber: true },
    value: ({ name }) => (stats.get(name) === undefined ? undefined : runsIn(stats, name)),
    cell: ({ name }) => runsOf(name, stats),
  },
  {
    ...{ title: 'Failed', width: '72px', isNumber: true },
    value: ({ name }) => failedShareOf(stats.get(name)),
    cell: ({ name }) => failedWord(failedShareOf(stats.get(name))),
  },
  {
    ...{ title: 'p95', width: '88px', isNumber: true },
    value: ({ name }) => stats.get(name)?.p95Ms,
    cell: ({ name }) => p95Of(stats.get(name)),
  },
  {
    ...{ title: 'Version', card: 'left-out', width: '72px', isNumber: true },
    value: ({ version }) => version,
    cell: ({ version }) => version,
  },
  {
    ...{ title: 'Tasks', card: 'left-out', width: '60px', isNumber: true },
    value: ({ tasks }) => tasks.length,
    cell: ({ tasks }) => tasks.length,
  },
  {
    title: 'Owner',
    card: 'left-out',
    width: 'minmax(72px, 1fr)',
    isOptional: true,
    value: ({ ownerEmail }) => ownerEmail,
    cell: ({ ownerEmail }) => ownerEmail ?? '',
  },
  {
    ...{ title: 'Changed', card: 'time', width: '126px', isNumber: true },
    value: ({ updateTime, createTime }) => updateTime || createTime,
    cell: ({ updateTime, createTime }) => changedWord(updateTime || createTime),
  },
  {
    title: 'Start',
    card: 'left-out',
    width: '52px',
    value: ({ name }) => name,
    cell: ({ name }) => (
      <PageLink to="/run" view={{ name }}>
        Run
      </PageLink>
    ),
  },
];

export function Definitions(): ReactElement {
  const definitions = useQuery({
    queryKey: ['definitions'],
    queryFn: ({ signal }) => ask<WorkflowDef[]>(path, { signal }),
    placeholderData: keepPreviousData,
  });
  const { fits } = useFilter();
  const refused = useRefusal('WORKFLOW_DEF')('CREATE');
  const create =
    refused === undefined ? (
      <PageLink to="/definition-editor" className="button main">
        New definition
      </PageLink>
    ) : (
      <Button refused={refused}>New definition</Button>
    );
  return (
    <>
      <PageHead
        title="Definitions"
        call={{ method: 'GET', path }}
        actions={
          <>
            <PageLink to="/templates" className="button">
              Templates
            </PageLink>
            {create}
          </>
        }
      />
      <Loaded query={definitions}>
        {(all) => {
          if (all.length === 0) return <NoDefinitions refused={refused} />;
          return (
            <>
              <FilterField label="Name" />
              <DefinitionTable all={all} rows={all.filter(({ name }) => fits(name))} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

interface DefinitionTableProps {
  readonly all: readonly WorkflowDef[];
  /** Those that the filter leaves. */
  readonly rows: readonly WorkflowDef[];
}

function DefinitionTable({ all, rows }: DefinitionTableProps): ReactElement {
  const [view, change] = useView();
  const chosen = all.find(({ name }) => name === view['id']);
  const names = rows.slice(0, statsMax).map(({ name }) => name);
  const asked = new URLSearchParams([
    ['window', statsWindow],
    ...names.map((name) => ['name', name]),
  ]);
  const stats = useQuery({
    queryKey: ['workflow-stats', names],
    queryFn: async ({ signal }) => {
      const path = `/api/stats/workflows?${asked.toString()}`;
      const all = await ask<readonly WorkflowStats[]>(path, { signal });
      return new Map(all.map((each) => [each.name, each]));
    },
    enabled: names.length > 0,
    refetchInterval: statsMs,
    placeholderData: keepPreviousData,
  });
  const columns = useMemo(() => columnsWith(stats.data ?? none), [stats.data]);
  const sorted = useSorted(rows, columns);
  return (
    <Beside
      pane={
        chosen !== undefined && (
          <DefinitionPane
            key={chosen.name}
            definition={chosen}
            stats={stats.data?.get(chosen.name)}
            onClose={() => change({ id: '' })}
          />
        )
      }
    >
      <ListTable
        label="Definitions"
        {...sorted}
        hasTwoLines
        shown={chosen?.name}
        briefColumns={chosen === undefined ? undefined : briefColumns}
        keyOf={({ name }) => name}
        open={({ name }) => change({ id: name })}
      />
      <p className="quiet">
        Runs are executions that started in the last {spanWord(statsWindow)}; failed is the share of
        those that ended which failed or timed out; p95: 19 of 20 of the newest completed ones took
        no longer.
        {rows.length > statsMax && ` Counted for the first ${statsMax}.`}
      </p>
    </Beside>
  );
}

/** As many as there is room for beside a pane. */
const briefColumns = 4;

type Stats = ReadonlyMap<string, WorkflowStats>;
const none: Stats = new Map();

const statsWindow = '7d';
/** Names of one question. */
const statsMax = 100;
const statsMs = 10_000;

/** Before the server has counted, as high as its answer: rows of narrow windows do not move. */
const uncounted = '–';

function runsOf(name: string, stats: Stats): ReactElement | string {
  const known = stats.get(name);
  if (known === undefined) return uncounted;
  return (
    <PageLink to="/executions" view={{ type: name, from: sinceOf(statsWindow) }}>
      {count(totalOf(known))}
    </PageLink>
  );
}

function totalOf({ counts }: WorkflowStats): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

/** Of the runs that ended; undefined before one did. */
function failedShareOf(stats: WorkflowStats | undefined): number | undefined {
  if (stats === undefined) return undefined;
  const { RUNNING = 0, PAUSED = 0, FAILED = 0, TIMED_OUT = 0 } = stats.counts;
  const ended = totalOf(stats) - RUNNING - PAUSED;
  return ended === 0 ? undefined : (FAILED + TIMED_OUT) / ended;
}

function failedWord(share: number | undefined): ReactElement | string {
  if (share === undefined || share === 0) return share === 0 ? '0 %' : uncounted;
  return <span className="error-text">{percent(share)}</span>;
}

function runsIn(stats: Stats, name: string): number {
  const known = stats.get(name);
  return known === undefined ? 0 : totalOf(known);
}

function changedWord(at: number | undefined): ReactElement | string {
  return at === undefined || at === 0 ? (
    ''
  ) : (
    <span title={moment(at)}>{ago(at).replace(/^on /, '')}</span>
  );
}

function p95Of(stats: WorkflowStats | undefined): string {
  return stats?.p95Ms === undefined ? uncounted : duration(stats.p95Ms);
}

function NoDefinitions({ refused }: { readonly refused: string | undefined }): ReactElement {
  return (
    <Empty
      action={
        refused === undefined ? (
          <PageLink to="/definition-editor" className="button main">
            Write the first one
          </PageLink>
        ) : (
          <Button refused={refused}>Write the first one</Button>
        )
      }
      command={`curl -X POST ${location.origin}/api/metadata/workflow -H 'content-type: application/json' -d @workflow.json`}
    >
      No workflow is defined yet. A definition says which tasks run, and in which order.
    </Empty>
  );
}
