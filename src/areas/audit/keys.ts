// The key of the audit log. It names type and life.
import { namespace } from '../../redis/key-names.js';

/** Stream: the audit log, bounded by its number of entries. */
export function auditLogKey(prefix: string): string {
  return `${prefix}:${namespace}:audit`;
}
