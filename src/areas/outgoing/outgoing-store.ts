// Deliveries of outgoing webhooks: those on their way, the newest attempts, and those given up.
import type { DeadLetter, Delivery, DeliveryAttempt } from './outgoing-webhook.js';

export interface DeliveryClaim {
  readonly webhookId: string;
  readonly now: number;
  readonly until: number;
  readonly limit: number;
}

export interface OutgoingStore {
  /**
   * Stores a delivery, due at `dueAt` (epoch ms), unless it is known. Resolves with how many of its
   * webhook are on their way.
   */
  add(delivery: Delivery, dueAt: number): Promise<number>;
  /** Webhooks that may have deliveries due by `now`, the longest waiting first. */
  dueWebhooks(now: number, limit: number): Promise<string[]>;
  /** Takes deliveries that are due by `now`; nobody else gets them before `until`. Oldest first. */
  claim(claim: DeliveryClaim): Promise<Delivery[]>;
  /** A delivery that was added is due at another moment. */
  release(delivery: Delivery, dueAt: number): Promise<void>;
  /** An attempt has failed; the next one is due at `dueAt`. */
  postpone(delivery: Delivery, dueAt: number, attempt: DeliveryAttempt): Promise<void>;
  /** It is over: delivered, or given up as `dead`. */
  finish(delivery: Delivery, attempt: DeliveryAttempt, dead: DeadLetter | undefined): Promise<void>;
  /** How many are on their way. */
  waiting(webhookId: string): Promise<number>;
  /** Newest first, bounded. */
  attempts(webhookId: string): Promise<DeliveryAttempt[]>;
  /** Oldest first, bounded. */
  deadLetters(webhookId: string): Promise<DeadLetter[]>;
  removeDeadLetters(webhookId: string, ids: readonly string[]): Promise<void>;
  /** Removes everything of a webhook that is gone. */
  forget(webhookId: string): Promise<void>;
}
