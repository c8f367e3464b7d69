// Parsing of the small records that definitions share (contract-core 4.3, 4.5, 4.6).
import { RecordReader, present } from './record-reader.js';
import type { AuditFields, SchemaDef } from './audit-fields.js';
import type { CacheConfig, RateLimitConfig, StateChangeEvent } from './workflow-def.js';

/** Contract-core 4.3. */
export function readAuditFields(reader: RecordReader): AuditFields {
  return {
    createTime: reader.long('createTime', 0),
    updateTime: reader.long('updateTime', 0),
    ...present({
      ownerApp: reader.text('ownerApp'),
      createdBy: reader.text('createdBy'),
      updatedBy: reader.text('updatedBy'),
    }),
  };
}

/**
 * Contract-core 4.5; no field is required, as the reference does not read schemas. Throws AppError
 * 'bad-request'.
 */
export function parseSchemaDef(input: unknown, path: string): SchemaDef {
  const reader = new RecordReader(input, path);
  return {
    ...present({
      name: reader.text('name'),
      version: reader.optionalInteger('version'),
      type: reader.choice('type', ['JSON', 'AVRO', 'PROTOBUF']),
      data: reader.optionalMap('data'),
      externalRef: reader.text('externalRef'),
    }),
    ...readAuditFields(reader),
  };
}

/** Contract-core 4.6. Throws AppError 'bad-request'. */
export function parseRateLimitConfig(input: unknown, path: string): RateLimitConfig {
  const reader = new RecordReader(input, path);
  return {
    concurrentExecLimit: reader.integer('concurrentExecLimit', 0),
    policy: reader.choice('policy', ['QUEUE', 'REJECT']) ?? 'QUEUE',
    ...present({ rateLimitKey: reader.text('rateLimitKey') }),
  };
}

/** Contract-core 4.6. Throws AppError 'bad-request'. */
export function parseCacheConfig(input: unknown, path: string): CacheConfig {
  const reader = new RecordReader(input, path);
  return {
    ttlInSecond: reader.integer('ttlInSecond', 0),
    ...present({ key: reader.text('key') }),
  };
}

/** Contract-core 4.6. Throws AppError 'bad-request'. */
export function parseStateChangeEvent(input: unknown, path: string): StateChangeEvent {
  const reader = new RecordReader(input, path);
  return present({ type: reader.text('type'), payload: reader.optionalMap('payload') });
}
