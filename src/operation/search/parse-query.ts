// The query grammar (contract-core 12.2, semantics 8.5):
//
//   or         := and (OR and)*                     AND binds tighter than OR
//   and        := term (AND term)*
//   term       := '(' or ')' | comparison
//   comparison := field ('=' | '!=' | '>' | '<' | '>=' | '<=') value | field (IN | '=') '(' value
//               (',' value)* ')' | field IN value
//               | field BETWEEN value AND value | field IS [NOT] NULL | field STARTS_WITH value
//   value      := 'text' | "text" | bare word a backslash in quotes makes the next character plain
//
// Keywords in any case, blanks around operators optional. `*` in a value of `=`, `!=` or IN stands
// for any text.
import { AppError } from '../../model/errors.js';
import type { Expression, Test, Value } from './expression.js';
import { TextPattern } from './text-pattern.js';

/** Levels of parentheses. */
const depthMax = 64;
/** Characters of a query. */
const queryCharsMax = 100_000;

type Token =
  | { readonly kind: 'word' | 'quoted'; readonly text: string; readonly hasWildcard: boolean }
  | { readonly kind: 'symbol'; readonly text: string };

/** undefined for an empty query. Throws AppError 'bad-request' for what is no query. */
export function parseQuery(query: string | undefined): Expression | undefined {
  if (query === undefined || query.trim() === '') return undefined;
  const tokens = query.length > queryCharsMax ? undefined : tokensOf(query);
  const expression = tokens && new Parser(tokens).parse();
  if (expression !== undefined) return expression;
  throw new AppError(
    'bad-request',
    `Incorrectly formatted query string: ${query.slice(0, shownCharsMax)}`,
  );
}

const shownCharsMax = 1000;
const symbols = ['!=', '>=', '<=', '<>', '=', '>', '<', '(', ')', ','];

/** undefined: a quote is not closed. */
function tokensOf(query: string): Token[] | undefined {
  const tokens: Token[] = [];
  for (let i = 0; i < query.length;) {
    const character = query[i] as string;
    const symbol = symbols.find((each) => query.startsWith(each, i));
    if (/\s/.test(character)) i += 1;
    else if (symbol !== undefined) {
      tokens.push({ kind: 'symbol', text: symbol });
      i += symbol.length;
    } else if (character === "'" || character === '"') {
      const end = endOfQuoted(query, i);
      if (end === undefined) return undefined;
      tokens.push(quotedToken(query.slice(i + 1, end)));
      i = end + 1;
    } else {
      const end = endOfWord(query, i);
      const text = query.slice(i, end);
      tokens.push({ kind: 'word', text, hasWildcard: text.includes('*') });
      i = end;
    }
  }
  return tokens;
}

function endOfQuoted(query: string, start: number): number | undefined {
  const quote = query[start];
  for (let i = start + 1; i < query.length; i++) {
    if (query[i] === '\\') i += 1;
    else if (query[i] === quote) return i;
  }
  return undefined;
}

/** The text as a pattern would read it, so that an escaped star stays a star. */
function quotedToken(raw: string): Token {
  if (!raw.includes('\\')) return { kind: 'quoted', text: raw, hasWildcard: raw.includes('*') };
  const hasWildcard = /^(?:[^\\*]|\\[^])*\*/.test(raw);
  return {
    kind: 'quoted',
    text: hasWildcard ? raw : raw.replace(/\\([^])/g, '$1'),
    hasWildcard,
  };
}

function endOfWord(query: string, start: number): number {
  let end = start;
  while (end < query.length && !/[\s'"=<>(),]/.test(query[end] as string)) {
    if (query[end] === '!' && query[end + 1] === '=') break;
    end += 1;
  }
  return Math.max(end, start + 1);
}

/** undefined wherever the tokens are no query. */
class Parser {
  #at = 0;
  #depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  parse(): Expression | undefined {
    const expression = this.#or();
    return this.#at === this.tokens.length ? expression : undefined;
  }

  #or(): Expression | undefined {
    return this.#chain('or', () => this.#chain('and', () => this.#term()));
  }

  #chain(kind: 'and' | 'or', next: () => Expression | undefined): Expression | undefined {
    const items: Expression[] = [];
    do {
      const item = next();
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.#takeWord(kind.toUpperCase()));
    return items.length === 1 ? items[0] : { kind, items };
  }

  #term(): Expression | undefined {
    if (!this.#takeSymbol('(')) return this.#comparison();
    if (++this.#depth > depthMax) return undefined;
    const expression = this.#or();
    this.#depth -= 1;
    return this.#takeSymbol(')') ? expression : undefined;
  }

  #comparison(): Expression | undefined {
    const name = this.tokens[this.#at++];
    if (name?.kind !== 'word') return undefined;
    const test = this.#test();
    return test && { kind: 'compare', field: name.text, test };
  }

  #test(): Test | undefined {
    const operator = this.tokens[this.#at++];
    if (operator === undefined || operator.kind === 'quoted') return undefined;
    switch (operator.text.toUpperCase()) {
      case '=':
        return this.#isSymbol('(') ? this.#in() : this.#withValue('=');
      case '!=':
      case '<>':
        return this.#withValue('!=');
      case '>':
      case '<':
      case '>=':
      case '<=':
        return this.#withValue(operator.text as '>' | '<' | '>=' | '<=');
      case 'STARTS_WITH':
        return this.#withValue('starts-with');
      case 'IN':
        return this.#in();
      case 'BETWEEN':
        return this.#between();
      case 'IS': {
        const isNegated = this.#takeWord('NOT');
        return this.#takeWord('NULL') ? { op: isNegated ? 'not-null' : 'null' } : undefined;
      }
      default:
        return undefined;
    }
  }

  #withValue(op: '=' | '!=' | '>' | '<' | '>=' | '<=' | 'starts-with'): Test | undefined {
    const value = this.#value();
    return value && { op, value };
  }

  #in(): Test | undefined {
    if (!this.#takeSymbol('(')) {
      const value = this.#value();
      return value && { op: 'in', values: [value] };
    }
    const values: Value[] = [];
    if (this.#takeSymbol(')')) return { op: 'in', values };
    do {
      const value = this.#value();
      if (value === undefined) return undefined;
      values.push(value);
    } while (this.#takeSymbol(','));
    return this.#takeSymbol(')') ? { op: 'in', values } : undefined;
  }

  #between(): Test | undefined {
    const low = this.#value();
    if (low === undefined || !this.#takeWord('AND')) return undefined;
    const high = this.#value();
    return high && { op: 'between', low, high };
  }

  #value(): Value | undefined {
    const token = this.tokens[this.#at];
    if (token === undefined || token.kind === 'symbol') return undefined;
    this.#at += 1;
    if (!token.hasWildcard) return { text: token.text };
    const pattern = TextPattern.parse(token.text, { questionMark: false, ignoreCase: false });
    return { text: token.text, pattern };
  }

  #isSymbol(text: string): boolean {
    const token = this.tokens[this.#at];
    return token?.kind === 'symbol' && token.text === text;
  }

  #takeSymbol(text: string): boolean {
    if (!this.#isSymbol(text)) return false;
    this.#at += 1;
    return true;
  }

  #takeWord(word: string): boolean {
    const token = this.tokens[this.#at];
    if (token?.kind !== 'word' || token.text.toUpperCase() !== word) return false;
    this.#at += 1;
    return true;
  }
}
