// Deliveries that this node has taken, by webhook: a few of each are under way at a time, and some
// more wait here for their turn. So an address that answers slowly holds up its own deliveries
// only.
import type { Delivery } from './outgoing-webhook.js';

export interface LaneLimits {
  /** Attempts under way, of one webhook. */
  readonly atOnceMax: number;
  /** Deliveries that wait here, of one webhook. */
  readonly waitingMax: number;
}

interface Lane {
  running: number;
  readonly waiting: { readonly delivery: Delivery; readonly until: number }[];
}

export class DeliveryLanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #running = new Set<Promise<void>>();

  constructor(
    private readonly limits: LaneLimits,
    private readonly now: () => number,
    /** Does not reject. */
    private readonly attempt: (delivery: Delivery) => Promise<void>,
  ) {}

  /** Deliveries of the webhook that may be added. */
  roomFor(webhookId: string): number {
    const { atOnceMax, waitingMax } = this.limits;
    const lane = this.#lanes.get(webhookId);
    if (lane === undefined) return atOnceMax + waitingMax;
    return atOnceMax + waitingMax - lane.running - lane.waiting.length;
  }

  /** One whose turn has not come by `until` is left to the node that claims it next. */
  add(delivery: Delivery, until: number): void {
    const { webhookId } = delivery;
    let lane = this.#lanes.get(webhookId);
    if (lane === undefined) this.#lanes.set(webhookId, (lane = { running: 0, waiting: [] }));
    lane.waiting.push({ delivery, until });
    this.#next(webhookId, lane);
  }

  /** Forgets what waits; resolves when nothing is under way any more. */
  async empty(): Promise<void> {
    for (const lane of this.#lanes.values()) lane.waiting.length = 0;
    await Promise.all(this.#running);
  }

  #next(webhookId: string, lane: Lane): void {
    while (lane.running < this.limits.atOnceMax) {
      const next = lane.waiting.shift();
      if (next === undefined) break;
      if (next.until > this.now()) this.#run(webhookId, lane, next.delivery);
    }
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(webhookId);
  }

  #run(webhookId: string, lane: Lane, delivery: Delivery): void {
    lane.running += 1;
    const running = this.attempt(delivery).finally(() => {
      this.#running.delete(running);
      lane.running -= 1;
      this.#next(webhookId, lane);
    });
    this.#running.add(running);
  }
}
