// The parts of a JSON path in the dialect that definitions use (semantics 3.2.5). This folder
// depends on nothing else of the project; why it is ours: decision 0008.

export type Json = null | boolean | number | bigint | string | Json[] | JsonMap;
export type JsonMap = { [key: string]: Json };

export interface JsonPath {
  /** `$`: from the document; `@`: from the element a filter looks at. */
  readonly root: '$' | '@';
  readonly steps: readonly PathStep[];
  /** False when the path may lead to several places: its value is then always a list. */
  readonly definite: boolean;
}

export type PathStep =
  | { readonly kind: 'key'; readonly key: string }
  /** `['a','b']`: as the last step one map of those keys, else each in turn. */
  | { readonly kind: 'keys'; readonly keys: readonly string[] }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'indexes'; readonly indexes: readonly number[] }
  | { readonly kind: 'slice'; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: 'all' }
  /** `..`: what follows is looked for in every map and list below. */
  | { readonly kind: 'scan' }
  | { readonly kind: 'filter'; readonly condition: PathCondition }
  | { readonly kind: 'call'; readonly name: PathFunction; readonly args: readonly PathOperand[] };

export type PathOperand =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'path'; readonly path: JsonPath }
  | { readonly kind: 'regex'; readonly pattern: string; readonly flags: string };

export type PathCondition =
  | { readonly kind: 'and' | 'or'; readonly items: readonly PathCondition[] }
  | { readonly kind: 'not'; readonly item: PathCondition }
  | { readonly kind: 'exists'; readonly path: JsonPath }
  | { readonly kind: 'constant'; readonly value: boolean }
  | {
      readonly kind: 'compare';
      readonly operator: PathOperator;
      readonly left: PathOperand;
      readonly right: PathOperand;
    };

export const pathFunctions = [
  'length', 'size', 'sum', 'min', 'max', 'avg', 'stddev', 'first', 'last', 'index', 'keys',
  'concat', 'append',
] as const; // prettier-ignore
export type PathFunction = (typeof pathFunctions)[number];

export const symbolOperators = ['===', '!==', '==', '!=', '<=', '>=', '=~', '<', '>'] as const;
export const wordOperators = [
  'in', 'nin', 'subsetof', 'anyof', 'noneof', 'size', 'empty', 'contains', 'all',
] as const; // prettier-ignore
export type PathOperator = (typeof symbolOperators)[number] | (typeof wordOperators)[number];
