// Reads the audit log with filters, in slices, newest first. The read for one question is bounded
// by the size of the log.
import { AppError } from '../../model/errors.js';
import { personIdOf } from '../../model/person-id.js';
import type { AuditStore, StoredAuditEntry } from './audit-store.js';

export interface AuditFilter {
  readonly caller?: string | undefined;
  readonly action?: string | undefined;
  /** Id or name of something that was touched. */
  readonly object?: string | undefined;
  /** Epoch ms. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

export const auditEntriesPerAnswerMax = 1000;
const sliceEntries = 1000;

export class AuditLog {
  constructor(private readonly store: AuditStore) {}

  /**
   * Up to `count` entries that fit, older than the entry `before`. Throws AppError 'bad-request'
   * for an id that is none.
   */
  async find(filter: AuditFilter, count: number, before?: string): Promise<StoredAuditEntry[]> {
    if (before !== undefined && !/^\d{1,20}-\d{1,20}$/.test(before)) {
      throw new AppError('bad-request', `Parameter 'before' is no id of an entry: ${before}`);
    }
    const found: StoredAuditEntry[] = [];
    for await (const entry of this.entries(filter, before)) {
      found.push(entry);
      if (found.length >= count) break;
    }
    return found;
  }

  /** All entries that fit, newest first. */
  async *entries(filter: AuditFilter, before?: string): AsyncGenerator<StoredAuditEntry> {
    let last = before;
    for (;;) {
      const slice = await this.store.read(sliceEntries, last);
      for (const entry of slice) {
        if (filter.from !== undefined && entry.at < filter.from) return;
        if (fits(entry, filter)) yield entry;
      }
      if (slice.length < sliceEntries) return;
      last = slice.at(-1)?.id;
    }
  }
}

function isOf({ caller }: StoredAuditEntry, wanted: string): boolean {
  return caller !== undefined && personIdOf(caller) === personIdOf(wanted);
}

function fits(entry: StoredAuditEntry, filter: AuditFilter): boolean {
  return (
    (filter.caller === undefined || isOf(entry, filter.caller)) &&
    (filter.action === undefined || entry.action === filter.action) &&
    (filter.object === undefined || entry.objects.includes(filter.object)) &&
    (filter.until === undefined || entry.at <= filter.until)
  );
}
