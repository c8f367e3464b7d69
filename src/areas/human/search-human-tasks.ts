// Finds human tasks (contract-admin 10.8). ADMIN shows administrators everything, and others the
// tasks of executions they own; INBOX shows what the caller may do: assigned to it or to one of its
// groups, claimed by it, or open to everybody.
import { isAdministrator, type Caller } from '../../model/caller.js';
import type { HumanTaskEntry } from '../../model/human/human-entry.js';
import { isPattern, restOf, type HumanSearch } from '../../model/human/human-search.js';
import type {
  HumanTaskPage,
  HumanTaskQuery,
  HumanTaskStore,
} from '../../store/human-task-store.js';
import { firstOf } from '../../operation/search/indexed-documents.js';
import { humanTasksWith, type HumanTaskTexts } from './human-texts.js';
import { isInbox, usersOf, visibleTo } from '../../model/human/visible-to.js';

/** The page that was asked for, and how many fit. */
export async function searchHumanTasks(
  { store, texts }: HumanTaskSources,
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
  const query: HumanTaskQuery = {
    ...{ start, size, states, definitionNames, fits },
    assignees: assignees.some(isPattern) ? [] : assignees,
    claimants: claimants.some(isPattern) ? [] : claimants,
    ...(search.sort === undefined ? {} : { order: 'due-first' }),
    ...(isInbox(caller, search.searchType) ? { involved: usersOf(caller) } : {}),
  };
  const isAnybodys = assignees.length === 0 && claimants.length === 0;
  const isAll = visible === undefined && search.sort === undefined && isAnybodys;
  const found = await searchTexts({ store, texts }, search, { query, isAll });
  return found ?? (await store.search(query));
}

export interface HumanTaskSources {
  readonly store: HumanTaskStore;
  /** Absent: full text looks at entries. */
  readonly texts?: HumanTaskTexts | undefined;
}

/** Among fewer tasks full text looks at their entries. */
const textIndexMin = 5000;
/** Tasks with the words whose entries are read when the search asks for more than words. */
const readMax = 20_000;

/**
 * With the text index, when words are looked for among many; undefined when it does not answer the
 * search. `isAll`: everybody's tasks are asked for, of any assignee and claimant, in the index's
 * order.
 */
async function searchTexts(
  { store, texts }: HumanTaskSources,
  search: HumanSearch,
  { query, isAll }: { query: HumanTaskQuery; isAll: boolean },
): Promise<HumanTaskPage | undefined> {
  const { fullTextQuery, start, size } = search;
  if (texts === undefined || fullTextQuery === '' || fullTextQuery === '*') return undefined;
  const { total } = await store.search({ ...query, size: 0, fits: undefined, ...noFacets });
  if (total < textIndexMin || (await smallestFacet(store, query)) <= facetMax) return undefined;
  const documents = await texts.current();
  if (documents === undefined) return undefined;
  const { found, hasUnread } = await humanTasksWith(documents, search);
  const isExact = isAll && !hasUnread && restOf({ ...search, fullTextQuery: '' }) === undefined;
  const limit = isExact ? start + size : readMax;
  const ids = firstOf(documents, found, { limit, newestFirst: true }).map(({ id }) => id);
  if (!isExact) return await store.search({ ...query, ids });
  const entries = await store.entries(ids.slice(start));
  return { entries: entries.filter((entry) => entry !== undefined), total: found.length };
}

/** A facet with fewer tasks is read whole, which is exact and costs less than the texts. */
const facetMax = 2000;

/** Tasks of the smallest facet that the query names; Infinity without one. */
async function smallestFacet(store: HumanTaskStore, query: HumanTaskQuery): Promise<number> {
  const { involved: _involved, ...everybodys } = query;
  const { assignees, claimants, definitionNames } = query;
  const facets = [
    ...(assignees.length > 0 ? [{ assignees }] : []),
    ...(claimants.length > 0 ? [{ claimants }] : []),
    ...(definitionNames.length > 0 ? [{ definitionNames }] : []),
  ];
  const alone = { ...everybodys, ...noFacets, size: 0, fits: undefined };
  const pages = await Promise.all(facets.map((facet) => store.search({ ...alone, ...facet })));
  return Math.min(...pages.map((page) => page.total));
}

const noFacets = { assignees: [], claimants: [], definitionNames: [] };

/** Display names; none for somebody who asks as an administrator and is none. */
export async function humanTaskNames(
  store: HumanTaskStore,
  caller: Caller,
  searchType: 'ADMIN' | 'INBOX',
): Promise<string[]> {
  if (searchType === 'ADMIN' && !isAdministrator(caller)) return [];
  return await store.displayNames();
}
