// Schemas of what stored definitions share: who made them and when (contract-core 4.3), and schema
// documents (contract-core 4.5).
import { anyObject, integer, object, oneOf, text, time } from '../../model/schema.js';

/** Set by the server; what a body says about them does not count (invariants S15). */
export const auditFields = {
  ownerApp: text('Application that owns it'),
  createTime: time(),
  updateTime: time('Epoch milliseconds; 0 until it is updated'),
  createdBy: text('Id of who created it'),
  updatedBy: text('Id of who updated it last'),
};

export const schemaDefSchema = object(
  'SchemaDef',
  {
    name: text('Name'),
    version: integer('Version; the newest one when absent'),
    type: oneOf(['JSON', 'AVRO', 'PROTOBUF'], 'Language of the schema'),
    data: { ...anyObject, description: 'The schema document' },
    externalRef: text('Where the schema is kept instead'),
    ...auditFields,
  },
  [],
);
