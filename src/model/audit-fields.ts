// Fields that stored definitions share (contract-core 4.3), and the schema documents that both
// kinds may carry (4.5).
import { anyMap, choice, integer, text, type Field } from './field.js';
import { record } from './record.js';
import { time } from './schema.js';

/** Set by the server; what a body says about them does not count (invariants S15). */
export const auditFields = {
  createTime: moment(),
  updateTime: moment('Epoch milliseconds; 0 until it is updated'),
  ownerApp: text({ about: 'Application that owns it' }),
  createdBy: text({ about: 'Id of who created it' }),
  updatedBy: text({ about: 'Id of who updated it last' }),
};

/** No field is required, as the reference does not read schemas. */
export const schemaDef = record('SchemaDef', {
  name: text({ about: 'Name' }),
  version: integer({ about: 'Version; the newest one when absent' }),
  type: choice(['JSON', 'AVRO', 'PROTOBUF'], { about: 'Language of the schema' }),
  data: anyMap({ about: 'The schema document' }),
  externalRef: text({ about: 'Where the schema is kept instead' }),
  ...auditFields,
});

export type SchemaDef = ReturnType<typeof schemaDef.parse>;

/** Epoch ms; 0 when absent. */
function moment(about?: string): Field<number, 'always'> {
  return {
    ...{ presence: 'always', schema: time(about) },
    read: (reader, name) => reader.long(name, 0),
  };
}
