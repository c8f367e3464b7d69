// Binding of values to the variables of patterns: `. as [$a, {b: $c}] | ...` (machine.ts).
import type { Json } from './json.js';
import type { Jq, Pattern } from './ast.js';
import type { Emit, Evaluator, Place, Scope } from './scope.js';
import { access, JqError, typeOf } from './values.js';

/** `source as pattern ?// pattern | body`. */
export function bindAll(
  machine: Evaluator,
  node: Extract<Jq, { kind: 'bind' }>,
  at: { scope: Scope | undefined; place: Place },
  emit: Emit,
): void {
  const { scope, place } = at;
  // With alternatives, the variables of all patterns exist in the body, null where a pattern has
  // none of that name.
  let outer = scope;
  if (node.patterns.length > 1) {
    for (const name of node.patterns.flatMap(variablesOf)) {
      outer = { kind: 'variable', name, value: null, parent: outer };
    }
  }
  machine.each(node.source, scope, place.value, (item) => {
    const tryPattern = (index: number): void => {
      const pattern = node.patterns[index] as Pattern;
      const body = (guarded: Emit): void =>
        bind(machine, { pattern, value: item, scope: outer, dot: place.value }, (inner) =>
          machine.evaluate(node.body, inner, place, guarded),
        );
      if (index === node.patterns.length - 1) body(emit);
      else machine.attempt(body, emit, () => tryPattern(index + 1));
    };
    tryPattern(0);
  });
}

interface Binding {
  pattern: Pattern;
  value: Json;
  scope: Scope | undefined;
  /** The value of `.` in the keys of the pattern. */
  dot: Json;
}

/** Calls `then` with a scope for each way the pattern matches. */
export function bind(
  machine: Evaluator,
  { pattern, value, scope, dot }: Binding,
  then: (scope: Scope | undefined) => void,
): void {
  switch (pattern.kind) {
    case 'variable':
      return then({ kind: 'variable', name: pattern.name, value, parent: scope });
    case 'array': {
      if (value !== null && !Array.isArray(value)) {
        throw new JqError(`Cannot index ${typeOf(value)} with number`);
      }
      const go = (at: number, inner: Scope | undefined): void => {
        const item = pattern.items[at];
        if (item === undefined) return then(inner);
        const part = { pattern: item, value: value?.[at] ?? null, scope: inner, dot };
        bind(machine, part, (next) => go(at + 1, next));
      };
      return go(0, scope);
    }
    case 'object':
      return bindEntries(machine, pattern, { value, scope, dot }, then);
  }
}

function bindEntries(
  machine: Evaluator,
  pattern: Extract<Pattern, { kind: 'object' }>,
  { value, scope, dot }: Omit<Binding, 'pattern'>,
  then: (scope: Scope | undefined) => void,
): void {
  const go = (at: number, inner: Scope | undefined): void => {
    const entry = pattern.entries[at];
    if (entry === undefined) return then(inner);
    machine.each(entry.key, inner, dot, (key) => {
      const item = access(value, key);
      const bound: Scope | undefined =
        entry.variable === undefined
          ? inner
          : { kind: 'variable', name: entry.variable, value: item, parent: inner };
      if (entry.pattern === undefined) return go(at + 1, bound);
      const part = { pattern: entry.pattern, value: item, scope: bound, dot };
      bind(machine, part, (next) => go(at + 1, next));
    });
  };
  go(0, scope);
}

function variablesOf(pattern: Pattern): string[] {
  switch (pattern.kind) {
    case 'variable':
      return [pattern.name];
    case 'array':
      return pattern.items.flatMap(variablesOf);
    case 'object':
      return pattern.entries.flatMap((entry) => [
        ...(entry.variable === undefined ? [] : [entry.variable]),
        ...(entry.pattern === undefined ? [] : variablesOf(entry.pattern)),
      ]);
  }
}
