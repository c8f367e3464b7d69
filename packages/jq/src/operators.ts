// The operators of jq: how tightly they bind, and what they become in the parsed program.
import type { BinaryOperator, Jq } from './ast.js';

/** Lowest first. Comparisons and assignments do not associate. */
export const operatorLevels: readonly {
  operators: readonly string[];
  associates: 'left' | 'right' | 'none';
}[] = [
  { operators: ['//', '?//'], associates: 'right' },
  { operators: ['=', '|=', '+=', '-=', '*=', '/=', '%=', '//='], associates: 'none' },
  { operators: ['or'], associates: 'left' },
  { operators: ['and'], associates: 'left' },
  { operators: ['==', '!=', '<', '<=', '>', '>='], associates: 'none' },
  { operators: ['+', '-'], associates: 'left' },
  { operators: ['*', '/', '%'], associates: 'left' },
];

export function toOperation(operator: string, left: Jq, right: Jq): Jq {
  switch (operator) {
    case '//':
      return { kind: 'alternative', left, right };
    case '?//':
      return { kind: 'alternative', left: { kind: 'try', body: left, handler: undefined }, right };
    case 'and':
    case 'or':
      return { kind: operator, left, right };
    case '=':
      return { kind: 'assign', operator: 'set', left, right };
    case '|=':
      return { kind: 'assign', operator: 'update', left, right };
    case '//=':
      return { kind: 'assign', operator: 'alternative', left, right };
    case '+=':
    case '-=':
    case '*=':
    case '/=':
    case '%=':
      return { kind: 'assign', operator: operator[0] as BinaryOperator, left, right };
    default:
      return { kind: 'binary', operator: operator as BinaryOperator, left, right };
  }
}
