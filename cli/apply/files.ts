// Definitions as files: one thing in each, YAML or JSON. Its kind is what `kind:` in it says, else
// that of the folder it lies in.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { badInput } from '../shared/failure.js';
import { isObject, type JsonObject } from '../shared/json.js';
import { kinds, type Kind } from './kinds.js';
import { makeFolder } from '../shared/make-folder.js';
import { parseText, readText } from '../shared/read-text.js';

export interface Given {
  readonly kind: Kind;
  readonly id: string;
  readonly body: JsonObject;
  readonly file: string;
}

const extensions = /\.(?:ya?ml|json)$/i;

/** All below `place`, or the one file. Throws a Failure that names each file that is wrong. */
export function readFiles(place: string): Given[] {
  if (!fs.existsSync(place))
    throw badInput(`There is no file or folder ${place}. Nothing was changed.`);
  const files = filesIn(place);
  if (files.length === 0)
    throw badInput(`There are no .yaml, .yml or .json files in ${place}. Nothing was changed.`);
  const faults: string[] = [];
  const given: Given[] = [];
  const seen = new Map<string, string>();
  for (const file of files) {
    const read = readOne(file);
    if (typeof read === 'string') {
      faults.push(`${file}: ${read}`);
      continue;
    }
    const key = `${read.kind.name} ${read.id}`;
    const other = seen.get(key);
    if (other === undefined) seen.set(key, file);
    else faults.push(`${file}: ${key} stands in ${other} too`);
    given.push(read);
  }
  if (faults.length > 0) throw badInput(`${faults.join('\n')}\nNothing was changed.`);
  return given.sort(
    (a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (a.id < b.id ? -1 : 1),
  );
}

/** Links that lead nowhere are kept: reading them tells what is wrong. */
function filesIn(place: string): string[] {
  if (!fs.statSync(place).isDirectory()) return [place];
  return namesIn(place)
    .map((name) => path.join(place, name))
    .filter((file) => extensions.test(file))
    .filter((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() !== false)
    .filter(
      (file) =>
        !path
          .relative(place, file)
          .split(path.sep)
          .some((part) => part.startsWith('.') || part === 'node_modules'),
    )
    .sort();
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    throw badInput(
      `${folder} cannot be read (${(error as NodeJS.ErrnoException).code}). Nothing was changed.`,
    );
  }
}

/** The thing, or what is wrong with the file. */
function readOne(file: string): Given | string {
  let content: unknown;
  try {
    content = parseText(readText(file), /\.json$/i.test(file) ? 'json' : 'yaml');
  } catch (error) {
    return `cannot be read (${(error as Error).message.split('\n')[0]})`;
  }
  if (!isObject(content)) return 'must hold one object';
  const { kind: said, ...body } = content;
  const folder = path.basename(path.dirname(path.resolve(file)));
  const kind = kinds.find((each) =>
    said === undefined ? each.folder === folder : each.name === said,
  );
  if (kind === undefined) {
    const names = kinds.map(({ name }) => name).join(', ');
    return said === undefined
      ? `says no kind: write kind: (${names}) into it, or put it into a folder such as ${kinds.map((each) => each.folder).join(', ')}`
      : `has the kind '${String(said)}', which is none of ${names}`;
  }
  const missing = kind.required.find((name) => body[name] === undefined || body[name] === '');
  if (missing !== undefined) return `a ${kind.name} needs the field ${missing}`;
  return { kind, id: kind.idOf(body), body: kind.normal?.(body) ?? body, file };
}

/** Writes one thing; returns the path. */
export function writeFile(
  folder: string,
  kind: Kind,
  body: JsonObject,
  format: 'yaml' | 'json',
): string {
  const file = path.join(folder, kind.folder, `${fileNameOf(kind.idOf(body))}.${format}`);
  makeFolder(path.dirname(file));
  const text = format === 'json' ? `${JSON.stringify(body, undefined, 2)}\n` : stringify(body);
  fs.writeFileSync(file, text);
  return file;
}

/**
 * A name that every system takes and `apply` reads. Two ids have two names: one that had to change
 * more than the colon before its version ends with a hash of the id.
 */
export function fileNameOf(id: string): string {
  const given = id.replace(/:(\d+)$/, '_$1');
  const plain = given
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\./, '_')
    .slice(0, 150);
  if (plain === given) return plain;
  return `${plain}-${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;
}
