// Parser of jq programs: precedence climbing over the words of lex.ts. Grammar as in the jq manual,
// without modules.
import type { Definition, Jq, Pattern } from './ast.js';
import { JqSyntaxError, lexJq, type Token } from './lex.js';
import { operatorLevels, toOperation } from './operators.js';
import { TokenReader } from './token-reader.js';

export type ParsedJq =
  | { readonly kind: 'program'; readonly program: Jq }
  | { readonly kind: 'malformed'; readonly message: string };

/** Characters of a program. */
const sourceCharsMax = 262_144;
/** Expressions inside each other. */
const nestingMax = 256;

export function parseJq(source: string): ParsedJq {
  if (source.length > sourceCharsMax) return { kind: 'malformed', message: 'program too long' };
  try {
    return { kind: 'program', program: new JqParser(lexJq(source)).program() };
  } catch (error) {
    if (error instanceof JqSyntaxError) return { kind: 'malformed', message: error.message };
    throw error;
  }
}

/** Definitions alone, for the functions that are written in jq. */
export function parseJqDefinitions(source: string): Definition[] {
  return new JqParser(lexJq(source)).definitions();
}

const identity: Jq = { kind: 'identity' };

const constants: ReadonlyMap<string, Jq> = new Map([
  ['null', { kind: 'literal', value: null }],
  ['true', { kind: 'literal', value: true }],
  ['false', { kind: 'literal', value: false }],
]);

class JqParser extends TokenReader {
  #nesting = 0;

  program(): Jq {
    if (this.tokens.length === 0) return identity;
    const body = this.#pipe();
    if (this.at < this.tokens.length) this.unexpected();
    return body;
  }

  definitions(): Definition[] {
    const found: Definition[] = [];
    while (this.takeKeyword('def')) found.push(this.#definition());
    if (this.at < this.tokens.length) this.unexpected();
    return found;
  }

  #nested<T>(parse: () => T): T {
    if (++this.#nesting > nestingMax) {
      throw new JqSyntaxError('syntax error, nested too deeply');
    }
    const result = parse();
    this.#nesting--;
    return result;
  }

  /** `def ...; e`, `term as $x | e`, `label $x | e`, `e | e`. */
  #pipe(): Jq {
    return this.#nested(() => {
      if (this.takeKeyword('def')) {
        const definition = this.#definition();
        return { kind: 'define', definition, rest: this.#pipe() };
      }
      if (this.takeKeyword('label')) {
        const name = this.take('variable') ?? this.unexpected();
        this.expectSymbol('|');
        return { kind: 'label', name, body: this.#pipe() };
      }
      const left = this.#comma();
      return this.takeSymbol('|') ? { kind: 'pipe', left, right: this.#pipe() } : left;
    });
  }

  #comma(): Jq {
    let left = this.#binary(0);
    while (this.takeSymbol(',')) left = { kind: 'comma', left, right: this.#binary(0) };
    return left;
  }

  #binary(level: number): Jq {
    const rule = operatorLevels[level];
    if (rule === undefined) return this.#postfixed();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = this.#operatorOf(rule.operators);
      if (operator === undefined) return left;
      if (rule.associates === 'right') {
        return toOperation(
          operator,
          left,
          this.#nested(() => this.#binary(level)),
        );
      }
      left = toOperation(operator, left, this.#binary(level + 1));
      if (rule.associates === 'none') {
        if (this.#operatorOf(rule.operators) !== undefined) {
          this.at--;
          this.unexpected();
        }
        return left;
      }
    }
  }

  #operatorOf(operators: readonly string[]): string | undefined {
    const token = this.tokens[this.at];
    if (token === undefined || (token.kind !== 'symbol' && token.kind !== 'keyword')) {
      return undefined;
    }
    if (!operators.includes(token.text)) return undefined;
    this.at++;
    return token.text;
  }

  #definition(): Definition {
    const token = this.tokens[this.at++];
    if (token?.kind !== 'name' && token?.kind !== 'keyword') {
      this.at--;
      this.unexpected();
    }
    const params: string[] = [];
    if (this.takeSymbol('(')) {
      do {
        const variable = this.take('variable');
        params.push(
          variable === undefined ? (this.take('name') ?? this.unexpected()) : `$${variable}`,
        );
      } while (this.takeSymbol(';'));
      this.expectSymbol(')');
    }
    this.expectSymbol(':');
    const body = this.#pipe();
    this.expectSymbol(';');
    return { name: token.text, params, body };
  }

  /** A term with what follows it, and a binding that reaches as far right as it can. */
  #postfixed(): Jq {
    return this.#nested(() => {
      if (this.takeSymbol('-')) return { kind: 'negate', body: this.#postfixed() };
      const term = this.#suffixes(this.#term());
      if (!this.takeKeyword('as')) return term;
      const patterns = [this.#pattern()];
      while (this.takeSymbol('?//')) patterns.push(this.#pattern());
      this.expectSymbol('|');
      return { kind: 'bind', source: term, patterns, body: this.#pipe() };
    });
  }

  #suffixes(start: Jq): Jq {
    let term = start;
    for (;;) {
      const field = this.take('field');
      if (field !== undefined) {
        term = { kind: 'index', target: term, key: { kind: 'literal', value: field } };
      } else if (this.isSymbol('.') && this.tokens[this.at + 1]?.kind === 'text') {
        this.at++;
        term = { kind: 'index', target: term, key: this.#text('@text') };
      } else if (this.isSymbol('.') && this.isSymbol('[', 1)) {
        this.at++;
      } else if (this.takeSymbol('[')) {
        term = this.#bracket(term);
      } else if (this.takeSymbol('?')) {
        term = { kind: 'try', body: term, handler: undefined };
      } else {
        return term;
      }
    }
  }

  /** Behind `[` of a suffix. */
  #bracket(target: Jq): Jq {
    if (this.takeSymbol(']')) return { kind: 'iterate', target };
    if (this.takeSymbol(':')) {
      const to = this.#pipe();
      this.expectSymbol(']');
      return { kind: 'slice', target, from: undefined, to };
    }
    const key = this.#pipe();
    if (this.takeSymbol(']')) return { kind: 'index', target, key };
    this.expectSymbol(':');
    const to = this.isSymbol(']') ? undefined : this.#pipe();
    this.expectSymbol(']');
    return { kind: 'slice', target, from: key, to };
  }

  #term(): Jq {
    const token = this.tokens[this.at];
    switch (token?.kind) {
      case 'number':
        this.at++;
        return { kind: 'literal', value: toNumber(token.text) };
      case 'text':
        return this.#text('@text');
      case 'format':
        this.at++;
        if (this.tokens[this.at]?.kind === 'text') return this.#text(token.text);
        return { kind: 'format', format: token.text };
      case 'field':
        this.at++;
        return { kind: 'index', target: identity, key: { kind: 'literal', value: token.text } };
      case 'variable':
        this.at++;
        if (token.text === '__loc__') {
          return { kind: 'literal', value: { file: '<top-level>', line: 1 } };
        }
        return { kind: 'variable', name: token.text };
      case 'name':
        this.at++;
        return this.#call(token.text);
      case 'keyword':
        this.at++;
        return this.#keywordTerm(token.text);
      case 'symbol':
        this.at++;
        return this.#symbolTerm(token.text);
      case undefined:
        return this.unexpected();
    }
  }

  #call(name: string): Jq {
    if (name === 'break') {
      return { kind: 'break', name: this.take('variable') ?? this.unexpected() };
    }
    const constant = constants.get(name);
    if (constant !== undefined) return constant;
    const args: Jq[] = [];
    if (this.takeSymbol('(')) {
      do args.push(this.#pipe());
      while (this.takeSymbol(';'));
      this.expectSymbol(')');
    }
    return { kind: 'call', name, args };
  }

  #symbolTerm(symbol: string): Jq {
    switch (symbol) {
      case '.':
        if (this.tokens[this.at]?.kind === 'text') {
          return { kind: 'index', target: identity, key: this.#text('@text') };
        }
        return identity;
      case '..':
        return { kind: 'recurse' };
      case '(': {
        const body = this.#pipe();
        this.expectSymbol(')');
        return body;
      }
      case '[': {
        if (this.takeSymbol(']')) return { kind: 'array', body: undefined };
        const body = this.#pipe();
        this.expectSymbol(']');
        return { kind: 'array', body };
      }
      case '{':
        return this.#object();
      default:
        this.at--;
        return this.unexpected();
    }
  }

  #keywordTerm(keyword: string): Jq {
    switch (keyword) {
      case 'if':
        return this.#if();
      case 'try': {
        const body = this.#signedTerm();
        const handler = this.takeKeyword('catch') ? this.#signedTerm() : undefined;
        return { kind: 'try', body, handler };
      }
      case 'reduce': {
        const { source, pattern } = this.#loopHead();
        const init = this.#pipe();
        this.expectSymbol(';');
        const update = this.#pipe();
        this.expectSymbol(')');
        return { kind: 'reduce', source, pattern, init, update };
      }
      case 'foreach': {
        const { source, pattern } = this.#loopHead();
        const init = this.#pipe();
        this.expectSymbol(';');
        const update = this.#pipe();
        const extract = this.takeSymbol(';') ? this.#pipe() : undefined;
        this.expectSymbol(')');
        return { kind: 'foreach', source, pattern, init, update, extract };
      }
      case 'def': {
        const definition = this.#definition();
        return { kind: 'define', definition, rest: this.#pipe() };
      }
      default:
        this.at--;
        return this.unexpected();
    }
  }

  /** jq 1.6 takes a sign here, later ones do not. */
  #signedTerm(): Jq {
    if (!this.takeSymbol('-')) return this.#postTerm();
    return this.#nested(() => ({ kind: 'negate', body: this.#signedTerm() }));
  }

  #postTerm(): Jq {
    return this.#nested(() => this.#suffixes(this.#term()));
  }

  #loopHead(): { source: Jq; pattern: Pattern } {
    const source = this.#postTerm();
    this.expectKeyword('as');
    const pattern = this.#pattern();
    this.expectSymbol('(');
    return { source, pattern };
  }

  /** Behind `if` or `elif`. */
  #if(): Jq {
    const condition = this.#pipe();
    this.expectKeyword('then');
    const then = this.#pipe();
    if (this.takeKeyword('elif')) {
      return { kind: 'if', condition, then, otherwise: this.#nested(() => this.#if()) };
    }
    const otherwise = this.takeKeyword('else') ? this.#pipe() : identity;
    this.expectKeyword('end');
    return { kind: 'if', condition, then, otherwise };
  }

  #object(): Jq {
    const entries: { key: Jq; value: Jq }[] = [];
    if (this.takeSymbol('}')) return { kind: 'object', entries };
    do entries.push(this.#entry());
    while (this.takeSymbol(','));
    this.expectSymbol('}');
    return { kind: 'object', entries };
  }

  #entry(): { key: Jq; value: Jq } {
    const token = this.tokens[this.at];
    if (token?.kind === 'variable') {
      this.at++;
      const key: Jq = { kind: 'literal', value: token.text };
      return { key, value: { kind: 'variable', name: token.text } };
    }
    if (this.isSymbol('(')) {
      this.at++;
      const key = this.#pipe();
      this.expectSymbol(')');
      this.expectSymbol(':');
      return { key, value: this.#entryValue() };
    }
    const key = this.#entryKey();
    if (this.takeSymbol(':')) return { key, value: this.#entryValue() };
    return { key, value: { kind: 'index', target: identity, key } };
  }

  #entryKey(): Jq {
    const token = this.tokens[this.at];
    if (token?.kind === 'text') return this.#text('@text');
    this.at++;
    if (token?.kind === 'format') {
      if (this.tokens[this.at]?.kind === 'text') return this.#text(token.text);
      return { kind: 'format', format: token.text };
    }
    if (token?.kind === 'name' || token?.kind === 'keyword' || token?.kind === 'number') {
      return { kind: 'literal', value: token.text };
    }
    this.at--;
    return this.unexpected();
  }

  /** Values of an object are terms joined by `|` at most. */
  #entryValue(): Jq {
    const left = this.#binaryWithoutComma();
    return this.takeSymbol('|')
      ? { kind: 'pipe', left, right: this.#nested(() => this.#entryValue()) }
      : left;
  }

  #binaryWithoutComma(): Jq {
    return this.#nested(() => this.#binary(0));
  }

  #text(format: string): Jq {
    const token = this.tokens[this.at++];
    if (token?.kind !== 'text') return this.unexpected();
    const parts = token.parts.map((part) =>
      typeof part === 'string' ? part : this.#nested(() => this.#interpolation(part)),
    );
    if (parts.length === 1 && typeof parts[0] === 'string') {
      return { kind: 'literal', value: parts[0] };
    }
    return { kind: 'text', parts, format };
  }

  #interpolation(tokens: readonly Token[]): Jq {
    const inner = new JqParser(tokens);
    inner.#nesting = this.#nesting;
    if (tokens.length === 0) return inner.unexpected();
    return inner.program();
  }

  #pattern(): Pattern {
    return this.#nested(() => {
      const name = this.take('variable');
      if (name !== undefined) return { kind: 'variable', name };
      if (this.takeSymbol('[')) {
        const items: Pattern[] = [];
        do items.push(this.#pattern());
        while (this.takeSymbol(','));
        this.expectSymbol(']');
        return { kind: 'array', items };
      }
      this.expectSymbol('{');
      const entries = [];
      do entries.push(this.#patternEntry());
      while (this.takeSymbol(','));
      this.expectSymbol('}');
      return { kind: 'object', entries };
    });
  }

  #patternEntry(): { key: Jq; variable: string | undefined; pattern: Pattern | undefined } {
    const variable = this.take('variable');
    if (variable !== undefined) {
      const key: Jq = { kind: 'literal', value: variable };
      return { key, variable, pattern: this.takeSymbol(':') ? this.#pattern() : undefined };
    }
    let key: Jq;
    if (this.takeSymbol('(')) {
      key = this.#pipe();
      this.expectSymbol(')');
    } else {
      key = this.#entryKey();
    }
    this.expectSymbol(':');
    return { key, variable: undefined, pattern: this.#pattern() };
  }
}

function toNumber(text: string): number | bigint {
  const value = Number(text);
  return /^\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}
