// Settings of the audit log.
import { integer } from '../../settings/setting.js';

export const auditSettings = {
  auditEntriesMax: integer('Entries of the audit log; the oldest go first', 100_000, 1000),
} as const;
