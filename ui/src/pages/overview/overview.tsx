// The first page: what runs, and what needs attention, each cause with its count and a link.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { ask } from '../../api/client';
import { workflowStatuses, type WorkflowStatus } from '../../api/types';
import { PageLink } from '../../design/page-link';
import { Empty, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Status } from '../../design/status';
import { useWindow, WindowChoice } from '../../design/window-choice';
import { overviewMs } from '../../live/polling';
import { useLiveState } from '../../live/queries';
import { count } from '../../state/format';
import { useFeatures } from '../../state/features';
import { SampleButton } from './sample';

type Counts = Readonly<Partial<Record<WorkflowStatus, number>>>;

interface Attention {
  readonly kind: 'queue' | 'failures' | 'paused';
  readonly count: number;
  readonly sentence: string;
  readonly taskType?: string;
  readonly domain?: string;
  readonly query?: string;
}

interface OverviewAnswer {
  readonly counts: Counts;
  readonly started: Counts;
  readonly attention: readonly Attention[];
}

const windows = ['15m', '1h', '1d', '7d'] as const;

export function Overview(): ReactElement {
  const span = useWindow(windows);
  const path = `/api/stats/overview?window=${span}`;
  const queryKey = ['overview', span];
  const overview = useQuery({
    queryKey,
    queryFn: ({ signal }) => ask<OverviewAnswer>(path, { signal }),
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
            <Empty action={<SampleButton />} command={`curl ${location.origin}/api/stats/overview`}>
              Nothing has run yet. The sample registers a small workflow and starts it.
            </Empty>
          ) : (
            <>
              <AttentionList list={answer.attention} />
              <section className="stack" aria-label="Executions">
                <h2>Executions</h2>
                <StatusTiles counts={answer.counts} />
              </section>
              <section className="stack" aria-label="Started lately">
                <h2>Started in the last {span}</h2>
                <StatusTiles counts={answer.started} />
              </section>
            </>
          )
        }
      </Loaded>
      <ServerFacts />
    </>
  );
}

function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

function StatusTiles({ counts }: { readonly counts: Counts }): ReactElement {
  return (
    <div className="tiles">
      {workflowStatuses.map((status) => (
        <PageLink key={status} to="/executions" view={{ status }}>
          <b>{count(counts[status] ?? 0)}</b>
          <Status status={status} />
        </PageLink>
      ))}
    </div>
  );
}

function AttentionList({ list }: { readonly list: readonly Attention[] }): ReactElement {
  return (
    <section className="panel" aria-label="Needs attention">
      <h2>Needs attention</h2>
      {list.length === 0 ? (
        <p>Nothing stands still.</p>
      ) : (
        <ul className="plain">
          {list.map((each) => (
            <li key={each.sentence} className="row">
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
  if (each.kind !== 'queue') return { to: '/executions', view: { q: each.query ?? '' } };
  const view = each.domain ? { domain: each.domain } : {};
  return { to: `/queues/${encodeURIComponent(each.taskType ?? '')}`, view: view as never };
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
