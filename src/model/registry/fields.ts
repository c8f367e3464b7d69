// Checks of fields that the registries share: schemas, prompts, integrations, remote services
// (contract-admin 13 to 16).
import { wrongField } from '../errors.js';
import type { JsonMap } from '../json.js';
import { toJsonText } from '../json-text.js';
import type { RecordReader } from '../record-reader.js';

export const nameCharsMax = 255;
export const descriptionCharsMax = 10_000;

/** The author of a record and its times, epoch ms. */
export interface Authorship {
  readonly createTime: number;
  /** 0 until it is updated. */
  readonly updateTime: number;
  /** '' without authentication. */
  readonly createdBy: string;
  readonly updatedBy: string;
}

/** Of a record that is written now by `callerId`; `known` is what it was. */
export function authorship(
  known: { readonly createTime: number; readonly createdBy?: string } | undefined,
  callerId: string,
  now: number,
): Authorship {
  if (known === undefined) {
    return { createTime: now, updateTime: 0, createdBy: callerId, updatedBy: '' };
  }
  const { createTime, createdBy = '' } = known;
  return { createTime, updateTime: now, createdBy, updatedBy: callerId };
}

/** Throws AppError 'bad-request' unless `name` can name a record. */
export function checkName(name: string, path: string): string {
  if (name.trim() === '') throw wrongField(path, 'is required');
  if (name.length > nameCharsMax)
    throw wrongField(path, `may have ${nameCharsMax} characters at most`);
  if (/[\u0000-\u001f\u007f]/.test(name)) throw wrongField(path, 'may not hold control characters');
  return name;
}

/** A name that must be there. Throws AppError 'bad-request'. */
export function nameOf(reader: RecordReader, field = 'name'): string {
  return checkName(reader.text(field) ?? '', reader.pathOf(field));
}

/** Throws AppError 'bad-request' for a map that is too large to be kept in memory. */
export function checkBytes(map: JsonMap | undefined, path: string, bytesMax: number): void {
  if (map !== undefined && Buffer.byteLength(toJsonText(map)) > bytesMax) {
    throw wrongField(path, `may have ${bytesMax} bytes of JSON at most`);
  }
}
