// Paths, payload templates, intrinsic functions and choice rules of the States Language as
// JavaScript for INLINE and SWITCH tasks. A part that cannot be written so is told to
// `Scripts.unable`, and stands in the script as null.
import { isObject, objectsOf, textOf, type JsonObject } from '../shared/json.js';

/** Functions that the scripts use. A path that leads nowhere gives null. */
export const prelude = [
  'var get = function (v, p) { for (var i = 0; i < p.length; i++) { if (v === null || v === undefined) return null; v = v[p[i] < 0 ? v.length + p[i] : p[i]]; } return v === undefined ? null : v; };',
  'var put = function (v, p, x) { if (p.length === 0) return x; var c = Array.isArray(v) ? v.slice() : Object.assign({}, v); c[p[0]] = put(c[p[0]], p.slice(1), x); return c; };',
  'var format = function (t, l) { var i = 0; return t.split("{}").reduce(function (a, b) { var x = l[i++]; return a + (typeof x === "string" ? x : JSON.stringify(x)) + b; }); };',
  'var like = function (t, p) { var parts = p.split("*"); var at = 0; if (typeof t !== "string" || t.indexOf(parts[0]) !== 0) return false; for (var i = 0; i < parts.length; i++) { var f = t.indexOf(parts[i], at); if (f < 0) return false; at = f + parts[i].length; } return parts[parts.length - 1] === "" || t.slice(-parts[parts.length - 1].length) === parts[parts.length - 1]; };',
].join(' ');

export class Scripts {
  constructor(private readonly unable: (what: string) => void) {}

  /** A whole script whose value is that of `expression`. */
  whole(expression: string): string {
    return `(function () { ${prelude} return ${expression}; })()`;
  }

  /** `path` of the data, `$`, or of the context object, `$$`; `root`: the script of the data. */
  path(path: string, root: string): string {
    if (path.startsWith('$$')) return this.#context(path);
    const steps = stepsOf(path);
    if (steps === undefined) {
      this.unable(`the path ${path} (only names and numbers can be carried)`);
      return 'null';
    }
    return steps.length === 0 ? root : `get(${root}, ${JSON.stringify(steps)})`;
  }

  /** `v` with `value` in place of what is at `path`. */
  placed(v: string, path: string, value: string): string {
    const steps = stepsOf(path);
    if (steps === undefined) {
      this.unable(`the path ${path}`);
      return v;
    }
    return steps.length === 0 ? value : `put(${v}, ${JSON.stringify(steps)}, ${value})`;
  }

  /** A payload template: names that end with `.$` hold paths or functions. */
  template(value: unknown, root: string): string {
    if (Array.isArray(value))
      return `[${value.map((each: unknown) => this.template(each, root)).join(', ')}]`;
    if (!isObject(value)) return literal(value);
    const members = Object.entries(value).map(([name, each]) =>
      name.endsWith('.$')
        ? `${literal(name.slice(0, -2))}: ${this.expression(textOf(each), root)}`
        : `${literal(name)}: ${this.template(each, root)}`,
    );
    return `({ ${members.join(', ')} })`;
  }

  /** A path or an intrinsic function. */
  expression(text: string, root: string): string {
    const call = /^States\.(\w+)\((.*)\)$/s.exec(text.trim());
    if (call === null) return this.path(text.trim(), root);
    const [, name = '', inner = ''] = call;
    const args = splitArguments(inner).map((each) => this.#argument(each, root));
    const made = functions[name]?.(args);
    if (made !== undefined) return made;
    this.unable(`the function States.${name}`);
    return 'null';
  }

  #argument(text: string, root: string): string {
    if (/^'.*'$/s.test(text)) return literal(text.slice(1, -1).replace(/\\(.)/g, '$1'));
    if (/^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(text)) return text;
    return this.expression(text, root);
  }

  #context(path: string): string {
    const known: Readonly<Record<string, string>> = {
      '$$.Execution.Id': '$.id',
      '$$.Execution.Input': '$.given',
      '$$.Map.Item.Value': 'item',
      '$$.Map.Item.Index': 'index',
    };
    const found = Object.keys(known).find(
      (name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`),
    );
    if (found === undefined) {
      this.unable(`the path ${path} of the context object`);
      return 'null';
    }
    return this.path(`$${path.slice(found.length)}`, known[found] ?? 'null');
  }

  /** A condition of a Choice. */
  rule(rule: JsonObject, root: string): string {
    const { And: and, Or: or, Not: not } = rule;
    if (Array.isArray(and)) return this.#joined(and, ' && ', root);
    if (Array.isArray(or)) return this.#joined(or, ' || ', root);
    if (isObject(not)) return `!(${this.rule(not, root)})`;
    const value = this.path(textOf(rule['Variable']), root);
    const operator = Object.keys(rule).find(
      (name) => !['Variable', 'Next', 'Comment'].includes(name),
    );
    const made = operator === undefined ? undefined : this.#compared(operator, rule, value, root);
    if (made !== undefined) return made;
    this.unable(`the comparison ${operator ?? 'without an operator'}`);
    return 'false';
  }

  #joined(rules: unknown, between: string, root: string): string {
    return `(${objectsOf(rules)
      .map((each) => this.rule(each, root))
      .join(between)})`;
  }

  #compared(operator: string, rule: JsonObject, value: string, root: string): string | undefined {
    const given = rule[operator];
    const test = typeTests[operator];
    if (test !== undefined) return given === false ? `!(${test(value)})` : test(value);
    if (operator === 'StringMatches') return `like(${value}, ${literal(given)})`;
    const match = /^(String|Numeric|Boolean|Timestamp)(\w+?)(Path)?$/.exec(operator);
    const sign = signs[match?.[2] ?? ''];
    if (match === null || sign === undefined) return undefined;
    const other = match[3] === undefined ? literal(given) : this.path(textOf(given), root);
    const type = { String: 'string', Numeric: 'number', Boolean: 'boolean' }[match[1] ?? ''];
    if (type === undefined) return `Date.parse(${value}) ${sign} Date.parse(${other})`;
    return `(typeof ${value} === '${type}' && ${value} ${sign} ${other})`;
  }
}

const signs: Readonly<Record<string, string>> = {
  Equals: '===',
  LessThan: '<',
  GreaterThan: '>',
  LessThanEquals: '<=',
  GreaterThanEquals: '>=',
};

// A path that leads nowhere is null here, so present and not null are the same.
const typeTests: Readonly<Record<string, (value: string) => string>> = {
  IsPresent: (value) => `${value} !== null`,
  IsNull: (value) => `${value} === null`,
  IsString: (value) => `typeof ${value} === 'string'`,
  IsNumeric: (value) => `typeof ${value} === 'number'`,
  IsBoolean: (value) => `typeof ${value} === 'boolean'`,
  IsTimestamp: (value) => `!isNaN(Date.parse(${value}))`,
};

const functions: Readonly<Record<string, (args: readonly string[]) => string>> = {
  Format: ([text = '""', ...rest]) => `format(${text}, [${rest.join(', ')}])`,
  Array: (args) => `[${args.join(', ')}]`,
  ArrayLength: ([list = '[]']) => `${list}.length`,
  ArrayContains: ([list = '[]', value = 'null']) =>
    `${list}.some(function (x) { return JSON.stringify(x) === JSON.stringify(${value}); })`,
  ArrayGetItem: ([list = '[]', at = '0']) => `get(${list}, [${at}])`,
  ArrayUnique: ([list = '[]']) =>
    `${list}.filter(function (x, i, all) { return all.findIndex(function (y) { return JSON.stringify(x) === JSON.stringify(y); }) === i; })`,
  JsonToString: ([value = 'null']) => `JSON.stringify(${value})`,
  StringToJson: ([text = '"null"']) => `JSON.parse(${text})`,
  JsonMerge: ([a = '{}', b = '{}']) => `Object.assign({}, ${a}, ${b})`,
  MathAdd: ([a = '0', b = '0']) => `(${a} + ${b})`,
  StringSplit: ([text = '""', by = '","']) =>
    `${text}.split(${by}).filter(function (x) { return x !== ""; })`,
};

/** Names and numbers of `$.a['b'][0]`; undefined for a path with more than these. */
export function stepsOf(path: string): (string | number)[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  let rest = path.slice(1);
  while (rest !== '') {
    const match = /^(?:\.([A-Za-z_][\w-]*)|\['([^']*)'\]|\["([^"]*)"\]|\[(-?\d+)\])/.exec(rest);
    if (match === null) return undefined;
    const [all, name, quoted, doubled, index] = match;
    steps.push(index === undefined ? (name ?? quoted ?? doubled ?? '') : Number(index));
    rest = rest.slice(all.length);
  }
  return steps;
}

/** `${` inside a literal is no expression of the workflow. */
export function literal(value: unknown): string {
  return JSON.stringify(value ?? null).replace(/\$\{/g, '$\\u007b');
}

/** At commas outside of quotes and brackets. */
function splitArguments(text: string): string[] {
  const found: string[] = [];
  let [depth, start, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '\\') at++;
    else if (letter === "'") isQuoted = !isQuoted;
    else if (!isQuoted && (letter === '(' || letter === '[')) depth++;
    else if (!isQuoted && (letter === ')' || letter === ']')) depth--;
    else if (!isQuoted && depth === 0 && letter === ',') {
      found.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...found, text.slice(start)].map((each) => each.trim()).filter((each) => each !== '');
}
