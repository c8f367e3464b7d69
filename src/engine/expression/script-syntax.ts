// Parsing of user scripts, shared by the registration check, the analysis of what a script reads
// and the evaluation in place. Nothing is run here. Programs are kept by source, because a
// definition's scripts are met again with each execution.
import { type Node, parse, type Program } from 'acorn';
import { TextTable } from '../../std/text-table.js';

export type ParsedScript =
  | { readonly kind: 'program'; readonly program: Program }
  | { readonly kind: 'malformed'; readonly message: string; readonly line: number };

/** Parsed scripts kept. */
const programsMax = 512;

/**
 * Longer sources are refused: parsing holds up the thread that serves everybody, measured about 40
 * ms for as many characters.
 */
const sourceCharsMax = 65_536;

/** Bytes of a parsed program for each character of its source, about. */
const bytesPerChar = 40;

const parsed = new TextTable<ParsedScript>({
  wholeKeys: true,
  entriesMax: programsMax,
  bytesMax: 64 * 1024 * 1024,
  bytesOf: (_script, source) => bytesPerChar * source.length,
});

/** Parses `source` as a program: `return` outside a function is an error (semantics 3.10). */
export function parseScript(source: string): ParsedScript {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  const result = parseAnew(source);
  if (source.length <= sourceCharsMax) parsed.set(source, result);
  return result;
}

function parseAnew(source: string): ParsedScript {
  if (source.length > sourceCharsMax) {
    const message = `SyntaxError: longer than ${sourceCharsMax} characters`;
    return { kind: 'malformed', message, line: 1 };
  }
  try {
    const program = parse(source, { ecmaVersion: 2023, sourceType: 'script' });
    return { kind: 'program', program };
  } catch (error) {
    if (error instanceof RangeError) {
      return { kind: 'malformed', message: 'SyntaxError: nested too deeply', line: 1 };
    }
    if (!(error instanceof SyntaxError)) throw error;
    const { loc } = error as SyntaxError & { loc?: { line: number; column: number } };
    return { kind: 'malformed', message: `SyntaxError: ${error.message}`, line: loc?.line ?? 1 };
  }
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof (value as { type: unknown }).type === 'string'
  );
}

/** The nodes directly inside `node`, in no promised order. */
export function childNodes(node: Node): Node[] {
  const children: Node[] = [];
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) children.push(...value.filter(isNode));
    else if (isNode(value)) children.push(value);
  }
  return children;
}
