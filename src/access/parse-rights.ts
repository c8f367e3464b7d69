// How requests name rights and types of resources (contract-admin 6.1, 6.2).
import { AppError } from '../model/errors.js';
import { parseTexts, refused } from '../model/record-reader.js';
import { rights, targetTypes, type Right, type TargetType } from './access-rules.js';

const listLengthMax = 1000;

/** SECRET means SECRET_NAME (contract-admin 6.2). Throws AppError 'bad-request'. */
export function parseTargetType(text: string): TargetType {
  const name = text.toUpperCase() === 'SECRET' ? 'SECRET_NAME' : text.toUpperCase();
  const type = targetTypes.find((each) => each === name);
  if (type === undefined) {
    throw new AppError('bad-request', `The target type must be one of ${targetTypes.join(', ')}`);
  }
  return type;
}

/** One right or several. */
export function parseRights(input: unknown, path: string): Right[] {
  const given = new Set(parseTexts(oneOrMany(input), path));
  const wrong = [...given].find((text) => !rights.some((right) => right === text));
  if (wrong !== undefined) throw refused(path, `must be of ${rights.join(', ')}`);
  return rights.filter((right) => given.has(right));
}

/** A list, or its only entry. Throws AppError 'bad-request'. */
export function oneOrMany(input: unknown): unknown[] {
  const list: unknown[] = Array.isArray(input) ? input : [input];
  if (list.length > listLengthMax) throw refused('', `must have at most ${listLengthMax} entries`);
  return list;
}
