// Previews of bulk jobs read many executions, so they stand in the line of searches.
import { describe, expect, it } from 'vitest';
import { everythingAllowed } from '../../../src/access/access-rules.js';
import { judged } from '../../../src/areas/bulk-jobs/freeze.js';
import type { Caller } from '../../../src/model/caller.js';
import { executionIdOf } from '../../../src/std/ids.js';
import { SharedLimiter } from '../../../src/std/shared-limiter.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const callerOf = (id: string): Caller => ({ kind: 'user', id, roles: [], groups: [] });
const ids = [executionIdOf(1, Buffer.alloc(10, 1))];

describe('previews of one caller', () => {
  it('leave places to searches of others, however many there are', async () => {
    const reads: (() => void)[] = [];
    const store = {
      headers: () => new Promise<undefined[]>((resolve) => reads.push(() => resolve([undefined]))),
    };
    const search = {
      context: { access: everythingAllowed, searchTurns: new SharedLimiter(4) },
      store,
    };
    const preview = (caller: string) =>
      judged(search, { caller: callerOf(caller), action: 'restart' }, ids);
    const all = Array.from({ length: 8 }, () => preview('flooder'));
    await turn();
    expect(reads).toHaveLength(2);
    all.push(preview('neighbour'));
    await turn();
    expect(reads).toHaveLength(3);
    for (let done = 0; done < all.length; done++) {
      reads.shift()?.();
      await turn();
      await turn();
    }
    const ends = await Promise.all(all);
    expect(ends.map(({ excluded }) => excluded.all[0]?.count)).toEqual(all.map(() => 1));
  });
});
