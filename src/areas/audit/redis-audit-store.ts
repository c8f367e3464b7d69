// The audit log as a Redis stream. Trimming is approximate: Redis drops whole nodes of a stream, so
// some hundred entries more than the bound may be kept.
import type { AuditEntry } from '../../model/audit-entry.js';
import type { RedisClient } from '../../redis/client.js';
import type { AuditStore, StoredAuditEntry } from './audit-store.js';
import { auditLogKey } from './keys.js';

export class RedisAuditStore implements AuditStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly entriesMax: number,
  ) {}

  async append(entry: AuditEntry): Promise<void> {
    const bound = ['MAXLEN', '~', String(this.entriesMax)];
    await this.redis.confirmedReads.call(
      'XADD',
      auditLogKey(this.redis.keys.prefix),
      ...bound,
      '*',
      'e',
      JSON.stringify(entry),
    );
  }

  async read(count: number, before?: string): Promise<StoredAuditEntry[]> {
    const newest = before === undefined ? '+' : `(${before}`;
    const found = (await this.redis.reads.call(
      'XREVRANGE',
      auditLogKey(this.redis.keys.prefix),
      newest,
      '-',
      'COUNT',
      String(count),
    )) as [string, [string, string]][];
    return found.map(([id, [, text]]) => ({ id, ...(JSON.parse(text) as AuditEntry) }));
  }
}
