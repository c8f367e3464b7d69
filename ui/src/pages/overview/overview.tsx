// The first page: what runs, and what needs attention, each cause with its count and a link.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactElement } from 'react';
import { ask } from '../../api/client';
import { workflowStatuses, type Attention, type Overview as Answer } from '../../api/types';
import { PageLink } from '../../design/page-link';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Status } from '../../design/status';
import { sinceOf, spanWord, useWindow, WindowChoice } from '../../design/window-choice';
import { overviewMs } from '../../live/polling';
import { useLiveState } from '../../live/queries';
import { count } from '../../state/format';
import { useFeatures } from '../../state/features';
import { SampleButton } from './sample';

const OverTime = lazy(() =>
  import('./over-time').then(({ OverTime: component }) => ({ default: component })),
);
const Storage = lazy(() =>
  import('./storage').then(({ Storage: component }) => ({ default: component })),
);

const windows = ['15m', '1h', '1d', '7d'] as const;

export function Overview(): ReactElement {
  const span = useWindow(windows);
  const path = `/api/stats/overview?window=${span}`;
  const queryKey = ['overview', span];
  const overview = useQuery({
    queryKey,
    queryFn: ({ signal }) => ask<Answer>(path, { signal }),
    refetchInterval: useLiveState(`overview:${span}`, queryKey, overviewMs),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead
        title="Overview"
        call={{ method: 'GET', path }}
        actions={<WindowChoice spans={windows} span={span} />}
      />
      <Loaded query={overview}>
        {(answer) =>
          total(answer.counts) === 0 ? (
            <FirstSteps />
          ) : (
            <>
              <AttentionList list={answer.attention} span={span} />
              <section className="stack" aria-label="Executions">
                <h2>Executions</h2>
                <StatusTiles counts={answer.counts} />
              </section>
              <section className="stack" aria-label="Started lately">
                <h2>Started in the last {spanWord(span)}</h2>
                <StatusTiles counts={answer.started} since={sinceOf(span)} />
              </section>
              <Suspense>
                <OverTime span={span} perMinute={answer.perMinute} />
                <Storage />
              </Suspense>
            </>
          )
        }
      </Loaded>
      <ServerFacts />
    </>
  );
}

/** Shown until the first execution. */
function FirstSteps(): ReactElement {
  return (
    <Empty
      action={
        <div className="row">
          <SampleButton />
          <PageLink to="/definition-editor" className="button plain">
            Write a definition
          </PageLink>
          <a href="api-docs" className="button plain">
            Read the API
          </a>
        </div>
      }
      command={`curl ${location.origin}/api/stats/overview`}
    >
      <b>Nothing has run yet.</b> The sample registers a small workflow, starts it and opens it: no
      worker is needed.
    </Empty>
  );
}

function total(counts: Answer['counts']): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

interface StatusTilesProps {
  readonly counts: Answer['counts'];
  /** Start of the window that is counted, as the list of executions takes it. */
  readonly since?: string;
}

function StatusTiles({ counts, since }: StatusTilesProps): ReactElement {
  const window = since === undefined ? {} : { from: since };
  return (
    <div className="tiles">
      {workflowStatuses.map((status) => (
        <PageLink key={status} to="/executions" view={{ status, ...window }}>
          <b>{count(counts[status] ?? 0)}</b>
          <Status status={status} />
        </PageLink>
      ))}
    </div>
  );
}

interface AttentionListProps {
  readonly list: readonly Attention[];
  readonly span: string;
}

function AttentionList({ list, span }: AttentionListProps): ReactElement {
  return (
    <section className="panel" aria-label="Needs attention">
      <h2>Needs attention</h2>
      {list.length === 0 ? (
        <p>Nothing stands still, and nothing has failed in the last {spanWord(span)}.</p>
      ) : (
        <ul className="plain">
          {list.map((each) => (
            <li key={each.sentence} className="counted">
              <b>{count(each.count)}</b>
              <PageLink {...targetOf(each)}>{each.sentence}</PageLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function targetOf(each: Attention): { to: string; view: Record<string, string> } {
  if (each.kind === 'human-due') return { to: '/inbox', view: { view: 'open' } };
  if (each.kind === 'human') return { to: `/inbox/${each.taskId ?? ''}`, view: {} };
  if (each.workflowId !== undefined) return { to: `/executions/${each.workflowId}`, view: {} };
  if (each.taskType === undefined) return { to: '/executions', view: { q: each.query ?? '' } };
  const view = each.domain ? { domain: each.domain } : {};
  return { to: `/queues/${encodeURIComponent(each.taskType)}`, view: view as never };
}

function ServerFacts(): ReactElement | null {
  const features = useFeatures();
  if (features === undefined) return null;
  return (
    <p className="quiet">
      Version {features.version}. Durability {features.durability}.
    </p>
  );
}
