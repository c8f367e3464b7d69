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
export const pageSize = 100;

interface Asked {
  readonly view: InboxView;
  readonly isAdministrator: boolean;
  /** Tasks before the first one. */
  readonly start?: number;
}

/**
 * Of what is open what is due first comes first, behind that what is never due, the longest waiting
 * first. Of all, what changed last comes first.
 */
export async function searchEntries(
  { view, isAdministrator, start = 0 }: Asked,
  signal?: AbortSignal,
): Promise<Found<HumanTaskEntry>> {
  const body = {
    searchType: view === 'mine' || !isAdministrator ? 'INBOX' : 'ADMIN',
    ...(view === 'all' ? {} : { states: openStates, sort: 'dueTime:ASC' }),
    start,
    size: pageSize,
  };
  return await ask<Found<HumanTaskEntry>>(`${tasksPath}/search`, {
    method: 'POST',
    body,
    ...(signal === undefined ? {} : { signal }),
  });
}
