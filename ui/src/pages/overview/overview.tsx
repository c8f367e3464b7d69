// The first page: what runs, and what needs attention, each cause with its count and a link.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useReducer, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import { workflowStatuses, type Attention, type Overview as Answer } from '../../api/types';
import { Icon, type IconName } from '../../design/icon';
import { PageLink } from '../../design/page-link';
import { firstLine } from '../../design/reason';
import './overview.css';
import { Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { Status } from '../../design/status';
import { sinceOf, spanWord, useWindow, WindowChoice } from '../../design/window-choice';
import { overviewMs } from '../../live/polling';
import { useLiveState } from '../../live/queries';
import { plainReason } from '../../state/causes';
import { count, duration, moment } from '../../state/format';
import { durabilityWords, useFeatures } from '../../state/features';

const Curves = lazy(() =>
  import('./curves').then(({ Curves: component }) => ({ default: component })),
);
const Side = lazy(() => import('./side').then(({ Side: component }) => ({ default: component })));
const OverTime = lazy(() =>
  import('./over-time').then(({ OverTime: component }) => ({ default: component })),
);
const SlowDefinitions = lazy(() =>
  import('../operations/performance').then(({ SlowDefinitions: component }) => ({
    default: component,
  })),
);
const Storage = lazy(() =>
  import('./storage').then(({ Storage: component }) => ({ default: component })),
);

const EmptyOverview = lazy(() =>
  import('../first-steps/empty-overview').then(({ EmptyOverview: component }) => ({
    default: component,
  })),
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
  const [isTableThere, tableIsThere] = useReducer(() => true, false);
  const [arePlotsThere, plotsAreThere] = useReducer(() => true, false);
  const there = isTableThere ? (arePlotsThere ? 'all' : 'table') : 'none';
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
            <Suspense>
              <EmptyOverview />
            </Suspense>
          ) : (
            <>
              <AttentionList list={answer.attention} span={span} />
              <Suspense fallback={<div className="curves" />}>
                <Curves span={span} perMinute={answer.perMinute} />
              </Suspense>
              <div className="overview-grid" data-there={there}>
                <div className="stack">
                  <Suspense>
                    <SlowDefinitions onThere={tableIsThere} />
                    <OverTime span={span} perMinute={answer.perMinute} onThere={plotsAreThere} />
                  </Suspense>
                </div>
                <div className="stack">
                  <section className="panel rows" aria-label="Executions">
                    <div className="panel-head">
                      <h2>Executions</h2>
                    </div>
                    <StatusRows counts={answer.counts} />
                  </section>
                  <section className="panel rows" aria-label="Started lately">
                    <div className="panel-head">
                      <h2>Started in the last {spanWord(span)}</h2>
                    </div>
                    <StatusRows counts={answer.started} since={sinceOf(span)} />
                  </section>
                  <Suspense>
                    <Side />
                    <Storage />
                  </Suspense>
                </div>
              </div>
            </>
          )
        }
      </Loaded>
      {overview.data !== undefined && <ServerFacts />}
    </>
  );
}

function total(counts: Answer['counts']): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

interface StatusRowsProps {
  readonly counts: Answer['counts'];
  /** Start of the window that is counted, as the list of executions takes it. */
  readonly since?: string;
}

function StatusRows({ counts, since }: StatusRowsProps): ReactElement {
  const window = since === undefined ? {} : { from: since };
  return (
    <div className="status-rows">
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

/** The worst kinds come first; each with the one thing to do about it. */
const urgency: Readonly<Record<Attention['kind'], { rank: number; icon: IconName; look: string }>> =
  {
    timer: { rank: 0, icon: 'st-bad', look: 'failed' },
    failures: { rank: 1, icon: 'st-bad', look: 'failed' },
    queue: { rank: 2, icon: 'warn', look: 'failed' },
    wait: { rank: 3, icon: 'st-late', look: 'timed-out' },
    'human-due': { rank: 4, icon: 'human', look: 'timed-out' },
    human: { rank: 5, icon: 'human', look: 'waiting' },
    paused: { rank: 6, icon: 'st-hold', look: 'paused' },
  };

/** The worst of them; the others are shown on demand. */
const foldedMax = 5;

/** The thing that stands still or has failed, and the words behind it. */
function parted(sentence: string): readonly [what: string, why: string] {
  const at = sentence.indexOf(': ');
  if (at < 0) return [sentence, ''];
  const why = sentence.slice(at + 2);
  // A name at its beginning stays as it is written.
  const isWord = /^\p{Ll}+[ ,]/u.test(why);
  return [sentence.slice(0, at), isWord ? why.charAt(0).toUpperCase() + why.slice(1) : why];
}

function AttentionList({ list, span }: AttentionListProps): ReactElement {
  const [isWhole, unfold] = useState(false);
  if (list.length === 0) {
    return (
      <section className="panel calm" aria-label="Needs attention">
        <h2 className="hidden-text">Needs attention</h2>
        <p className="status" data-kind="completed">
          <Icon name="check" />
          Nothing stands still, and nothing has failed in the last {spanWord(span)}.
        </p>
      </section>
    );
  }
  const held = new Set(list.flatMap((each) => (each.kind === 'queue' ? [queueOf(each)] : [])));
  const sorted = list
    // That a queue is held up says why its tasks wait.
    .filter((each) => each.kind !== 'wait' || !held.has(queueOf(each)))
    .sort((a, b) => urgency[a.kind].rank - urgency[b.kind].rank);
  return (
    <section className="panel rows" aria-label="Needs attention">
      <div className="panel-head">
        <h2>Needs attention</h2>
        <span className="pill">{count(sorted.length)}</span>
        <span className="row end grow">
          <PageLink to="/failures">All failures</PageLink>
        </span>
      </div>
      <ul className="attention">
        {(isWhole ? sorted : sorted.slice(0, foldedMax)).map((each, index) => {
          const { icon, look } = urgency[each.kind];
          const [what, why] = parted(plainReason(each.sentence));
          return (
            <li key={each.sentence} data-kind={look}>
              <Icon name={icon} />
              <b title="How many">{count(each.count)}</b>
              <PageLink {...targetOf(each)}>
                {what}
                {why !== '' && <small>{firstLine(why)}</small>}
              </PageLink>
              <span className="quiet" title={moment(each.since)}>
                {each.since !== undefined && `for ${duration(Date.now() - each.since)}`}
              </span>
              <PageLink
                {...targetOf(each)}
                className={index === 0 ? 'button small main' : 'button small'}
              >
                {actionOf(each)}
              </PageLink>
            </li>
          );
        })}
      </ul>
      {sorted.length > foldedMax && (
        <button
          type="button"
          className="unfold"
          aria-expanded={isWhole}
          onClick={() => unfold(!isWhole)}
        >
          {isWhole ? `The worst ${foldedMax} only` : `${count(sorted.length - foldedMax)} more`}
        </button>
      )}
    </section>
  );
}

const queueOf = ({ taskType = '', domain = '' }: Attention): string => `${domain}:${taskType}`;

/** The action that one takes there. */
function actionOf({ kind, taskType }: Attention): string {
  if (kind === 'failures') return 'See and retry';
  if (kind === 'human' || kind === 'human-due') return 'Open the inbox';
  if (kind === 'paused') return 'See and resume';
  return taskType === undefined ? 'Open' : 'Open the queue';
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
      Version {features.version}. {durabilityWords(features.durability)}
    </p>
  );
}
