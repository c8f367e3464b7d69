// JSON that is given on the command line: as text, from a file (`@input.json`, `@input.yaml`), or
// from standard input (`@-`).
import { text } from 'node:stream/consumers';
import { badInput } from './failure.js';
import { isObject, type JsonObject } from './json.js';
import { parseText, readText } from './read-text.js';

/** Throws a Failure that names `option` when it is no JSON object. */
export async function givenObject(
  given: string,
  option: string,
  stdin: NodeJS.ReadStream,
): Promise<JsonObject> {
  const value = await givenJson(given, option, stdin);
  if (isObject(value)) return value;
  throw badInput(
    `${option} must be a JSON object such as '{"sku": "A-17"}', not ${JSON.stringify(value)}.`,
  );
}

async function givenJson(
  given: string,
  option: string,
  stdin: NodeJS.ReadStream,
): Promise<unknown> {
  const [source, content] = await contentOf(given, option, stdin);
  try {
    return parseText(content, /\.ya?ml$/i.test(source) ? 'yaml' : 'json');
  } catch (error) {
    throw badInput(`${option}: ${source} is no JSON (${(error as Error).message.split('\n')[0]}).`);
  }
}

async function contentOf(
  given: string,
  option: string,
  stdin: NodeJS.ReadStream,
): Promise<[source: string, content: string]> {
  if (!given.startsWith('@')) return ['the text', given];
  const file = given.slice(1);
  if (file === '-') return ['standard input', await text(stdin)];
  try {
    return [file, readText(file)];
  } catch (error) {
    throw badInput(`${option}: ${file} cannot be read (${(error as Error).message}).`);
  }
}

/** A whole number in bounds. */
export function wholeNumber(given: string, option: string, min: number, max: number): number {
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw badInput(`${option} must be a whole number from ${min} to ${max}, not '${given}'.`);
}
