// Text files that people write: UTF-8, with JSON or YAML in them. What is wrong with one is a plain
// Error whose message is for a person; the caller adds the file.
import fs from 'node:fs';
import { parseDocument } from 'yaml';

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
  return form === 'json' ? parseJson(text) : parseYaml(text);
}

function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // JSON.parse takes the last of two equal keys in silence.
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw twice(repeated.line, repeated.key);
  return value;
}

function parseYaml(text: string): unknown {
  const document = parseDocument(text);
  const [fault] = [...document.errors, ...document.warnings];
  if (fault?.code === 'MULTIPLE_DOCS') throw new Error('it holds several documents (---)');
  if (fault?.code === 'DUPLICATE_KEY') {
    const key = /^(?:"(?:[^"\\]|\\.)*"|[^:\n]*)/.exec(text.slice(fault.pos[0]))?.[0] ?? '';
    throw twice(fault.linePos?.[0].line ?? 1, key.trim());
  }
  if (fault !== undefined) throw new Error(fault.message.split('\n')[0]);
  return document.toJS();
}

function twice(line: number, key: string): Error {
  return new Error(`line ${line}: the key ${key} stands twice in one object`);
}

interface RepeatedKey {
  /** As it is written, in its quotes. */
  readonly key: string;
  readonly line: number;
}

/**
 * The first key that stands twice in one object of `json`, which must be valid. The YAML library
 * could tell too, but compares each key with all others: 22 s for an object of 50,000.
 */
function repeatedKey(json: string): RepeatedKey | undefined {
  const open: Set<string>[] = [];
  let [key, at] = ['', 0];
  // Outside strings a colon follows nothing but a key, so lists need no attention.
  for (const { 0: token, index } of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}:]/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (token !== ':') [key, at] = [token, index];
    else {
      const keys = open.at(-1);
      const name = String(JSON.parse(key));
      if (keys?.has(name) === true) return { key, line: json.slice(0, at).split('\n').length };
      keys?.add(name);
    }
  }
  return undefined;
}
