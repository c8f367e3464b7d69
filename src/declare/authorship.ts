// The author of a record and its times as fields of a noun (model/registry/fields.ts makes their
// values).
import { text, time } from '../model/field.js';

export const authorshipFields = {
  createTime: time({ required: true }),
  updateTime: time({ about: 'Epoch milliseconds; 0 until it is updated', required: true }),
  createdBy: text({ about: 'Id of who created it' }),
  updatedBy: text({ about: 'Id of who updated it last' }),
};

/** A record as it is shown: without the names that nobody has. */
export function withKnownAuthors<
  T extends { readonly createdBy?: string; readonly updatedBy?: string },
>(record: T): T {
  const shown = Object.entries(record).filter(
    ([name, value]) => value !== '' || !(name in authorshipFields),
  );
  return Object.fromEntries(shown) as T;
}
