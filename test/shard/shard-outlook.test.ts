import { beforeEach, describe, expect, it } from 'vitest';
import { OwnedShards } from '../../src/shard/owned-shards.js';
import { ShardOutlook } from '../../src/shard/shard-outlook.js';
import type { Commit } from '../../src/store/execution-store.js';

type Landed = Pick<Commit, 'wakeAt' | 'compactUntilAt' | 'remove'>;

const open: Landed = { wakeAt: undefined, compactUntilAt: undefined, remove: false };
const nothing = { wakeAt: Infinity, expiresAt: Infinity, isEmpty: true };

describe('what the owner of a shard knows of its due set', () => {
  let owned: OwnedShards;
  let outlook: ShardOutlook;

  beforeEach(() => {
    owned = new OwnedShards({ holdsLease: true, holdsLeaseOf: () => false });
    owned.take([{ shard: 3, epoch: 1, token: 't' }]);
    outlook = new ShardOutlook(owned);
    outlook.learn(outlook.begin(3), nothing);
  });

  it('is what the last read has shown', () => {
    expect(outlook.of(3)).toMatchObject(nothing);
    outlook.learn(outlook.begin(3), { wakeAt: 500, isEmpty: false });
    expect(outlook.of(3)).toMatchObject({ wakeAt: 500, expiresAt: Infinity, isEmpty: false });
  });

  it('is nothing of a shard that was not read, or is not its own', () => {
    owned.take([{ shard: 4, epoch: 1, token: 't' }]);
    const unknown = { wakeAt: 0, expiresAt: 0, isEmpty: false };
    expect(outlook.of(4)).toMatchObject(unknown);
    expect(outlook.of(5)).toMatchObject(unknown);
  });

  it('follows the commits: the earliest wake-up and expiry, and that something is open', () => {
    outlook.landed(3, { ...open, wakeAt: 900 });
    outlook.landed(3, { ...open, wakeAt: 700 });
    outlook.landed(3, { ...open, wakeAt: 800 });
    outlook.landed(3, { ...open, wakeAt: 0 });
    expect(outlook.of(3)).toMatchObject({ wakeAt: 700, expiresAt: Infinity, isEmpty: false });
    outlook.landed(3, { ...open, wakeAt: 0, compactUntilAt: 5000 });
    outlook.landed(3, { ...open, compactUntilAt: 6000 });
    expect(outlook.of(3)).toMatchObject({ wakeAt: 700, expiresAt: 5000 });
  });

  it('has an open execution after any commit but a finished one and a removal', () => {
    outlook.landed(3, { ...open, compactUntilAt: 5000 });
    outlook.landed(3, { ...open, remove: true });
    expect(outlook.of(3).isEmpty).toBe(true);
    outlook.landed(3, open);
    expect(outlook.of(3).isEmpty).toBe(false);
  });

  it('is not changed by a read that a commit has overtaken', () => {
    const reading = outlook.begin(3);
    outlook.landed(3, { ...open, wakeAt: 900 });
    outlook.learn(reading, nothing);
    expect(outlook.of(3)).toMatchObject({ wakeAt: 900, isEmpty: false });
  });

  it('ends when the shard is lost, also for reads that were under way', () => {
    const reading = outlook.begin(3);
    owned.drop([3]);
    owned.take([{ shard: 3, epoch: 2, token: 'u' }]);
    expect(outlook.of(3)).toMatchObject({ wakeAt: 0, expiresAt: 0, isEmpty: false });
    outlook.learn(reading, nothing);
    expect(outlook.of(3)).toMatchObject({ wakeAt: 0, expiresAt: 0, isEmpty: false });
  });
});
