// Calls of webhooks that were verified and are to be dealt with, and what became of the newest
// ones. An event is durable before its platform is answered; it leaves with its history entry.
import type { WebhookEvent, WebhookHistoryEntry } from './webhook.js';

/** Marks a signature as used for a time. */
export interface UsedOnce {
  readonly signature: string;
  readonly lifeMs: number;
}

export interface WebhookEventStore {
  /** Stores an event; `repeated` and nothing stored when its signature was used before. */
  add(event: WebhookEvent, once: UsedOnce | undefined): Promise<'stored' | 'repeated'>;
  /** Events that are due for another attempt by `now` (epoch ms), oldest first. */
  due(now: number, limit: number): Promise<WebhookEvent[]>;
  /** Due again from `at` on (epoch ms). */
  postpone(eventId: string, at: number): Promise<void>;
  /** Removes the event and adds its entry to the history of its webhook. */
  finish(event: Pick<WebhookEvent, 'id' | 'webhookId'>, entry: WebhookHistoryEntry): Promise<void>;
  /** Newest first, by webhook in the order of the ids. */
  histories(webhookIds: readonly string[]): Promise<WebhookHistoryEntry[][]>;
  /** Removes the history of a webhook that is gone. */
  forget(webhookId: string): Promise<void>;
}
