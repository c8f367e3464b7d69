// Where the expressions `${...}` of a text stand (semantics 3.2) and what registration can say
// about them without running anything (contract-core 6.5). The evaluation is in engine/expression.
import { parseJsonPath } from '@downbeat/json-path';

/** One outermost `${...}` of a text. */
export interface ExpressionSpan {
  /** Index of the `$`. */
  readonly start: number;
  /** Index behind the closing brace. */
  readonly end: number;
  /** The text between the braces, blanks and nested expressions included. */
  readonly path: string;
}

/** Names that are values of their own instead of paths (semantics 3.5). */
export const environmentNames: ReadonlySet<string> = new Set([
  'CPEWF_TASK_ID',
  'NETFLIX_ENV',
  'NETFLIX_STACK',
]);

/** Expressions inside expressions; deeper ones stay as they are. */
export const expressionNestingMax = 16;

/**
 * The outermost expressions of `text`, in order. `$${` opens none, and neither does `${` without
 * its closing brace; an expression inside such a stretch counts. One pass over the text.
 */
export function findExpressions(text: string): ExpressionSpan[] {
  if (!text.includes('${')) return [];
  const closings = matchBraces(text);
  const spans: ExpressionSpan[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf('${', from);
    if (start < 0) return spans;
    const closing = text[start - 1] === '$' ? undefined : closings.get(start + 1);
    if (closing === undefined) {
      from = start + 2;
      continue;
    }
    spans.push({ start, end: closing + 1, path: text.slice(start + 2, closing) });
    from = closing + 1;
  }
}

/** Index of the closing brace for each opening one that has one. */
function matchBraces(text: string): Map<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x7b) open.push(i);
    else if (c === 0x7d) {
      const opening = open.pop();
      if (opening !== undefined) closings.set(opening, i);
    }
  }
  return closings;
}

/** Replaces each `$${` by `${` (semantics 3.2.2). */
export function unescapeExpressions(text: string): string {
  return text.includes('$${') ? text.replaceAll('$${', () => '${') : text;
}

/** The facts of one expression that registration checks. */
export interface CheckedExpression {
  /** The text between the braces. */
  readonly path: string;
  /**
   * False: blanks outside brackets, or no legal path (message "key: K input parameter value: PATH
   * is not valid").
   */
  readonly wellFormed: boolean;
  /**
   * First segment, to be `workflow`, a reference name or one of `environmentNames`; undefined when
   * there is none to check (a path built from nested expressions, a function over several paths).
   */
  readonly head: string | undefined;
}

/**
 * Every expression of `text`, nested ones included, as far as registration can judge them
 * (contract-core 6.5).
 */
export function checkExpressions(text: string): CheckedExpression[] {
  const checked: CheckedExpression[] = [];
  collectChecks(text, 0, checked);
  return checked;
}

function collectChecks(text: string, depth: number, checked: CheckedExpression[]): void {
  for (const { path } of findExpressions(text)) {
    if (depth < expressionNestingMax && findExpressions(path).length > 0) {
      collectChecks(path, depth + 1, checked);
    } else {
      checked.push(checkPath(path));
    }
  }
}

function checkPath(path: string): CheckedExpression {
  if (environmentNames.has(path)) return { path, wellFormed: true, head: path };
  const parsed = parseJsonPath(path);
  if (parsed === undefined || hasBlankOutsideBrackets(path)) {
    return { path, wellFormed: false, head: undefined };
  }
  const first = parsed.steps[0];
  return { path, wellFormed: true, head: first?.kind === 'key' ? first.key : undefined };
}

/** Blanks are legal only in brackets: in a quoted key (recorded as accepted) and in a filter. */
function hasBlankOutsideBrackets(path: string): boolean {
  if (!/\s/.test(path)) return false;
  return /\s/.test(path.replace(/\[(?:'[^']*'|"[^"]*"|[^\]'"])*\]/g, ''));
}
