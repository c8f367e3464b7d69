// A request for a token, and the token (contract-admin 1.1).
import { integer, text } from '../../../model/schema.js';
import { text as textField, told } from '../../../model/field.js';
import { record, type Values } from '../../../model/record.js';
import type { RecordReader } from '../../../model/record-reader.js';
import { always, shown } from '../fields.js';

const fields = {
  keyId: textField({ about: 'Id of an access key' }),
  keySecret: textField({ about: 'Its secret' }),
  email: textField({ about: 'Id of a user, in place of a key' }),
  password: textField({ about: 'Password of the user' }),
  code: textField({ about: 'One-time or recovery code of a user with a second factor' }),
  /** ms. */
  expiration: {
    ...told<number>(integer('Life of the token in ms; negative: never expires')),
    read: (reader: RecordReader, name: string) =>
      reader.has(name) ? reader.long(name, 0) : undefined,
  },
};
export type TokenRequest = Values<typeof fields>;
export const tokenRequest = record('TokenRequest', fields);

export const token = shown('Token', {
  token: always<string>(text('For the header X-Authorization')),
});
