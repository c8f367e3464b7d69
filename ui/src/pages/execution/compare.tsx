// This execution beside another one: where they part, both in one graph, their tasks, and what
// differs in input and output.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { Found, Workflow, WorkflowSummary } from '../../api/types';
import { Button } from '../../design/controls';
import { ListTable, type Column } from '../../design/list-table';
import { Loaded } from '../../design/notes';
import { PageLink } from '../../design/page-link';
import { Status, statusWord } from '../../design/status';
import { duration } from '../../state/format';
import { useView } from '../../state/view';
import { CompareGraph } from './compare-graph';
import { differencesOf, taskPairs, type Difference, type TaskPair } from './differences';
import { readOutline, type Outline, type TaskRow } from './outline';

interface CompareProps {
  readonly outline: Outline;
  readonly showTask: (taskId: string) => void;
}

export function Compare({ outline, showTask }: CompareProps): ReactElement {
  const [view] = useView();
  const other = view['compare'];
  return (
    <div className="stack">
      <ChooseOther outline={outline} />
      {other !== undefined && <Compared {...{ outline, showTask }} otherId={other} />}
    </div>
  );
}

const suggestedMax = 20;

function ChooseOther({ outline: { head } }: { readonly outline: Outline }): ReactElement {
  const [view, change] = useView();
  const [typed, type] = useState(view['compare'] ?? '');
  const query = `workflowType = "${head.workflowName}"`;
  const recent = useQuery({
    queryKey: ['recent', head.workflowName],
    queryFn: ({ signal }) => {
      const asked = new URLSearchParams({ query, size: String(suggestedMax), freeText: '*' });
      return ask<Found<WorkflowSummary>>(`/api/workflow/search?${asked.toString()}`, { signal });
    },
  });
  const others = recent.data?.results.filter(({ workflowId }) => workflowId !== head.workflowId);
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        change({ compare: typed.trim() });
      }}
    >
      <input
        className="grow mono"
        aria-label="Id of the other execution"
        placeholder="Id of the other execution"
        list="others-to-compare"
        value={typed}
        onChange={(event) => type(event.target.value)}
      />
      <datalist id="others-to-compare">
        {(others ?? []).map(({ workflowId, status, startTime }) => (
          <option key={workflowId} value={workflowId}>
            {statusWord(status)} {startTime}
          </option>
        ))}
      </datalist>
      <Button type="submit" look="main">
        Compare
      </Button>
    </form>
  );
}

interface ComparedProps extends CompareProps {
  readonly otherId: string;
}

function Compared({ outline, showTask, otherId }: ComparedProps): ReactElement {
  const { workflowId } = outline.head;
  const query = useQuery({
    queryKey: ['compared', workflowId, otherId, outline.revision],
    queryFn: async ({ signal }) => {
      const read = (id: string): Promise<Workflow> =>
        ask(`/api/workflow/${encodeURIComponent(id)}?includeTasks=false`, { signal });
      const [there, mine, other] = await Promise.all([
        readOutline(otherId, signal),
        read(workflowId),
        read(otherId),
      ]);
      return { there, mine, other };
    },
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={query}>
      {({ there, mine, other }) => {
        const pairs = taskPairs(outline, there);
        return (
          <>
            <Heads here={outline} there={there} />
            <p>{divergence(pairs)}</p>
            <CompareGraph
              here={outline}
              there={there}
              parted={firstParted(pairs)?.ref}
              showTask={showTask}
            />
            <ListTable
              label="Tasks of both"
              rows={pairs}
              columns={columns}
              keyOf={({ ref }) => ref}
            />
            <Differences title="Input" found={differencesOf(mine.input, other.input)} />
            <Differences title="Output" found={differencesOf(mine.output, other.output)} />
          </>
        );
      }}
    </Loaded>
  );
}

function Heads({ here, there }: { readonly here: Outline; readonly there: Outline }): ReactElement {
  return (
    <div className="split">
      {[here, there].map(({ head }, index) => (
        <div key={head.workflowId} className="panel stack">
          <h2>{index === 0 ? 'This execution' : 'The other one'}</h2>
          <PageLink to={`/executions/${head.workflowId}`} className="mono">
            {head.workflowId}
          </PageLink>
          <div className="row">
            <Status status={head.status} />
            <span>
              {head.workflowName} version {head.workflowVersion}
            </span>
            <span className="quiet">{duration((head.endTime || Date.now()) - head.startTime)}</span>
          </div>
        </div>
      ))}
    </div>
  );
}

const firstParted = (pairs: readonly TaskPair[]): TaskPair | undefined =>
  pairs.find(({ differs }) => differs);

function divergence(pairs: readonly TaskPair[]): string {
  const first = firstParted(pairs);
  if (first === undefined) return 'Their tasks took the same course.';
  const say = (task: TaskRow | undefined): string =>
    task === undefined ? 'was not reached' : statusWord(task.status).toLowerCase();
  return `They part at ${first.ref}: here ${say(first.here)}, there ${say(first.there)}.`;
}

const ranFor = (task: TaskRow | undefined): string =>
  task === undefined || task.startTime === 0
    ? ''
    : duration((task.endTime || Date.now()) - task.startTime);
const statusOf = (task: TaskRow | undefined): ReactElement | string =>
  task === undefined ? 'not reached' : <Status status={task.status} />;

const columns: readonly Column<TaskPair>[] = [
  { title: 'Task', width: 'minmax(120px, 2fr)', cell: ({ ref }) => ref },
  { title: 'Here', width: '130px', cell: ({ here }) => statusOf(here) },
  { title: 'There', width: '130px', cell: ({ there }) => statusOf(there) },
  { title: 'Ran here', width: '90px', cell: ({ here }) => ranFor(here) },
  { title: 'Ran there', width: '90px', cell: ({ there }) => ranFor(there) },
  { title: 'Differs', width: '80px', cell: ({ differs }) => (differs ? 'yes' : '') },
];

interface DifferencesProps {
  readonly title: string;
  readonly found: readonly Difference[];
}

function Differences({ title, found }: DifferencesProps): ReactElement {
  return (
    <section className="stack">
      <h2>{title}</h2>
      {found.length === 0 ? (
        <p className="quiet">The same in both.</p>
      ) : (
        <ListTable
          label={`Differences of the ${title.toLowerCase()}`}
          rows={found}
          columns={differenceColumns}
          keyOf={({ path }) => path}
        />
      )}
    </section>
  );
}

const shown = (value: unknown): ReactElement | string => {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return (
    <code title={text.length > 60 ? text.slice(0, 1000) : undefined}>{text.slice(0, 200)}</code>
  );
};

const differenceColumns: readonly Column<Difference>[] = [
  { title: 'Member', cell: ({ path }) => <code>{path === '' ? 'all of it' : path}</code> },
  { title: 'Here', width: 'minmax(100px, 2fr)', cell: ({ here }) => shown(here) },
  { title: 'There', width: 'minmax(100px, 2fr)', cell: ({ there }) => shown(there) },
];
