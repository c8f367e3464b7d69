// Finds human tasks (contract-admin 10.8). ADMIN shows administrators everything, and others the
// tasks of executions they own; INBOX shows what the caller may do: assigned to it or to one of its
// groups, claimed by it, or open to everybody.
import { isAdministrator, type Caller } from '../../model/caller.js';
import type { HumanTaskEntry } from '../../model/human/human-entry.js';
import { isPattern, restOf, type HumanSearch } from '../../model/human/human-search.js';
import type { HumanTaskPage, HumanTaskStore } from '../../store/human-task-store.js';
import { isUser } from './human-tasks.js';

/** The page that was asked for, newest change first, and how many fit. */
export async function searchHumanTasks(
  store: HumanTaskStore,
  caller: Caller,
  search: HumanSearch,
): Promise<HumanTaskPage> {
  const rest = restOf(search);
  const visible = visibleTo(caller, search.searchType);
  const fits =
    rest === undefined || visible === undefined
      ? (rest ?? visible)
      : (entry: HumanTaskEntry): boolean => rest(entry) && visible(entry);
  const { start, size, states, assignees, claimants, definitionNames } = search;
  return await store.search({
    ...{ start, size, states, definitionNames, fits },
    assignees: assignees.some(isPattern) ? [] : assignees,
    claimants: claimants.some(isPattern) ? [] : claimants,
  });
}

/** Display names; none for somebody who asks as an administrator and is none. */
export async function humanTaskNames(
  store: HumanTaskStore,
  caller: Caller,
  searchType: 'ADMIN' | 'INBOX',
): Promise<string[]> {
  if (searchType === 'ADMIN' && !isAdministrator(caller)) return [];
  return await store.displayNames();
}

/** undefined: all of them. While authentication is off everything is everybody's. */
export function visibleTo(
  caller: Caller,
  searchType: 'ADMIN' | 'INBOX' | undefined,
):
  | ((entry: Pick<HumanTaskEntry, 'assignee' | 'claimant' | 'state' | 'createdBy'>) => boolean)
  | undefined {
  const isAdmin = isAdministrator(caller);
  if (caller.kind === 'local') return undefined;
  const type = searchType ?? (isAdmin ? 'ADMIN' : 'INBOX');
  if (type === 'ADMIN') return isAdmin ? undefined : ({ createdBy }) => createdBy === caller.id;
  return ({ assignee, claimant, state }) =>
    isUser(caller, claimant) ||
    isUser(caller, assignee) ||
    (assignee === undefined &&
      claimant === undefined &&
      (state === 'ASSIGNED' || state === 'PENDING'));
}
