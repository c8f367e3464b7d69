// Entries of a flood: the first at once, the rest as sums, and few of them however many names are
// made up.
import { describe, expect, it } from 'vitest';
import { SummedAudit } from '../../../src/areas/audit/summed-audit.js';
import type { AuditEntry } from '../../../src/model/audit-entry.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const windowMs = 60_000;

function summed(kindsMax = 10) {
  const clock = new VirtualClock();
  const entries: Omit<AuditEntry, 'at'>[] = [];
  const record = (entry: Omit<AuditEntry, 'at'>): Promise<void> => {
    entries.push(entry);
    return Promise.resolve();
  };
  const failed = (error: unknown): never => {
    throw error as Error;
  };
  const audit = new SummedAudit({ record, clock, windowMs, kindsMax, failed });
  const note = (account: string, address = '198.51.100.1'): Promise<void> =>
    audit.note({
      ...{ caller: '', callerKind: 'local', action: 'signIn', objects: [account], status: 401 },
      address,
    });
  return { clock, entries, audit, note };
}

describe('attempts of one account', () => {
  it('are recorded at once when they are the first, and as a sum after the window', async () => {
    const { clock, entries, audit, note } = summed();
    for (let i = 0; i < 1000; i++) await note('a@x.org');
    expect(entries).toMatchObject([{ objects: ['a@x.org'] }]);
    clock.advance(windowMs);
    await audit.stop();
    expect(entries).toHaveLength(2);
    expect(entries[1]).toMatchObject({ objects: ['a@x.org'], times: 999 });
    await note('a@x.org');
    expect(entries).toHaveLength(3);
  });

  it('are told apart by address, and recorded when the server stops', async () => {
    const { entries, audit, note } = summed();
    for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.2']) {
      await note('a@x.org', address);
    }
    await audit.stop();
    expect(entries.map(({ address, times = 1 }) => [address, times])).toEqual([
      ['198.51.100.1', 1],
      ['198.51.100.2', 1],
      ['198.51.100.2', 1],
    ]);
  });
});

describe('attempts of made-up accounts', () => {
  it('leave few entries, whose times add up', async () => {
    const { entries, audit, note } = summed(10);
    for (let i = 0; i < 5000; i++) await note(`nobody${i}@x.org`);
    await audit.stop();
    expect(entries.length).toBeLessThanOrEqual(13);
    const all = entries.reduce((sum, { times = 1 }) => sum + times, 0);
    expect(all).toBe(5000);
  });
});
