// Grammar of JSON paths in the dialect the expressions of definitions are written in (semantics
// 3.2.5): the text becomes steps, filters become conditions. Pure syntax: nothing is evaluated and
// no code is generated here (invariants S4).
import {
  type Json,
  type JsonMap,
  type JsonPath,
  type PathCondition,
  pathFunctions,
  type PathOperand,
  type PathOperator,
  type PathStep,
  symbolOperators,
  wordOperators,
} from './path.js';

/** Characters of a path; a longer one counts as malformed. */
const pathCharsMax = 16_384;
/** Parentheses, lists and filters inside each other. */
const nestingMax = 32;

/**
 * Parses `text`; without a leading `$` or `@` it is taken as `$.` + text. Undefined when it is not
 * a well-formed path.
 */
export function parseJsonPath(text: string): JsonPath | undefined {
  // Blanks after the path do not count; anything else around it makes it lead nowhere (observed).
  const trimmed = text.replace(/ +$/, '');
  if (trimmed === '' || trimmed.length > pathCharsMax || trimmed.trim() !== trimmed) {
    return undefined;
  }
  const first = trimmed[0];
  const whole = first === '$' || first === '@' ? trimmed : `$.${trimmed}`;
  try {
    return new PathParser(whole).parseWhole();
  } catch (error) {
    if (error instanceof MalformedPath) return undefined;
    throw error;
  }
}

class MalformedPath extends Error {}

class PathParser {
  #position = 0;
  #nesting = 0;

  constructor(readonly text: string) {}

  parseWhole(): JsonPath {
    const path = this.#path(false);
    if (this.#position < this.text.length) this.#fail();
    return path;
  }

  #fail(): never {
    throw new MalformedPath();
  }

  #peek(): string {
    return this.text[this.#position] ?? '';
  }

  /** Takes `expected` if it stands here. */
  #take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.#position)) return false;
    this.#position += expected.length;
    return true;
  }

  #expect(expected: string): void {
    if (!this.#take(expected)) this.#fail();
  }

  #blanks(): void {
    while (isBlank(this.#peek())) this.#position++;
  }

  #nested<T>(parse: () => T): T {
    if (++this.#nesting > nestingMax) this.#fail();
    const result = parse();
    this.#nesting--;
    return result;
  }

  /**
   * From `$` or `@`; `inFilter`: a dotted name also ends at operators, blanks, commas and closing
   * parentheses.
   */
  #path(inFilter: boolean): JsonPath {
    const root = this.#take('$') ? '$' : '@';
    if (root === '@') this.#expect('@');
    const steps: PathStep[] = [];
    for (;;) {
      const next = this.#peek();
      if (next === '[') steps.push(this.#bracket());
      else if (next === '.') this.#dot(steps, inFilter);
      else break;
    }
    if (steps.at(-1)?.kind === 'scan') this.#fail();
    return { root, steps, definite: isDefinite(steps) };
  }

  #dot(steps: PathStep[], inFilter: boolean): void {
    this.#expect('.');
    if (this.#take('.')) {
      steps.push({ kind: 'scan' });
      if (this.#peek() === '[') return;
    }
    const next = this.#peek();
    if (next === '[' && steps.at(-1)?.kind !== 'scan') {
      steps.push(this.#bracket());
      return;
    }
    if (this.#take('*')) {
      steps.push({ kind: 'all' });
      return;
    }
    steps.push(this.#nameOrCall(inFilter));
  }

  #nameOrCall(inFilter: boolean): PathStep {
    const start = this.#position;
    for (;;) {
      const c = this.#peek();
      if (c === '' || c === '.' || c === '[' || c === '(') break;
      if (inFilter && endsNameInFilter(c)) break;
      if (c === ' ') this.#fail();
      this.#position++;
    }
    const name = this.text.slice(start, this.#position);
    if (name === '') this.#fail();
    if (this.#peek() !== '(') return { kind: 'key', key: name };
    const known = pathFunctions.find((each) => each === name);
    if (known === undefined) this.#fail();
    return { kind: 'call', name: known, args: this.#nested(() => this.#arguments()) };
  }

  #arguments(): PathOperand[] {
    this.#expect('(');
    const args: PathOperand[] = [];
    this.#blanks();
    if (this.#take(')')) return args;
    for (;;) {
      args.push(this.#operand());
      this.#blanks();
      if (this.#take(')')) return args;
      this.#expect(',');
    }
  }

  #bracket(): PathStep {
    this.#expect('[');
    this.#blanks();
    const next = this.#peek();
    let step: PathStep;
    if (next === "'" || next === '"') step = this.#keys();
    else if (this.#take('*')) step = { kind: 'all' };
    else if (this.#take('?')) step = this.#nested(() => this.#filter());
    else step = this.#indexes();
    this.#blanks();
    this.#expect(']');
    return step;
  }

  #keys(): PathStep {
    const keys: string[] = [];
    do {
      this.#blanks();
      keys.push(this.#quoted());
      this.#blanks();
    } while (this.#take(','));
    return keys.length === 1 ? { kind: 'key', key: keys[0] as string } : { kind: 'keys', keys };
  }

  #indexes(): PathStep {
    const first = this.#integer();
    this.#blanks();
    if (this.#take(':')) {
      this.#blanks();
      const to = this.#integer();
      if (first === undefined && to === undefined) return { kind: 'all' };
      return { kind: 'slice', from: first, to };
    }
    if (first === undefined) this.#fail();
    const indexes = [first];
    while (this.#take(',')) {
      this.#blanks();
      indexes.push(this.#integer() ?? this.#fail());
      this.#blanks();
    }
    return indexes.length === 1 ? { kind: 'index', index: first } : { kind: 'indexes', indexes };
  }

  #integer(): number | undefined {
    const start = this.#position;
    if (this.#peek() === '-') this.#position++;
    while (isDigit(this.#peek())) this.#position++;
    if (start === this.#position) return undefined;
    const value = Number(this.text.slice(start, this.#position));
    if (!Number.isSafeInteger(value)) this.#fail();
    return value;
  }

  #filter(): PathStep {
    this.#blanks();
    this.#expect('(');
    const condition = this.#or();
    this.#blanks();
    this.#expect(')');
    return { kind: 'filter', condition };
  }

  #or(): PathCondition {
    const items = [this.#and()];
    while ((this.#blanks(), this.#take('||'))) items.push(this.#and());
    return items.length === 1 ? (items[0] as PathCondition) : { kind: 'or', items };
  }

  #and(): PathCondition {
    const items = [this.#not()];
    while ((this.#blanks(), this.#take('&&'))) items.push(this.#not());
    return items.length === 1 ? (items[0] as PathCondition) : { kind: 'and', items };
  }

  #not(): PathCondition {
    this.#blanks();
    if (this.#take('!')) return { kind: 'not', item: this.#nested(() => this.#not()) };
    if (!this.#take('(')) return this.#comparison();
    const inner = this.#nested(() => this.#or());
    this.#blanks();
    this.#expect(')');
    return inner;
  }

  #comparison(): PathCondition {
    const left = this.#operand();
    this.#blanks();
    const operator = this.#operator();
    if (operator !== undefined) {
      this.#blanks();
      return { kind: 'compare', operator, left, right: this.#operand() };
    }
    if (left.kind === 'path') return { kind: 'exists', path: left.path };
    if (left.kind === 'value' && typeof left.value === 'boolean') {
      return { kind: 'constant', value: left.value };
    }
    return this.#fail();
  }

  #operator(): PathOperator | undefined {
    const symbol = symbolOperators.find((each) => this.#take(each));
    if (symbol !== undefined) return symbol;
    const start = this.#position;
    let end = start;
    while (isLetter(this.text[end] ?? '')) end++;
    const word = this.text.slice(start, end).toLowerCase();
    const known = wordOperators.find((each) => each === word);
    if (known !== undefined) this.#position = end;
    return known;
  }

  #operand(): PathOperand {
    this.#blanks();
    const next = this.#peek();
    if (next === '$' || next === '@') {
      return { kind: 'path', path: this.#nested(() => this.#path(true)) };
    }
    if (next === '/') return this.#regex();
    return { kind: 'value', value: this.#nested(() => this.#literal()) };
  }

  #regex(): PathOperand {
    this.#expect('/');
    let pattern = '';
    while (this.#peek() !== '/') {
      const c = this.#peek();
      if (c === '') this.#fail();
      pattern += c;
      this.#position++;
      // A backslash keeps the next character, so that an escaped slash does not end the pattern.
      if (c === '\\') {
        pattern += this.#peek();
        this.#position++;
      }
    }
    this.#expect('/');
    const start = this.#position;
    while (isLetter(this.#peek())) this.#position++;
    return { kind: 'regex', pattern, flags: this.text.slice(start, this.#position) };
  }

  #literal(): Json {
    this.#blanks();
    const next = this.#peek();
    if (next === "'" || next === '"') return this.#quoted();
    if (next === '[') return this.#list();
    if (next === '{') return this.#map();
    if (this.#take('true')) return true;
    if (this.#take('false')) return false;
    if (this.#take('null')) return null;
    return this.#number();
  }

  #number(): Json {
    const start = this.#position;
    while (/[-+.\deE]/.test(this.#peek() || ' ')) this.#position++;
    const text = this.text.slice(start, this.#position);
    if (!/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) this.#fail();
    const value = Number(text);
    return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
  }

  #list(): Json {
    this.#expect('[');
    const list: Json[] = [];
    this.#blanks();
    if (this.#take(']')) return list;
    for (;;) {
      list.push(this.#nested(() => this.#literal()));
      this.#blanks();
      if (this.#take(']')) return list;
      this.#expect(',');
    }
  }

  #map(): Json {
    this.#expect('{');
    const entries: [string, Json][] = [];
    this.#blanks();
    if (this.#take('}')) return {};
    for (;;) {
      this.#blanks();
      const key = this.#quoted();
      this.#blanks();
      this.#expect(':');
      entries.push([key, this.#nested(() => this.#literal())]);
      this.#blanks();
      if (this.#take('}')) return Object.fromEntries(entries) as JsonMap;
      this.#expect(',');
    }
  }

  #quoted(): string {
    const quote = this.#peek();
    if (quote !== "'" && quote !== '"') this.#fail();
    this.#position++;
    let text = '';
    for (;;) {
      const c = this.#peek();
      if (c === '') this.#fail();
      this.#position++;
      if (c === quote) return text;
      text += c === '\\' ? this.#escaped() : c;
    }
  }

  #escaped(): string {
    const c = this.#peek();
    if (c === '') this.#fail();
    this.#position++;
    if (c === 'u') {
      const hex = this.text.slice(this.#position, this.#position + 4);
      if (!/^[\da-fA-F]{4}$/.test(hex)) this.#fail();
      this.#position += 4;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    return controlEscapes.get(c) ?? c;
  }
}

const controlEscapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['f', '\f'],
]);

/** A function gives one value again, so only what follows the last call matters. */
function isDefinite(steps: readonly PathStep[]): boolean {
  const lastCall = steps.findLastIndex((step) => step.kind === 'call');
  return steps.every((step, i) => {
    if (i <= lastCall) return true;
    if (step.kind === 'keys') return i === steps.length - 1;
    return step.kind === 'key' || step.kind === 'index';
  });
}

function endsNameInFilter(c: string): boolean {
  return isBlank(c) || c === ')' || c === ',' || c === '&' || c === '|' || isOperatorChar(c);
}

function isOperatorChar(c: string): boolean {
  return c === '=' || c === '<' || c === '>' || c === '!' || c === '~';
}

function isBlank(c: string): boolean {
  return c === ' ' || c === '\t' || c === '\n' || c === '\r';
}

function isDigit(c: string): boolean {
  return c >= '0' && c <= '9' && c.length === 1;
}

function isLetter(c: string): boolean {
  return c.length === 1 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
}
