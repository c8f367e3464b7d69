// The parsed expression of a search: query and free text become one tree over the fields of
// executions or of tasks (contract-core 12.2, semantics 8.5, 8.6).
import { personIdOf } from '../../model/person-id.js';
import type { TextPattern } from './text-pattern.js';

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Expression[] }
  | { readonly kind: 'not'; readonly item: Expression }
  | { readonly kind: 'compare'; readonly field: string; readonly test: Test }
  /** A word or phrase of free text that any of the searched texts may hold. */
  | { readonly kind: 'word'; readonly pattern: TextPattern };

export type Test =
  | { readonly op: '=' | '!='; readonly value: Value }
  | { readonly op: '>' | '<' | '>=' | '<='; readonly value: Value }
  | { readonly op: 'in'; readonly values: readonly Value[] }
  /** Both bounds included. */
  | { readonly op: 'between'; readonly low: Value; readonly high: Value }
  | { readonly op: 'null' | 'not-null' }
  | { readonly op: 'starts-with'; readonly value: Value };

export interface Value {
  readonly text: string;
  /** Present when `*` (or, in free text, `?`) stands for other characters. */
  readonly pattern?: TextPattern;
}

/** The kind of a field decides how it is compared. */
export type FieldKind =
  /** Compared as a whole. */
  | 'keyword'
  /** Numbers and times (epoch ms). */
  | 'number'
  /** Long texts: `=` asks for texts that contain the value. */
  | 'text';

/**
 * Leaves out clauses on fields that do not exist (contract-core 12.2); undefined: nothing is left.
 */
export function keepKnownFields(
  expression: Expression,
  isKnown: (field: string) => boolean,
): Expression | undefined {
  switch (expression.kind) {
    case 'word':
      return expression;
    case 'compare':
      return isKnown(expression.field) ? expression : undefined;
    case 'not': {
      const item = keepKnownFields(expression.item, isKnown);
      return item && { kind: 'not', item };
    }
    case 'and':
    case 'or': {
      const items = expression.items.flatMap((item) => keepKnownFields(item, isKnown) ?? []);
      return items.length > 1 ? { kind: expression.kind, items } : items[0];
    }
  }
}

/** Values of fields with ids of persons as those rest: they compare without case. */
export function withPersonIds(
  expression: Expression,
  isPerson: (field: string) => boolean,
): Expression {
  switch (expression.kind) {
    case 'word':
      return expression;
    case 'compare': {
      const { field, test } = expression;
      return isPerson(field) ? { ...expression, test: testOfPersons(test) } : expression;
    }
    case 'not':
      return { kind: 'not', item: withPersonIds(expression.item, isPerson) };
    case 'and':
    case 'or': {
      const items = expression.items.map((item) => withPersonIds(item, isPerson));
      return { kind: expression.kind, items };
    }
  }
}

function testOfPersons(test: Test): Test {
  if (test.op === 'in') return { op: 'in', values: test.values.map(personOf) };
  if (test.op === 'between') {
    return { op: 'between', low: personOf(test.low), high: personOf(test.high) };
  }
  return 'value' in test ? { ...test, value: personOf(test.value) } : test;
}

function personOf({ text, pattern }: Value): Value {
  const lowered = { text: personIdOf(text) };
  return pattern === undefined ? lowered : { ...lowered, pattern: pattern.mapped(personIdOf) };
}

/** Names of fields that do not exist, each once. */
export function unknownFields(
  expression: Expression,
  isKnown: (field: string) => boolean,
): string[] {
  switch (expression.kind) {
    case 'word':
      return [];
    case 'compare':
      return isKnown(expression.field) ? [] : [expression.field];
    case 'not':
      return unknownFields(expression.item, isKnown);
    case 'and':
    case 'or':
      return [...new Set(expression.items.flatMap((item) => unknownFields(item, isKnown)))];
  }
}

/** Both; undefined stands for everything. */
export function both(
  first: Expression | undefined,
  second: Expression | undefined,
): Expression | undefined {
  if (first === undefined) return second;
  if (second === undefined) return first;
  return { kind: 'and', items: [...conjuncts(first), ...conjuncts(second)] };
}

/** The clauses that must all hold. */
export function conjuncts(expression: Expression): readonly Expression[] {
  return expression.kind === 'and' ? expression.items.flatMap(conjuncts) : [expression];
}
