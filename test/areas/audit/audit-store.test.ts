// The audit log in Redis: newest first, page by page, and bounded.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RedisAuditStore } from '../../../src/areas/audit/redis-audit-store.js';
import type { AuditEntry } from '../../../src/model/audit-entry.js';
import { startStore, type TestStore } from '../../../testkit/samples.js';

let test: TestStore;
beforeAll(async () => void (test = await startStore()));
afterAll(async () => test?.stop());

const entry = (at: number): AuditEntry => ({
  ...{ at, caller: 'a@x.org', callerKind: 'user', action: 'putSecret' },
  ...{ objects: [`secret ${at}`], status: 200, address: '127.0.0.1' },
});

it('keeps the newest entries up to its bound, and gives them page by page', async () => {
  const bound = 200;
  const store = new RedisAuditStore(test.redis, bound);
  for (let at = 0; at < 1000; at++) await store.append(entry(at));
  const kept = await store.read(1000);
  // Redis drops whole nodes of a stream, of 100 entries.
  expect(kept.length).toBeGreaterThanOrEqual(bound);
  expect(kept.length).toBeLessThanOrEqual(bound + 100);
  expect(kept.map(({ at }) => at)).toEqual(kept.map((_, i) => 999 - i));
  expect(kept[0]).toEqual({ id: kept[0]?.id, ...entry(999) });
  const [first, second] = kept;
  expect(await store.read(1, first?.id)).toEqual([second]);
});
