// The parts of a jq program.
import type { Json } from './json.js';

export type Jq =
  | { readonly kind: 'identity' }
  | { readonly kind: 'recurse' }
  | { readonly kind: 'literal'; readonly value: Json }
  /** Text with interpolations; `format` is applied to those (`@base64 "x\(.)"`). */
  | { readonly kind: 'text'; readonly parts: readonly (string | Jq)[]; readonly format: string }
  /** `@json` alone. */
  | { readonly kind: 'format'; readonly format: string }
  | { readonly kind: 'index'; readonly target: Jq; readonly key: Jq }
  | {
      readonly kind: 'slice';
      readonly target: Jq;
      readonly from: Jq | undefined;
      readonly to: Jq | undefined;
    }
  | { readonly kind: 'iterate'; readonly target: Jq }
  | { readonly kind: 'array'; readonly body: Jq | undefined }
  | { readonly kind: 'object'; readonly entries: readonly { key: Jq; value: Jq }[] }
  | { readonly kind: 'negate'; readonly body: Jq }
  | { readonly kind: 'pipe' | 'comma' | 'and' | 'or' | 'alternative'; left: Jq; right: Jq }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; left: Jq; right: Jq }
  /** `=`, `|=`, and an operator with `=` (`//=` as `alternative`). */
  | {
      readonly kind: 'assign';
      readonly operator: 'set' | 'update' | 'alternative' | BinaryOperator;
      readonly left: Jq;
      readonly right: Jq;
    }
  | { readonly kind: 'if'; readonly condition: Jq; readonly then: Jq; readonly otherwise: Jq }
  | { readonly kind: 'try'; readonly body: Jq; readonly handler: Jq | undefined }
  | {
      readonly kind: 'reduce';
      readonly source: Jq;
      readonly pattern: Pattern;
      readonly init: Jq;
      readonly update: Jq;
    }
  | {
      readonly kind: 'foreach';
      readonly source: Jq;
      readonly pattern: Pattern;
      readonly init: Jq;
      readonly update: Jq;
      readonly extract: Jq | undefined;
    }
  | { readonly kind: 'define'; readonly definition: Definition; readonly rest: Jq }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Jq[] }
  | { readonly kind: 'variable'; readonly name: string }
  /** `source as pattern ?// pattern | body`. */
  | { readonly kind: 'bind'; source: Jq; patterns: readonly Pattern[]; body: Jq }
  | { readonly kind: 'label'; readonly name: string; readonly body: Jq }
  | { readonly kind: 'break'; readonly name: string };

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=';

export interface Definition {
  readonly name: string;
  /** `$name` for value parameters. */
  readonly params: readonly string[];
  readonly body: Jq;
}

export type Pattern =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'array'; readonly items: readonly Pattern[] }
  | {
      readonly kind: 'object';
      readonly entries: readonly {
        readonly key: Jq;
        /** `$name` as key: bound as well. */
        readonly variable: string | undefined;
        readonly pattern: Pattern | undefined;
      }[];
    };
