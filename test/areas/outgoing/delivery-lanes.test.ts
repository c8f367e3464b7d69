// Lanes of deliveries: how many of one webhook are under way, and what waits.
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/areas/outgoing/outgoing-webhook.js';
import { DeliveryLanes } from '../../../src/areas/outgoing/delivery-lanes.js';

const limits = { atOnceMax: 2, waitingMax: 2 };

class Attempts {
  now = 0;
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly lanes = new DeliveryLanes(
    limits,
    () => this.now,
    ({ id }) => {
      this.begun.push(id);
      return new Promise((resolve) => this.#ends.set(id, resolve));
    },
  );

  add(webhookId: string, id: string, until = 100): void {
    const rest = { eventType: '', body: '', createdAt: 0, attempts: 0, lastError: '' };
    this.lanes.add({ id, webhookId, ...rest } satisfies Delivery, until);
  }

  /** Ends an attempt; resolves when the next one has begun. */
  async end(id: string): Promise<void> {
    this.#ends.get(id)?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a lane', () => {
  it('has a few under way and some waiting, beside those of others', async () => {
    const attempts = new Attempts();
    for (const id of ['1', '2', '3', '4']) attempts.add('a', id);
    expect(attempts.lanes.roomFor('a')).toBe(0);
    attempts.add('b', '5');
    expect(attempts.begun).toEqual(['1', '2', '5']);
    await attempts.end('2');
    expect(attempts.begun).toEqual(['1', '2', '5', '3']);
    expect(attempts.lanes.roomFor('a')).toBe(1);
  });

  it('leaves out what waited too long', async () => {
    const attempts = new Attempts();
    for (const id of ['1', '2', '3']) attempts.add('a', id);
    attempts.add('a', '4', 200);
    attempts.now = 150;
    await attempts.end('1');
    expect(attempts.begun).toEqual(['1', '2', '4']);
    expect(attempts.lanes.roomFor('a')).toBe(2);
  });

  it('ends with what is under way', async () => {
    const attempts = new Attempts();
    for (const id of ['1', '2', '3']) attempts.add('a', id);
    const over = attempts.lanes.empty();
    for (const id of ['1', '2']) await attempts.end(id);
    await over;
    expect(attempts.begun).toEqual(['1', '2']);
    expect(attempts.lanes.roomFor('a')).toBe(4);
  });
});
