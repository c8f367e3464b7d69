// Searches for words among many executions with the text index. Clauses of words alone are answered
// by the index, by sets of documents; names, statuses and start times by its arrays. What the other
// clauses ask is checked on the headers of what is left.
import type { ExecutionId } from '../../std/ids.js';
import { inSlices, type Steps } from '../../std/slices.js';
import type { DocumentSet } from '../../std/text-corpus.js';
import type { IndexRange } from '../../store/search-store.js';
import { conjuncts, type Expression } from './expression.js';
import type { IndexedExecutions } from './execution-texts.js';
import { textsEnd } from './indexed-documents.js';
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

/** Fits words, range, and names that the caller may read. */
export async function findByText(
  index: IndexedExecutions,
  { words, plan }: TextQuestion,
  isReadable: (name: string) => boolean,
): Promise<TextHits> {
  let found: DocumentSet | undefined;
  for (const clause of words) {
    const fitting = await inSlices(documentsOf(index, clause));
    found = found === undefined ? fitting : combined(found, fitting, (a, b) => a & b);
  }
  const isInRange = rangeTest(index, plan.range, isReadable);
  const documents: number[] = [];
  const set = found ?? new Uint8Array();
  for (let document = 0; document < set.length; document += 1) {
    if (set[document] === 1 && !index.cut.has(document) && isInRange(document)) {
      documents.push(document);
    }
  }
  const unread = [...index.cut].filter(isInRange).map((document) => index.idOf(document));
  return { documents, unread };
}

function* documentsOf(index: IndexedExecutions, expression: Expression): Steps<DocumentSet> {
  switch (expression.kind) {
    case 'word':
      return yield* documentsWith(index, expression.pattern);
    case 'not': {
      const all = index.corpus.everything();
      return combined(all, yield* documentsOf(index, expression.item), (a, b) => a & (1 - b));
    }
    case 'and':
    case 'or': {
      const merge =
        expression.kind === 'and'
          ? (a: number, b: number): number => a & b
          : (a: number, b: number): number => a | b;
      let found: DocumentSet | undefined;
      for (const item of expression.items) {
        const fitting = yield* documentsOf(index, item);
        found = found === undefined ? fitting : combined(found, fitting, merge);
      }
      return found ?? index.corpus.everything();
    }
    case 'compare':
      throw new Error('A clause on a field is no clause of words');
  }
}

/** Patterns with wildcards are checked on each text that holds their longest part. */
function* documentsWith(index: IndexedExecutions, pattern: TextPattern): Steps<DocumentSet> {
  const { corpus } = index;
  const part = pattern.longest;
  const found = part === '' ? corpus.everything() : yield* corpus.containing(part);
  if (pattern.isPlain) return found;
  for (let document = 0; document < found.length; document += 1) {
    if (found[document] === 0) continue;
    // What fits one of the texts fits all of them in a row, which most do not.
    const all = corpus.text(document);
    const fits = pattern.matches(all) && all.split(textsEnd).some((text) => pattern.matches(text));
    if (!fits) found[document] = 0;
    if (document % documentsPerPause === 0) yield;
  }
  return found;
}

const documentsPerPause = 1000;

function combined(
  a: DocumentSet,
  b: DocumentSet,
  merge: (a: number, b: number) => number,
): DocumentSet {
  const both = new Uint8Array(Math.max(a.length, b.length));
  for (let i = 0; i < both.length; i += 1) both[i] = merge(a[i] ?? 0, b[i] ?? 0);
  return both;
}

function rangeTest(
  index: IndexedExecutions,
  { names, statuses, fromAt, untilAt }: IndexRange,
  isReadable: (name: string) => boolean,
): (document: number) => boolean {
  const namesFit = index.namesThat(
    (name) => isReadable(name) && (names === undefined || names.includes(name)),
  );
  const hasStatus = index.statusesThat(statuses);
  const from = fromAt ?? -Infinity;
  const until = untilAt ?? Infinity;
  return (document) => {
    const startedAt = index.startedAt(document);
    return (
      namesFit[index.nameNumber(document)] === 1 &&
      hasStatus(document) &&
      startedAt >= from &&
      startedAt <= until
    );
  };
}
