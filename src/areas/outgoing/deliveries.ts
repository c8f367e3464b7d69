// Lists the deliveries of an outgoing webhook, and sends again those that were given up.
import { AppError } from '../../model/errors.js';
import type { DeadLetter, Delivery, DeliveryLog, ShownDeadLetter } from './outgoing-webhook.js';
import type { Clock } from '../../std/clock.js';
import type { OutgoingStore } from './outgoing-store.js';
import type { OutgoingWebhooks } from './outgoing-webhooks.js';

export interface DeliveriesParts {
  readonly webhooks: OutgoingWebhooks;
  readonly store: OutgoingStore;
  /** Store time. */
  readonly clock: Clock;
}

/** How long a delivery is held whose node dies before it lets it go, ms. */
const heldMs = 60_000;

export class Deliveries {
  constructor(private readonly parts: DeliveriesParts) {}

  /** Throws AppError 'not-found'. */
  async log(webhookId: string): Promise<DeliveryLog> {
    const { webhooks, store } = this.parts;
    webhooks.get(webhookId);
    const [waiting, attempts] = await Promise.all([
      store.waiting(webhookId),
      store.attempts(webhookId),
    ]);
    return { waiting, attempts };
  }

  /** Throws AppError 'not-found'. */
  async deadLetters(webhookId: string): Promise<ShownDeadLetter[]> {
    this.parts.webhooks.get(webhookId);
    const letters = await this.parts.store.deadLetters(webhookId);
    return letters.map(({ id, webhookId: _webhookId, trace: _trace, ...rest }) => ({
      deliveryId: id,
      ...rest,
    }));
  }

  /**
   * `ids`: empty for all. Gives how many are sent anew, under the same ids and with all attempts.
   * Throws AppError 'not-found', also for an id that is none of them.
   */
  async redeliver(webhookId: string, ids: readonly string[] | undefined): Promise<number> {
    const { store, clock } = this.parts;
    const letters = await this.#chosen(webhookId, ids);
    for (const { diedAt: _diedAt, ...letter } of letters) {
      const delivery: Delivery = { ...letter, attempts: 0, lastError: '' };
      // Held until its dead letter is gone: else one that fails at once would lose its new letter.
      await store.add(delivery, clock.now() + heldMs);
      await store.removeDeadLetters(webhookId, [delivery.id]);
      await store.release(delivery, clock.now());
    }
    return letters.length;
  }

  /** `ids`: undefined for all. Throws AppError 'not-found'. */
  async removeDeadLetters(webhookId: string, ids: readonly string[] | undefined): Promise<void> {
    const letters = await this.#chosen(webhookId, ids);
    await this.parts.store.removeDeadLetters(
      webhookId,
      letters.map(({ id }) => id),
    );
  }

  async #chosen(webhookId: string, ids: readonly string[] | undefined): Promise<DeadLetter[]> {
    this.parts.webhooks.get(webhookId);
    const letters = await this.parts.store.deadLetters(webhookId);
    if (ids === undefined) return letters;
    const unknown = ids.find((id) => letters.every((letter) => letter.id !== id));
    if (unknown !== undefined) {
      const text = `The webhook has no dead letter with id ${unknown.slice(0, 200)}`;
      throw new AppError('not-found', text);
    }
    return letters.filter(({ id }) => ids.includes(id));
  }
}
