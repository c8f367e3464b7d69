// Words of a jq program. Text literals are cut into parts here, their interpolations being words of
// their own.

export type Token =
  | { readonly kind: 'symbol'; readonly text: string; readonly at: number }
  | { readonly kind: 'name'; readonly text: string; readonly at: number }
  | { readonly kind: 'keyword'; readonly text: string; readonly at: number }
  /** `.name` */
  | { readonly kind: 'field'; readonly text: string; readonly at: number }
  | { readonly kind: 'variable'; readonly text: string; readonly at: number }
  | { readonly kind: 'format'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly text: string; readonly at: number }
  | { readonly kind: 'text'; readonly parts: readonly (string | Token[])[]; readonly at: number };

export class JqSyntaxError extends Error {}

const keywords: ReadonlySet<string> = new Set([
  'def', 'if', 'then', 'elif', 'else', 'end', 'as', 'reduce', 'foreach', 'try', 'catch', 'label', 'import',
  'include', 'and', 'or',
]); // prettier-ignore

const symbols = [
  '?//', '|=', '+=', '-=', '*=', '/=', '%=', '//=', '==', '!=', '<=', '>=', '//', '..', '.', '[', ']', '(', ')',
  '{', '}', '|', ',', ':', ';', '=', '<', '>', '+', '-', '*', '/', '%', '?',
]; // prettier-ignore

const patterns = {
  blank: /(?:\s|#[^\n]*)+/y,
  field: /\.([A-Za-z_]\w*)/y,
  number: /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y,
  name: /[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*/y,
  variable: /\$([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)/y,
  format: /@[A-Za-z_]\w*/y,
};

/** Interpolations inside interpolations. */
const interpolationsMax = 32;

/** Throws JqSyntaxError. */
export function lexJq(source: string): Token[] {
  return new Lexer(source).until(undefined, 0);
}

class Lexer {
  #at = 0;

  constructor(readonly source: string) {}

  /** Words up to `closing` (a parenthesis that was not opened here) or the end. */
  until(closing: ')' | undefined, depth: number): Token[] {
    if (depth > interpolationsMax) throw new JqSyntaxError('syntax error, nested too deeply');
    const tokens: Token[] = [];
    let open = 0;
    for (;;) {
      this.#match(patterns.blank);
      if (this.#at >= this.source.length) {
        if (closing === undefined) return tokens;
        throw new JqSyntaxError('syntax error, unexpected end of file in a string interpolation');
      }
      const token = this.#next(depth);
      if (token.kind === 'symbol' && token.text === '(') open++;
      if (token.kind === 'symbol' && token.text === ')' && open-- === 0 && closing !== undefined) {
        return tokens;
      }
      tokens.push(token);
    }
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.source);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }

  #next(depth: number): Token {
    const at = this.#at;
    if (this.source[at] === '"') return this.#text(depth);
    const number = this.#match(patterns.number);
    if (number !== undefined) return { kind: 'number', text: number[0], at };
    const field = this.#match(patterns.field);
    if (field !== undefined) return { kind: 'field', text: field[1] as string, at };
    const variable = this.#match(patterns.variable);
    if (variable !== undefined) return { kind: 'variable', text: variable[1] as string, at };
    const format = this.#match(patterns.format);
    if (format !== undefined) return { kind: 'format', text: format[0], at };
    const name = this.#match(patterns.name);
    if (name !== undefined) {
      return { kind: keywords.has(name[0]) ? 'keyword' : 'name', text: name[0], at };
    }
    const symbol = symbols.find((each) => this.source.startsWith(each, at));
    if (symbol === undefined) {
      throw new JqSyntaxError(
        `syntax error, unexpected character ${JSON.stringify(this.source[at])}`,
      );
    }
    this.#at += symbol.length;
    return { kind: 'symbol', text: symbol, at };
  }

  #text(depth: number): Token {
    const at = this.#at++;
    const parts: (string | Token[])[] = [];
    let text = '';
    for (;;) {
      const c = this.source[this.#at++];
      if (c === undefined) throw new JqSyntaxError('syntax error, unterminated string literal');
      if (c === '"') break;
      if (c !== '\\') {
        text += c;
      } else if (this.source[this.#at] === '(') {
        this.#at++;
        parts.push(text, this.until(')', depth + 1));
        text = '';
      } else {
        text += this.#escape();
      }
    }
    parts.push(text);
    return { kind: 'text', parts, at };
  }

  #escape(): string {
    const c = this.source[this.#at++] ?? '';
    if (c === 'u') {
      const hex = this.source.slice(this.#at, this.#at + 4);
      if (!/^[\da-fA-F]{4}$/.test(hex)) throw new JqSyntaxError('syntax error, invalid \\u escape');
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const plain = escapes.get(c);
    if (plain === undefined) throw new JqSyntaxError('syntax error, invalid escape');
    return plain;
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
