// Text files that people write: UTF-8, with JSON or YAML in them. What is wrong with one is a plain
// Error whose message is for a person; the caller adds the file.
import fs from 'node:fs';
import { isScalar, parseDocument, visit, type Document, type YAMLError } from 'yaml';

/** Throws an Error that says why the file cannot be read. */
export function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(file);
  } catch (error) {
    throw new Error((error as NodeJS.ErrnoException).code ?? String(error), { cause: error });
  }
  try {
    // It leaves out the mark that some editors write before the text.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error('it is not UTF-8 text', { cause: error });
  }
}

/** The value that a text holds. Throws an Error with the first fault. */
export function parseText(text: string, form: 'json' | 'yaml'): unknown {
  if (form === 'json') return JSON.parse(text);
  const document = parseDocument(text);
  const [fault] = [...document.errors, ...document.warnings];
  if (fault?.code === 'MULTIPLE_DOCS') throw new Error('it holds several documents (---)');
  if (fault?.code === 'DUPLICATE_KEY') throw new Error(twiceIn(document, fault));
  if (fault !== undefined) throw new Error(fault.message.split('\n')[0]);
  return document.toJS();
}

/** Throws an Error when an object in a JSON text has a key twice: JSON.parse keeps the last. */
export function assertKeysOnce(text: string): void {
  const document = parseDocument(text, { schema: 'json' });
  // Other errors are YAML's own: it is stricter than JSON, about tabs for example.
  const fault = document.errors.find(({ code }) => code === 'DUPLICATE_KEY');
  if (fault !== undefined) throw new Error(twiceIn(document, fault));
}

function twiceIn(document: Document, { pos, linePos }: YAMLError): string {
  let key: unknown;
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || pair.key.range?.[0] !== pos[0]) return undefined;
      key = pair.key.value;
      return visit.BREAK;
    },
  });
  const name = key === undefined ? 'a key' : `the key ${JSON.stringify(key)}`;
  return `${name} stands twice in one object, again in line ${linePos?.[0].line}`;
}
