// The texts of a secret that must not be shown: the value as a whole and, when it is JSON, every
// text inside it, because expressions can name parts of it, and when it is a URL, its parts; each
// also as URLs, forms and headers write it (model/encoded-forms.ts).
import { encodedForms } from './encoded-forms.js';
import type { Json } from './json.js';
import { parseJsonOrNull } from './json-text.js';

/** Shorter texts stand in too many places that have nothing to do with the secret. */
const textLengthMin = 4;
const textsMax = 1000;
/** Texts of one secret that are looked for in other spellings too. */
const spelledMax = 50;
const depthMax = 64;
const pathCharsMin = 16;

/** Longest first, so that a text inside another one does not hide it. */
export function secretTexts(value: string): string[] {
  const texts = new Set([value, value.trim(), ...partsOfUrl(value)]);
  const first = value.trimStart().charAt(0);
  if (first === '{' || first === '[') collect(parseJsonOrNull(value), texts, 0);
  const long = [...texts].filter((text) => text.length >= textLengthMin);
  const spelled = long.flatMap((text, i) => (i < spelledMax ? encodedForms(text) : [text]));
  return [...new Set(spelled)]
    .filter((text) => text.length >= textLengthMin)
    .sort((a, b) => b.length - a.length);
}

/** Errors name a call by its address without the query. A short path is no secret. */
function partsOfUrl(value: string): string[] {
  const url = value.includes('://') ? URL.parse(value) : null;
  if (url === null) return [];
  const { pathname, search, password } = url;
  return [pathname.length < pathCharsMin ? '' : pathname, search.slice(1), password];
}

function collect(value: Json, texts: Set<string>, depth: number): void {
  if (texts.size >= textsMax || depth > depthMax) return;
  if (typeof value === 'string') texts.add(value);
  else if (typeof value === 'number' || typeof value === 'bigint') texts.add(String(value));
  else if (value !== null && typeof value === 'object') {
    for (const item of Object.values(value)) collect(item, texts, depth + 1);
  }
}
