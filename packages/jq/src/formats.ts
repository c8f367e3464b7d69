// The formats of jq: `@csv`, `@base64` and so on.
import { type Json, toText } from './json.js';
import { JqError, shown, typeOf } from './values.js';

/** Text of a value as `tostring` gives it. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : toText(value);
}

/** Formats by name with their `@`. */
export const formats: ReadonlyMap<string, (value: Json) => string> = new Map([
  ['@text', textOf],
  ['@json', toText],
  ['@csv', (value) => row(value, 'csv', ',', (text) => `"${text.replaceAll('"', '""')}"`)],
  ['@tsv', (value) => row(value, 'tsv', '\t', escapeTabs)],
  ['@html', (value) => textOf(value).replace(/[<>&'"]/g, (c) => entities.get(c) ?? c)],
  ['@uri', (value) => encodeUri(textOf(value))],
  ['@sh', shellWords],
  ['@base64', (value) => Buffer.from(textOf(value), 'utf8').toString('base64')],
  ['@base64d', decodeBase64],
]);

const entities: ReadonlyMap<string, string> = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ["'", '&#39;'],
  ['"', '&quot;'],
]);

function row(
  value: Json,
  name: string,
  separator: string,
  quote: (text: string) => string,
): string {
  if (!Array.isArray(value))
    throw new JqError(
      `${typeOf(value)} (${shown(value)}) cannot be ${name}-formatted, only an array can be`,
    );
  const cells = value.map((cell) => {
    if (cell === null) return '';
    if (typeof cell === 'string') return quote(cell);
    if (typeof cell === 'object') {
      throw new JqError(`${typeOf(cell)} (${shown(cell)}) is not valid in a ${name} row`);
    }
    return toText(cell);
  });
  return cells.join(separator);
}

function escapeTabs(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n');
}

function encodeUri(text: string): string {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const c = String.fromCharCode(byte);
      return /[A-Za-z0-9\-_.~]/.test(c)
        ? c
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function shellWords(value: Json): string {
  const words = (Array.isArray(value) ? value : [value]).map((word) => {
    if (typeof word === 'string') return `'${word.replaceAll("'", "'\\''")}'`;
    if (word !== null && typeof word === 'object') {
      throw new JqError(`${typeOf(word)} (${shown(word)}) can not be escaped for shell`);
    }
    return toText(word);
  });
  return words.join(' ');
}

function decodeBase64(value: Json): string {
  const text = textOf(value);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw new JqError(`${typeOf(value)} (${shown(value)}) is not valid base64 data`);
  }
  return Buffer.from(text, 'base64').toString('utf8');
}
