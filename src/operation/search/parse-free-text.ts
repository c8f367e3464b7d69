// Free text (semantics 8.6): words, "phrases", field:value, field:"value", AND, OR, NOT (also && ||
// ! + -), parentheses and the wildcards * and ?. Clauses side by side are alternatives, as in the
// query-string syntax that clients know; + makes one required, - and NOT exclude it. Nothing is an
// error: what does not fit the syntax is looked for as it stands.
import type { Expression, Value } from './expression.js';
import { TextPattern } from './text-pattern.js';

const depthMax = 64;
const freeTextCharsMax = 10_000;

type Token =
  | { readonly kind: '(' | ')' | 'and' | 'or' | 'not' | 'must' }
  | {
      readonly kind: 'clause';
      readonly field: string | undefined;
      readonly text: string;
      readonly isQuoted: boolean;
    };

/**
 * undefined for everything (`*` or empty). `isField` tells which names in front of a colon are
 * fields.
 */
export function parseFreeText(
  freeText: string | undefined,
  isField: (name: string) => boolean,
): Expression | undefined {
  const text = freeText?.trim() ?? '';
  if (text === '' || text === '*' || text === '*:*') return undefined;
  const tokens = tokensOf(text.slice(0, freeTextCharsMax), isField);
  return new Parser(tokens).parse();
}

const token =
  /\s+|(\()|(\))|(&&|\|\||[+!-](?=\S))|(?:([A-Za-z_][\w.]*):)?(?:"((?:[^"\\]|\\[^])*)"|((?:\\[^]|[^\s()"\\])+))|./gsy;

function tokensOf(text: string, isField: (name: string) => boolean): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(token)) {
    const [whole, open, close, sign, field, quoted, bare] = match;
    if (whole.trim() === '') continue;
    const operator = field === undefined && bare !== undefined ? wordKinds.get(bare) : undefined;
    if (open !== undefined) tokens.push({ kind: '(' });
    else if (close !== undefined) tokens.push({ kind: ')' });
    else if (sign !== undefined) tokens.push({ kind: signKinds[sign] ?? 'not' });
    else if (operator !== undefined) tokens.push({ kind: operator });
    else if (field !== undefined && !isField(field)) {
      // No field of ours, such as `http://...`: the text as it stands.
      tokens.push({
        kind: 'clause',
        field: undefined,
        text: quoted === undefined ? whole : unescaped(quoted),
        isQuoted: quoted !== undefined,
      });
    } else {
      const isQuoted = quoted !== undefined;
      const value = quoted === undefined ? (bare ?? whole) : unescaped(quoted);
      tokens.push({ kind: 'clause', field, text: value, isQuoted });
    }
  }
  return tokens;
}

const signKinds: { readonly [sign: string]: 'and' | 'or' | 'not' | 'must' } = {
  '&&': 'and',
  '||': 'or',
  '+': 'must',
  '!': 'not',
  '-': 'not',
};
const wordKinds: ReadonlyMap<string, 'and' | 'or' | 'not'> = new Map([
  ['AND', 'and'],
  ['OR', 'or'],
  ['NOT', 'not'],
]);

class Parser {
  #at = 0;
  #depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  /** undefined when there is nothing to look for. */
  parse(): Expression | undefined {
    const groups: Expression[] = [];
    while (this.#at < this.tokens.length) {
      const group = this.#clauses();
      if (group !== undefined) groups.push(group);
      // A closing parenthesis without its opening one.
      this.#at += 1;
    }
    return combined('and', groups);
  }

  /** Clauses up to the end or a closing parenthesis. */
  #clauses(): Expression | undefined {
    const required: Expression[] = [];
    const optional: Expression[] = [];
    while (this.#at < this.tokens.length && this.#kind() !== ')') {
      if (this.#take('or')) continue;
      const isRequired = this.#take('must');
      const clause = this.#chain();
      if (clause === undefined) continue;
      if (isRequired || clause.kind === 'not') required.push(clause);
      else optional.push(clause);
    }
    // With a required clause the optional ones only rank, unless nothing but exclusions is
    // required.
    const onlyExcludes = required.every((clause) => clause.kind === 'not');
    const alternatives = onlyExcludes ? combined('or', optional) : undefined;
    return combined('and', alternatives === undefined ? required : [alternatives, ...required]);
  }

  /** Clauses joined by AND. */
  #chain(): Expression | undefined {
    const items: Expression[] = [];
    do {
      const item = this.#single();
      if (item !== undefined) items.push(item);
    } while (this.#take('and'));
    return combined('and', items);
  }

  #single(): Expression | undefined {
    let isExcluded = false;
    let hasSign = true;
    while (hasSign) {
      hasSign = this.#take('must');
      if (this.#take('not')) {
        isExcluded = !isExcluded;
        hasSign = true;
      }
    }
    const item = this.#plain();
    return isExcluded && item !== undefined ? { kind: 'not', item } : item;
  }

  /** A clause or a group. */
  #plain(): Expression | undefined {
    if (this.#kind() === '(') {
      this.#at += 1;
      if (++this.#depth > depthMax) return undefined;
      const inner = this.#clauses();
      this.#depth -= 1;
      this.#take(')');
      return inner;
    }
    const next = this.tokens[this.#at];
    if (next?.kind === ')') return undefined;
    this.#at += 1;
    return next?.kind === 'clause' ? toExpression(next) : undefined;
  }

  #kind(): Token['kind'] | undefined {
    return this.tokens[this.#at]?.kind;
  }

  #take(kind: Token['kind']): boolean {
    if (this.#kind() !== kind) return false;
    this.#at += 1;
    return true;
  }
}

function combined(kind: 'and' | 'or', items: readonly Expression[]): Expression | undefined {
  return items.length > 1 ? { kind, items } : items[0];
}

function toExpression(clause: Token & { kind: 'clause' }): Expression {
  const { field, text, isQuoted } = clause;
  const hasWildcard = !isQuoted && /(?:^|[^\\])[*?]/.test(text);
  if (field !== undefined) {
    return {
      kind: 'compare',
      field,
      test: { op: '=', value: toValue(text, isQuoted, hasWildcard) },
    };
  }
  const pattern = hasWildcard
    ? TextPattern.parse(`*${text}*`, { questionMark: true, ignoreCase: true })
    : TextPattern.containing(isQuoted ? text : unescaped(text));
  return { kind: 'word', pattern };
}

function toValue(text: string, isQuoted: boolean, hasWildcard: boolean): Value {
  if (!hasWildcard) return { text: isQuoted ? text : unescaped(text) };
  return { text, pattern: TextPattern.parse(text, { questionMark: true, ignoreCase: false }) };
}

function unescaped(text: string): string {
  return text.replace(/\\([^])/g, '$1');
}
