// The audit log as a Redis stream. Trimming is approximate: Redis drops whole nodes of a stream, so
// some hundred entries more than the bound may be kept.
import type { AuditEntry, AuditStore, StoredAuditEntry } from '../store/audit-store.js';
import type { RedisClient } from './client.js';

export class RedisAuditStore implements AuditStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly entriesMax: number,
  ) {}

  async append(entry: AuditEntry): Promise<void> {
    const bound = ['MAXLEN', '~', String(this.entriesMax)];
    const { keys, reads } = this.redis;
    await reads.call('XADD', keys.auditLog(), ...bound, '*', 'e', JSON.stringify(entry));
  }

  async read(count: number, before?: string): Promise<StoredAuditEntry[]> {
    const { keys, reads } = this.redis;
    const newest = before === undefined ? '+' : `(${before}`;
    const found = (await reads.call(
      'XREVRANGE',
      keys.auditLog(),
      newest,
      '-',
      'COUNT',
      String(count),
    )) as [string, [string, string]][];
    return found.map(([id, [, text]]) => ({ id, ...(JSON.parse(text) as AuditEntry) }));
  }
}
