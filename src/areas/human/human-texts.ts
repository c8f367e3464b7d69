// Full text over many human tasks with a text index (search/text-index.ts): words of the input and
// output of a task. States and definitions are answered by the index too; what else a search asks
// is checked on the entries of what is left, newest first.
import { inSlices, type Steps } from '../../std/slices.js';
import { rarestWordsFirst, united, type DocumentSet } from '../../std/text-corpus.js';
import {
  humanStates,
  type HumanState,
  type HumanTaskEntry,
} from '../../model/human/human-entry.js';
import { fullTextOf, wordsOf, type HumanSearch } from '../../model/human/human-search.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';
import type { IndexedDocuments } from '../../operation/search/indexed-documents.js';
import {
  TextIndex,
  type IndexedItem,
  type TextIndexParts,
} from '../../operation/search/text-index.js';

export type HumanTaskTexts = TextIndex<string, HumanState>;
type Documents = IndexedDocuments<string, HumanState>;

/** Characters of one task; longer ones are read. */
const charsMax = 16 * 1024;

export function createHumanTaskTexts(
  store: Pick<HumanTaskStore, 'scan' | 'entries'>,
  parts: Omit<TextIndexParts<string, HumanState>, 'statuses' | 'scan' | 'read'>,
): HumanTaskTexts {
  return new TextIndex({
    ...parts,
    statuses: humanStates,
    scan: () => store.scan(),
    read: async (ids) => (await store.entries(ids)).map((entry) => entry && toItem(entry)),
  });
}

function toItem(entry: HumanTaskEntry): IndexedItem<string, HumanState> {
  const { taskId, state, definitionName, updatedOn } = entry;
  const text = fullTextOf(entry);
  return {
    id: taskId,
    facts: { name: definitionName, status: state, startedAt: updatedOn },
    text: text.length > charsMax ? undefined : text,
  };
}

/** Tasks that fit words, states and definitions, newest change first; some may have to be read. */
export async function humanTasksWith(
  documents: Documents,
  search: HumanSearch,
): Promise<{ found: readonly number[]; hasUnread: boolean }> {
  const names = search.definitionNames;
  const named = documents.ownersThat(({ name }) => names.length === 0 || names.includes(name));
  const hasState = documents.statusesThat(search.states.length === 0 ? undefined : search.states);
  const isAsked = (document: number): boolean =>
    named[documents.ownerNumber(document)] === 1 && hasState(document);
  const within = documents.corpus
    .everything()
    .map((isIn, document) => (isIn === 1 && isAsked(document) ? 1 : 0));
  const set = await inSlices(documentsWith(documents, wordsOf(search.fullTextQuery), within));
  const found: number[] = [];
  let hasUnread = false;
  for (let document = 0; document < set.length; document += 1) {
    const isUnread = documents.cut.has(document);
    if ((set[document] === 0 && !isUnread) || !isAsked(document)) continue;
    hasUnread ||= isUnread;
    found.push(document);
  }
  return { found, hasUnread };
}

/** Those of `within` that hold all words of one of the alternatives. */
function* documentsWith(
  { corpus }: Documents,
  alternatives: readonly (readonly string[])[],
  within: DocumentSet,
): Steps<DocumentSet> {
  let found: DocumentSet = new Uint8Array();
  for (const words of alternatives) {
    let left = within;
    for (const part of rarestWordsFirst(
      corpus,
      words.filter((word) => word !== ''),
    )) {
      left = yield* corpus.containing({ part, within: left });
    }
    found = united(found, left);
  }
  return found;
}
