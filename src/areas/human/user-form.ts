// User forms: what people fill in for a human task (contract-admin 11.1).
import { anyMap, integer, text, time } from '../../model/field.js';
import { noun, type ShownOf, type StoredOf, type WrittenOf } from '../../declare/noun.js';
import { tagged } from '../../declare/resource-fields.js';
import { wrongField } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { toJsonText } from '../../model/json-text.js';
import { versionId } from '../../operation/records/versioned-records.js';

const partCharsMax = 262_144;

export const userForm = noun({
  title: 'HumanTaskTemplate',
  labels: { jsonSchema: 'JSON Schema', templateUI: 'Layout' },
  written: {
    name: text({ required: true, charsMax: 255 }),
    version: integer({ about: 'Absent or 0: the newest, or the one behind it', min: 0 }),
    jsonSchema: anyMap({ about: 'JSON Schema, draft-07', required: true, check: checkPart }),
    templateUI: anyMap({ about: 'Layout; kept as sent', required: true, check: checkPart }),
    ownerApp: text(),
  },
  beside: tagged,
  kept: {
    version: integer({ required: true }),
    createTime: time({ required: true }),
    updateTime: time({ required: true }),
    createdBy: text(),
    updatedBy: text(),
  },
  stored: { kind: 'user-form', idOf: versionId },
});

export type UserForm = StoredOf<typeof userForm>;
export type UserFormFields = WrittenOf<typeof userForm>;
export type ShownUserForm = ShownOf<typeof userForm>;

function checkPart(part: JsonMap, path: string): void {
  if (toJsonText(part).length <= partCharsMax) return;
  throw wrongField(path, `may have ${partCharsMax} characters of JSON at most`);
}
