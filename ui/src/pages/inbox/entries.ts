// Human tasks as the inbox asks for them.
import { ask } from '../../api/client';
import type { Found, HumanTaskEntry } from '../../api/types';

/** `open`: of everybody, which administrators alone see. */
export type InboxView = 'mine' | 'open' | 'all';

export function inboxViews(isAdministrator: boolean): readonly InboxView[] {
  return isAdministrator ? ['mine', 'open', 'all'] : ['mine', 'all'];
}

const openStates = ['PENDING', 'ASSIGNED', 'IN_PROGRESS'];
export const tasksPath = '/api/human/tasks';
const size = 100;

interface Asked {
  readonly view: InboxView;
  readonly isAdministrator: boolean;
}

/**
 * What is due first comes first, behind that what is never due, the longest waiting first. The
 * server orders what is open; of all, the newest changes are listed.
 */
export async function searchEntries(
  { view, isAdministrator }: Asked,
  signal?: AbortSignal,
): Promise<readonly HumanTaskEntry[]> {
  const body = {
    searchType: view === 'mine' || !isAdministrator ? 'INBOX' : 'ADMIN',
    ...(view === 'all' ? {} : { states: openStates, sort: 'dueTime:ASC' }),
    start: 0,
    size,
  };
  const found = await ask<Found<HumanTaskEntry>>(`${tasksPath}/search`, {
    method: 'POST',
    body,
    ...(signal === undefined ? {} : { signal }),
  });
  return [...found.results].sort(
    (a, b) =>
      (a.dueTime ?? never) - (b.dueTime ?? never) || (a.createdOn ?? 0) - (b.createdOn ?? 0),
  );
}

/** Behind all moments. */
const never = Number.MAX_SAFE_INTEGER;
