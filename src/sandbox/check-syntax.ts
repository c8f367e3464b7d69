// Syntax check of scripts at registration (semantics 0.5, 3.10): parses, never runs.
import type { ScriptRequest } from '../engine/script.js';
import { parseScript } from '../engine/expression/script-syntax.js';
import { parseJq } from '@downbeat/jq';

/** The parser's message, undefined when `source` parses. */
export function checkSyntax(
  language: ScriptRequest['language'],
  source: string,
): string | undefined {
  if (language === 'jq') {
    const parsed = parseJq(source);
    return parsed.kind === 'malformed' ? parsed.message : undefined;
  }
  const script = parseScript(source);
  return script.kind === 'malformed' ? script.message : undefined;
}
