// The audit log as it is stored. Append only, bounded by the number of entries.
import type { AuditEntry } from '../../model/audit-entry.js';

export interface StoredAuditEntry extends AuditEntry {
  /** Rises with time. */
  readonly id: string;
}

export interface AuditStore {
  /** Durable when it resolves. */
  append(entry: AuditEntry): Promise<void>;
  /** At most `count` entries before the entry `before` (absent: from the newest), newest first. */
  read(count: number, before?: string): Promise<StoredAuditEntry[]>;
}
