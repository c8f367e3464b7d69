// Deals with events of webhooks after their platform was answered. The node that took an event
// deals with it at once; events of a node that died, and those that failed, come up again when they
// are due in the store. An event that keeps failing is given up after a day.
import { SharedLimiter } from '../../std/shared-limiter.js';
import { settledWithin, type Clock } from '../../std/clock.js';
import { PeriodicLoop } from '../../std/periodic-loop.js';
import { ownerIdOf } from '../../model/owner-of-record.js';
import type { Service } from '../../std/service.js';
import type { WebhookEvent } from './webhook.js';
import type { WebhookEventStore } from './event-store.js';
import { dispatchEvent, type Dispatched, type DispatchParts } from './dispatch-event.js';
import { historyEntryOf } from './history-entry.js';
import type { Webhooks } from './webhooks.js';

export interface EventWorkerParts extends DispatchParts {
  readonly webhooks: Webhooks;
  readonly events: WebhookEventStore;
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

/** Events dealt with at the same time; of one owner's webhooks as many as are left free. */
const atOnceMax = 128;
const lookEveryMs = 5000;
const eventsPerLookMax = 500;
const againAfterMs = 5000;
/** More than the time that a node has for an event before others take it up. */
const startAheadMs = 60_000;
const givenUpAfterMs = 86_400_000;
/** How long the end of what is being dealt with is waited for when the node stops. */
const stopMsMax = 2000;
const nothing: Dispatched = { workflowIds: [], reasons: [] };

export class WebhookEventWorker implements Service {
  readonly #limiter = new SharedLimiter(atOnceMax);
  /** Events that this node deals with. */
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #loop: PeriodicLoop;
  #isStopped = false;
  /** The node does not wait any more: what comes of an event now says nothing of it. */
  #isLeft = false;

  constructor(private readonly parts: EventWorkerParts) {
    const { clock, failed } = parts;
    this.#loop = new PeriodicLoop({
      name: 'WebhookEventWorker',
      ...{ clock, failed, everyMs: lookEveryMs },
      runsOn: 'node',
      runOnce: () => this.lookOnce(),
    });
  }

  /** Events that wait or are being dealt with on this node. */
  get waiting(): number {
    return this.#underWay.size;
  }

  /** Takes up at once what was left behind: most likely by this node, before it was started. */
  async start(): Promise<void> {
    await this.lookOnce(startAheadMs);
    await this.#loop.start();
  }

  /** Events that wait, or take longer, stay in the store. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
    await settledWithin(this.parts.clock, Promise.all(this.#underWay.values()), stopMsMax);
    this.#isLeft = true;
  }

  /** Deals with a stored event soon; does not reject. */
  add(event: WebhookEvent): void {
    if (this.#underWay.has(event.id)) return;
    const webhook = this.parts.webhooks.find(event.webhookId);
    const dealing = this.#limiter
      .run(webhook === undefined ? '' : ownerIdOf(webhook), () => this.#deal(event))
      .catch(this.parts.failed)
      .finally(() => this.#underWay.delete(event.id));
    this.#underWay.set(event.id, dealing);
  }

  /** Takes up what is due in the store, or will be within `aheadMs`. */
  async lookOnce(aheadMs = 0): Promise<void> {
    const now = this.parts.clock.now();
    const due = await this.parts.events.due(now + aheadMs, eventsPerLookMax);
    for (const event of due) this.add(event);
  }

  async #deal(event: WebhookEvent): Promise<void> {
    if (this.#isStopped) return;
    const { webhooks, events, clock, failed, log } = this.parts;
    const webhook = webhooks.find(event.webhookId);
    try {
      const dispatched =
        webhook === undefined ? nothing : await dispatchEvent(this.parts, webhook, event);
      if (this.#isLeft) return;
      await events.finish(event, historyEntryOf(event, dispatched));
    } catch (error) {
      if (this.#isLeft) return;
      failed(error);
      // A value that nobody can write would be one the next time too.
      const isFinal = error instanceof RangeError;
      if (!isFinal && clock.now() - event.receivedAt < givenUpAfterMs) {
        await events.postpone(event.id, clock.now() + againAfterMs);
        return;
      }
      log.warn({ webhook: event.webhookId, event: event.id }, 'an event is given up');
      const reason = `Given up after a day: ${error instanceof Error ? error.message : String(error)}`;
      await events.finish(event, historyEntryOf(event, { ...nothing, reasons: [reason] }));
    }
  }
}
