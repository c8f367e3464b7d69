// User forms: what people fill in for a human task (contract-admin 11.1).
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';
import { present, RecordReader } from '../../model/record-reader.js';
import { parseTags, type Tag } from '../../model/tag.js';

export interface UserForm {
  readonly name: string;
  readonly version: number;
  /** JSON Schema, draft-07. */
  readonly jsonSchema: JsonMap;
  /** Layout; kept as it was sent. */
  readonly templateUI: JsonMap;
  readonly createTime: number;
  readonly updateTime: number;
  readonly createdBy: string;
  readonly updatedBy: string;
  readonly ownerApp?: string;
}

export interface UserFormRequest {
  readonly name: string;
  /** Absent: the newest, or the one behind it. */
  readonly version?: number;
  readonly jsonSchema: JsonMap;
  readonly templateUI: JsonMap;
  readonly tags?: readonly Tag[];
  readonly ownerApp?: string;
}

const nameCharsMax = 255;
const partCharsMax = 262_144;

/** Throws AppError 'bad-request' that names the field and the rule. */
export function parseUserForm(input: unknown, path = ''): UserFormRequest {
  const reader = new RecordReader(input, path);
  const name = reader.text('name') ?? '';
  if (name.trim() === '') throw wrong(reader, 'name', 'is required');
  if (name.length > nameCharsMax) {
    throw wrong(reader, 'name', `may have ${nameCharsMax} characters at most`);
  }
  const version = reader.optionalInteger('version') ?? 0;
  if (version < 0) throw wrong(reader, 'version', 'must not be negative');
  return {
    name,
    jsonSchema: part(reader, 'jsonSchema'),
    templateUI: part(reader, 'templateUI'),
    ...present({
      // Some clients always send a version: 0 is none.
      version: version === 0 ? undefined : version,
      tags: reader.record('tags', parseTags),
      ownerApp: reader.text('ownerApp'),
    }),
  };
}

function part(reader: RecordReader, name: string): JsonMap {
  const map = reader.optionalMap(name);
  if (map === undefined) throw wrong(reader, name, 'is required');
  if (toJsonText(map).length > partCharsMax) {
    throw wrong(reader, name, `may have ${partCharsMax} characters of JSON at most`);
  }
  return map;
}

function wrong(reader: RecordReader, name: string, rule: string): AppError {
  return new AppError('bad-request', `${reader.pathOf(name)} ${rule}`);
}
