// The permits of limited workflows (room.lua): each reply, repetitions, and messages that come
// late.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedisPermitStore } from '../../src/redis/permit-store.js';
import { executionIdOf, type ExecutionId } from '../../src/std/ids.js';
import type { PermitAnswer } from '../../src/store/permit-store.js';
import { startStore, storeKinds, type TestStore } from '../../testkit/samples.js';

const ids = Array.from({ length: 6 }, (_, i) => executionIdOf(i, randomBytes(12)));
const [a, b, c, d] = ids as [ExecutionId, ExecutionId, ExecutionId, ExecutionId];

describe.each(storeKinds)('a room on %s', (kind) => {
  let test: TestStore;
  let permits: RedisPermitStore;
  let room: string;
  beforeAll(async () => {
    test = await startStore(kind);
    permits = new RedisPermitStore(test.redis);
  });
  afterAll(async () => test.stop());
  beforeEach(() => {
    room = randomBytes(6).toString('hex');
  });

  async function take(
    id: ExecutionId,
    { number = 1, startedAt = 0, places = 1, isForced = false } = {},
  ): Promise<PermitAnswer> {
    return await permits.take({ room, id, number, startedAt, places, isForced });
  }

  const leave = (id: ExecutionId, number = 2): Promise<PermitAnswer> =>
    permits.leave({ room, id, number });

  it('gives its places, and then to those that wait in the order of their starts', async () => {
    expect(await take(a)).toEqual({ hasPlace: true, untold: [] });
    expect(await take(b, { startedAt: 20 })).toEqual({ hasPlace: false, untold: [] });
    expect(await take(c, { startedAt: 10 })).toEqual({ hasPlace: false, untold: [] });
    expect(await leave(a)).toEqual({ hasPlace: false, untold: [c] });
    expect(await leave(c)).toEqual({ hasPlace: false, untold: [b] });
  });

  it('names those that were not told again, until they are', async () => {
    await take(a);
    await take(b, { startedAt: 1 });
    expect((await leave(a)).untold).toEqual([b]);
    expect((await leave(a)).untold).toEqual([b]);
    expect((await permits.told(room, b)).untold).toEqual([]);
    expect((await leave(a)).untold).toEqual([]);
  });

  it('answers a repeated message as the first', async () => {
    await take(a);
    expect((await take(a)).hasPlace).toBe(true);
    await take(b, { startedAt: 1 });
    await leave(a);
    expect(await take(b, { startedAt: 1 })).toEqual({ hasPlace: true, untold: [] });
    expect((await permits.look(room, [])).taken).toBe(1);
  });

  it('is not changed by a message that comes late', async () => {
    await take(a, { number: 1 });
    await leave(a, 4);
    expect((await take(a, { number: 1 })).hasPlace).toBe(false);
    expect(await permits.look(room, [a])).toEqual({ taken: 0, known: [true] });
    await take(a, { number: 7, isForced: true });
    await leave(a, 4);
    expect((await permits.look(room, [])).taken).toBe(1);
  });

  it('lets those go that wait no longer', async () => {
    await take(a);
    await take(b, { startedAt: 1 });
    await take(c, { startedAt: 2 });
    await leave(b);
    expect((await leave(a)).untold).toEqual([c]);
  });

  it('counts those that a person has started again beyond the limit', async () => {
    await take(a);
    expect((await take(b, { isForced: true })).hasPlace).toBe(true);
    await take(c, { startedAt: 3 });
    expect((await leave(a)).untold).toEqual([]);
    expect((await leave(b)).untold).toEqual([c]);
  });

  it('follows a limit that was changed', async () => {
    await take(a, { places: 1 });
    await take(b, { startedAt: 1, places: 1 });
    expect(await take(c, { startedAt: 2, places: 3 })).toEqual({ hasPlace: true, untold: [b] });
    expect((await take(d, { startedAt: 4, places: 1 })).hasPlace).toBe(false);
    expect((await leave(a)).untold).toEqual([b]);
    expect((await permits.look(room, [])).taken).toBe(2);
  });

  it('leaves nothing but short marks behind', async () => {
    await take(a);
    await take(b);
    await leave(a);
    await leave(b);
    const { keys, reads } = test.redis;
    for (const part of ['taken', 'waiting', 'untold', 'asked', 'limit'] as const) {
      expect(await reads.call('EXISTS', keys.room(room, part))).toBe(0);
    }
    expect(await reads.call('PTTL', keys.room(room, `left:${a}`))).toBeGreaterThan(0);
  });
});
