// Whether an item fits an expression. Where it would take a part of the execution that has not been
// read, the answer is open (undefined): with the header alone most items can be told apart, and
// only what stays open is read in full.
import type { SearchEffort } from './effort.js';
import type { Expression, FieldKind, Test, Value } from './expression.js';
import { unread, type FieldValue, type SearchedKind } from './fields.js';
import { TextPattern } from './text-pattern.js';

/** Throws AppError 'bad-request' when that takes more than `effort` has left. */
export function matches<Item>(
  expression: Expression,
  item: Item,
  searched: SearchedKind<Item>,
  effort: SearchEffort,
): boolean | undefined {
  return holds(expression, new Looked(item, searched, effort));
}

/** An item under search, its texts in lower case made once. */
class Looked<Item> {
  readonly #lowered = new Map<string, string>();
  #words: readonly (string | typeof unread | undefined)[] | undefined;

  constructor(
    private readonly item: Item,
    private readonly searched: SearchedKind<Item>,
    private readonly effort: SearchEffort,
  ) {}

  field(name: string): { kind: FieldKind; value: FieldValue | typeof unread } | undefined {
    const field = this.searched.fields.get(name);
    return field && { kind: field.kind, value: field.get(this.item) };
  }

  /** The texts that are searched for a bare word, in lower case. */
  get words(): readonly (string | typeof unread | undefined)[] {
    return (this.#words ??= this.searched
      .texts(this.item)
      .map((text) => (typeof text === 'string' ? this.lower(text) : text)));
  }

  lower(text: string): string {
    let lowered = this.#lowered.get(text);
    if (lowered === undefined) {
      this.effort.spend(text.length);
      this.#lowered.set(text, (lowered = text.toLowerCase()));
    }
    return lowered;
  }

  fits(pattern: TextPattern, text: string): boolean {
    this.effort.spend(text.length * pattern.looksPerChar);
    return pattern.matches(text);
  }
}

function holds<Item>(expression: Expression, looked: Looked<Item>): boolean | undefined {
  switch (expression.kind) {
    case 'and':
      return all(expression.items, (each) => holds(each, looked));
    case 'or':
      return negated(all(expression.items, (each) => negated(holds(each, looked))));
    case 'not':
      return negated(holds(expression.item, looked));
    case 'compare': {
      const field = looked.field(expression.field);
      if (field === undefined) return false;
      const { value, kind } = field;
      if (value === unread) return undefined;
      return fits(expression.test, value, kind, looked);
    }
    case 'word':
      return holdsWord(expression.pattern, looked);
  }
}

function all(
  items: readonly Expression[],
  test: (item: Expression) => boolean | undefined,
): boolean | undefined {
  let isOpen = false;
  for (const item of items) {
    const result = test(item);
    if (result === false) return false;
    if (result === undefined) isOpen = true;
  }
  return isOpen ? undefined : true;
}

function negated(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function holdsWord<Item>(pattern: TextPattern, looked: Looked<Item>): boolean | undefined {
  let isOpen = false;
  for (const text of looked.words) {
    if (text === unread) isOpen = true;
    else if (text !== undefined && looked.fits(pattern, text)) return true;
  }
  return isOpen ? undefined : false;
}

function fits<Item>(test: Test, value: FieldValue, kind: FieldKind, looked: Looked<Item>): boolean {
  switch (test.op) {
    case '=':
      return equals(test.value, value, kind, looked);
    case '!=':
      return !equals(test.value, value, kind, looked);
    case 'in':
      return test.values.some((each) => equals(each, value, kind, looked));
    case '>':
      return compares(value, test.value, (order) => order > 0);
    case '<':
      return compares(value, test.value, (order) => order < 0);
    case '>=':
      return compares(value, test.value, (order) => order >= 0);
    case '<=':
      return compares(value, test.value, (order) => order <= 0);
    case 'between':
      return (
        compares(value, test.low, (order) => order >= 0) &&
        compares(value, test.high, (order) => order <= 0)
      );
    case 'null':
      return isMissing(value);
    case 'not-null':
      return !isMissing(value);
    case 'starts-with':
      return textsOf(value).some((text) => text.startsWith(test.value.text));
  }
}

function equals<Item>(
  asked: Value,
  value: FieldValue,
  kind: FieldKind,
  looked: Looked<Item>,
): boolean {
  if (kind === 'number') {
    if (asked.pattern !== undefined) {
      return asked.text === '*'
        ? value !== undefined
        : textsOf(value).some((text) => asked.pattern?.matches(text) === true);
    }
    return typeof value === 'number' && value === toNumber(asked.text);
  }
  if (kind === 'text') {
    return textsOf(value).some((text) => looked.fits(containing(asked), looked.lower(text)));
  }
  // Nothing there is the same as an empty text: `parentWorkflowId = ""` finds what has no parent.
  if (isMissing(value)) return asked.text === '';
  const { pattern } = asked;
  if (pattern !== undefined) return textsOf(value).some((text) => pattern.matches(text));
  return textsOf(value).includes(asked.text) || isList(value, asked.text);
}

/** Lists also equal their text in summaries (contract-core 7.4). */
function isList(value: FieldValue, text: string): boolean {
  return typeof value === 'object' && value.join(',') === text;
}

const containingPatterns = new WeakMap<Value, TextPattern>();

function containing(asked: Value): TextPattern {
  let pattern = containingPatterns.get(asked);
  if (pattern === undefined) {
    pattern =
      asked.pattern === undefined
        ? TextPattern.containing(asked.text)
        : TextPattern.parse(`*${asked.text}*`, { questionMark: false, ignoreCase: true });
    containingPatterns.set(asked, pattern);
  }
  return pattern;
}

function compares(value: FieldValue, asked: Value, test: (order: number) => boolean): boolean {
  if (typeof value === 'number') {
    const other = toNumber(asked.text);
    return !Number.isNaN(other) && test(value - other);
  }
  return textsOf(value).some((text) => test(text < asked.text ? -1 : text > asked.text ? 1 : 0));
}

/** A number, or a moment as an ISO text; NaN for everything else. */
export function toNumber(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '') return Number.NaN;
  const value = Number(trimmed);
  return Number.isNaN(value) && /^\d{4}-\d\d-\d\d/.test(trimmed) ? Date.parse(trimmed) : value;
}

function isMissing(value: FieldValue): boolean {
  return value === undefined || value === '' || (typeof value === 'object' && value.length === 0);
}

function textsOf(value: FieldValue): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [String(value)];
}
