// Counts beside the entries of the menu: only what a person has to look at, so that a menu without
// any is quiet. They are asked for now and then; the pages themselves show them as they happen.
import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/client';
import type { Found, HumanTaskEntry, Overview } from '../api/types';
import { useFeatures, useServed } from '../state/features';
import { counted } from '../state/format';

export interface MenuCount {
  readonly count: number;
  readonly isBad: boolean;
  /** The counted things. */
  readonly words: string;
}

const everyMs = 10_000;
const openStates = ['PENDING', 'ASSIGNED', 'IN_PROGRESS'];

/** By address of the page; nothing for those that are quiet. */
export function useMenuCounts(): ReadonlyMap<string, MenuCount> {
  const isServed = useServed();
  const isKnown = useFeatures() !== undefined;
  const overview = useQuery({
    queryKey: ['menu', 'overview'],
    queryFn: ({ signal }) => ask<Overview>('/api/stats/overview?window=1d', { signal }),
    enabled: isKnown,
    refetchInterval: everyMs,
  });
  const inbox = useQuery({
    queryKey: ['menu', 'inbox'],
    queryFn: ({ signal }) => {
      const body = { searchType: 'INBOX', states: openStates, start: 0, size: 1 };
      const path = '/api/human/tasks/search';
      return ask<Found<HumanTaskEntry>>(path, { method: 'POST', body, signal });
    },
    enabled: isServed('human/tasks'),
    refetchInterval: everyMs,
  });
  const { FAILED = 0, TIMED_OUT = 0 } = overview.data?.started ?? {};
  const queues = (overview.data?.attention ?? []).filter(({ kind }) => kind === 'queue').length;
  const mine = inbox.data?.totalHits ?? 0;
  const all: readonly (readonly [string, MenuCount])[] = [
    ['/failures', bad(FAILED + TIMED_OUT, 'failed of those that started within a day')],
    ['/queues', bad(queues, `${queues === 1 ? 'queue is' : 'queues are'} held up`)],
    ['/inbox', { count: mine, isBad: false, words: `${counted(mine, 'task')} for you` }],
  ];
  return new Map(all.filter(([, { count }]) => count > 0));
}

function bad(count: number, words: string): MenuCount {
  return { count, isBad: true, words: `${count} ${words}` };
}
