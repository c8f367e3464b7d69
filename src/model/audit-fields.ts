// Fields that stored definitions share (contract-core 4.3), and the schema documents that both
// kinds may carry (4.5).
import type { JsonMap } from './json.js';

/** Times are epoch ms. */
export interface AuditFields {
  ownerApp?: string;
  createTime: number;
  updateTime: number;
  createdBy?: string;
  updatedBy?: string;
}

export interface SchemaDef extends AuditFields {
  name?: string;
  /** The newest one when absent. */
  version?: number;
  type?: 'JSON' | 'AVRO' | 'PROTOBUF';
  data?: JsonMap;
  externalRef?: string;
}
