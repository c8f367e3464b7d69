// Searches for words among many executions with the text index. Clauses of words alone are answered
// by the index, by sets of documents; names, statuses and start times by its arrays. The other
// clauses are checked on the headers of the rest.
import type { ExecutionId } from '../../std/ids.js';
import { inSlices, type Steps } from '../../std/slices.js';
import { rarestWordsFirst, united, type DocumentSet } from '../../std/text-corpus.js';
import type { OwnedExecution } from '../../access/owned-execution.js';
import type { IndexRange } from '../../store/search-store.js';
import { conjuncts, type Expression } from './expression.js';
import type { IndexedExecutions } from './execution-texts.js';
import { planWorkflows, type Plan } from './plan.js';
import type { TextPattern } from './text-pattern.js';

/** A search, its clauses of words apart. */
export interface TextQuestion {
  readonly words: readonly Expression[];
  /** undefined: nothing else is asked. */
  readonly rest: Expression | undefined;
  /** Of the rest. */
  readonly plan: Plan;
}

/** undefined when no clause is of words alone, or ids say which executions are meant. */
export function textQuestion(expression: Expression | undefined): TextQuestion | undefined {
  if (expression === undefined) return undefined;
  const clauses = conjuncts(expression);
  const words = clauses.filter(isOfWords);
  if (words.length === 0) return undefined;
  const others = clauses.filter((clause) => !isOfWords(clause));
  const rest: Expression | undefined =
    others.length > 1 ? { kind: 'and', items: others } : others[0];
  const plan = planWorkflows(rest);
  return plan.ids !== undefined || plan.correlationIds !== undefined
    ? undefined
    : { words, rest, plan };
}

function isOfWords(expression: Expression): boolean {
  switch (expression.kind) {
    case 'word':
      return true;
    case 'compare':
      return false;
    case 'not':
      return isOfWords(expression.item);
    case 'and':
    case 'or':
      return expression.items.every(isOfWords);
  }
}

export interface TextHits {
  /** Numbers of documents that fit words and range. */
  readonly documents: readonly number[];
  /** Executions in the range whose texts the index does not hold. */
  readonly unread: readonly ExecutionId[];
}

/** Tells of what is owned so whether the caller may read it. */
type IsReadable = (execution: OwnedExecution) => boolean;

/** Fits words and range, and may be read by the caller. */
export async function findByText(
  index: IndexedExecutions,
  { words, plan }: TextQuestion,
  isReadable: IsReadable,
): Promise<TextHits> {
  const isInRange = rangeTest(index, plan.range, isReadable);
  const expression: Expression = { kind: 'and', items: words };
  const set = await inSlices(documentsOf(index, expression, documentsThat(index, isInRange)));
  const documents: number[] = [];
  for (let document = 0; document < set.length; document += 1) {
    if (set[document] === 1 && !index.cut.has(document) && isInRange(document)) {
      documents.push(document);
    }
  }
  const unread = [...index.cut].filter(isInRange).map((document) => index.idOf(document));
  return { documents, unread };
}

function documentsThat(
  { corpus }: IndexedExecutions,
  fits: (document: number) => boolean,
): DocumentSet {
  const set = corpus.everything();
  for (let document = 0; document < set.length; document += 1) {
    if (set[document] === 1 && !fits(document)) set[document] = 0;
  }
  return set;
}

/**
 * Those of `within` that fit. Rare words are looked for first, the others among the documents that
 * have those.
 */
function* documentsOf(
  index: IndexedExecutions,
  expression: Expression,
  within: DocumentSet,
): Steps<DocumentSet> {
  switch (expression.kind) {
    case 'word':
      return yield* documentsWith(index, expression.pattern, within);
    case 'not':
      return without(within, yield* documentsOf(index, expression.item, within));
    case 'and': {
      let left = within;
      for (const item of rarestFirst(index, expression.items)) {
        left = yield* documentsOf(index, item, left);
      }
      return left;
    }
    case 'or': {
      let found: DocumentSet = new Uint8Array();
      for (const item of expression.items) {
        found = united(found, yield* documentsOf(index, item, within));
      }
      return found;
    }
    case 'compare':
      throw new Error('A clause on a field is no clause of words');
  }
}

/** Patterns with wildcards are checked on each text that holds their rarest part. */
function* documentsWith(
  { corpus }: IndexedExecutions,
  pattern: TextPattern,
  within: DocumentSet,
): Steps<DocumentSet> {
  const fits = pattern.isPlain ? undefined : (text: string): boolean => pattern.matches(text);
  const [part] = rarestWordsFirst(corpus, pattern.parts);
  if (part !== undefined) return yield* corpus.containing({ part, within, fits });
  return fits === undefined ? within : yield* corpus.withSection(fits, within);
}

function rarestFirst(index: IndexedExecutions, items: readonly Expression[]): Expression[] {
  const frequencies = new Map(items.map((item) => [item, frequencyOf(index, item)]));
  return [...items].sort((a, b) => (frequencies.get(a) ?? 0) - (frequencies.get(b) ?? 0));
}

/** In a byte of text; 1, which is more than any word has, where it is not known. */
function frequencyOf(index: IndexedExecutions, expression: Expression): number {
  switch (expression.kind) {
    case 'word': {
      const { parts } = expression.pattern;
      return Math.min(1, ...parts.map((part) => index.corpus.frequency(part)));
    }
    case 'and':
      return Math.min(1, ...expression.items.map((item) => frequencyOf(index, item)));
    case 'or':
      return expression.items.reduce((sum, item) => sum + frequencyOf(index, item), 0);
    case 'not':
    case 'compare':
      return 1;
  }
}

function without(set: DocumentSet, taken: DocumentSet): DocumentSet {
  return set.map((isIn, document) => isIn & (1 - (taken[document] ?? 0)));
}

function rangeTest(
  index: IndexedExecutions,
  { names, statuses, fromAt, untilAt }: IndexRange,
  isReadable: IsReadable,
): (document: number) => boolean {
  const isNamed = index.ownersThat(({ name }) => names === undefined || names.includes(name));
  // An execution that began without a registration is readable by the time when it began
  // (docs/access.md).
  const isUndated = index.ownersThat(({ nameOwner }) => nameOwner === undefined);
  const isShown = index.ownersThat((owner) => isReadable({ ...owner, startedAt: 0 }));
  const hasStatus = index.statusesThat(statuses);
  const from = fromAt ?? -Infinity;
  const until = untilAt ?? Infinity;
  return (document) => {
    const startedAt = index.startedAt(document);
    const owner = index.ownerNumber(document);
    return (
      isNamed[owner] === 1 &&
      hasStatus(document) &&
      startedAt >= from &&
      startedAt <= until &&
      (isShown[owner] === 1 ||
        (isUndated[owner] === 1 && isReadable({ ...index.ownerOf(document), startedAt })))
    );
  };
}
