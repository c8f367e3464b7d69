// Takes messages out of the queues that active event handlers name and gives them to the handlers
// (semantics 6.1, 6.2). One node of the deployment does so, the leader. A message leaves its queue
// when everything that it caused is committed and recorded, so it is dealt with at least once; the
// records and ids make a repetition harmless (handle-message.ts).
//
// A message published on this node is taken at once. Those of other nodes, and what failed, are
// found once a second through the marks of queues: one command for up to a thousand queues, and
// none while no handler is active. A mark may be lost with a leader that is deposed or dies while
// it deals with the messages, after the next leader has read the queue: so once a minute the leader
// reads all queues, whether marked or not.
import { settledWithin, type Clock } from '../../../std/clock.js';
import { Limiter } from '../../../std/limiter.js';
import { PeriodicLoop } from '../../../std/periodic-loop.js';
import type { Service } from '../../../std/service.js';
import type { EventQueueStore } from '../store/event-queue-store.js';
import { deliverMessage, type DeliveryParts } from '../handle/deliver-message.js';
import type { EventHandlers } from '../event-handlers.js';

export interface EventConsumerParts extends DeliveryParts {
  readonly handlers: EventHandlers;
  readonly queues: EventQueueStore;
  /** Whether this node leads the deployment. */
  readonly leadership: { readonly leads: boolean };
  readonly clock: Clock;
  readonly failed: (error: unknown) => void;
}

const lookEveryMs = 1000;
const readAllEveryMs = 60_000;
const messagesPerReadMax = 100;
/** Messages of one queue that are dealt with at the same time. */
const atOnceMax = 32;
/** How long the end of what is being dealt with is waited for when the node stops. */
const stopMsMax = 2000;

export class EventConsumer implements Service {
  /** Queues that are being emptied. */
  readonly #emptying = new Map<string, Promise<void>>();
  /** Of those, the ones that got something since they were read last. */
  readonly #again = new Set<string>();
  /** Queues whose marks tell of all that waits in them: the others are read at the next visit. */
  #seen = new Set<string>();
  /** When this node last began to read all queues, monotonic ms. */
  #readAllAt = 0;
  readonly #loop: PeriodicLoop;
  #isStopped = true;
  /** The node does not wait any more: what comes of a message now says nothing of it. */
  #isLeft = false;

  constructor(private readonly parts: EventConsumerParts) {
    const { clock, failed, queues } = parts;
    this.#loop = new PeriodicLoop({
      name: 'EventConsumer',
      ...{ clock, failed },
      everyMs: lookEveryMs,
      runsOn: 'leader',
      runOnce: () => this.lookOnce(),
    });
    queues.onPublished((queue) => this.#published(queue));
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.#loop.start();
  }

  /** Messages that wait, or take longer, stay in the store. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop.stop();
    await settledWithin(this.parts.clock, Promise.all(this.#emptying.values()), stopMsMax);
    this.#isLeft = true;
  }

  /** Begins to empty the queues that have got something. */
  async lookOnce(): Promise<void> {
    const { leadership, handlers, queues, clock } = this.parts;
    const active = handlers.activeByEvent;
    if (!leadership.leads || active.size === 0) {
      this.#seen.clear();
      return;
    }
    if (clock.monotonic() - this.#readAllAt >= readAllEveryMs) {
      this.#seen.clear();
      this.#readAllAt = clock.monotonic();
    }
    const events = [...active.keys()];
    const marked = await queues.marked(events.filter((event) => this.#seen.has(event)));
    // A queue that had messages before its handler, or before this node led, may have no mark. Nor
    // has one whose messages could not be dealt with while the marks were asked for.
    const unseen = events.filter((event) => !this.#seen.has(event));
    this.#seen = new Set(events);
    for (const queue of [...unseen, ...marked]) this.#empty(queue);
  }

  #published(queue: string): void {
    if (this.#isStopped || !this.parts.leadership.leads) return;
    if (this.parts.handlers.activeByEvent.has(queue)) this.#empty(queue);
  }

  #empty(queue: string): void {
    if (this.#emptying.has(queue)) {
      this.#again.add(queue);
      return;
    }
    const emptying = this.#emptyAll(queue)
      .catch(this.parts.failed)
      .finally(() => {
        this.#emptying.delete(queue);
        if (this.#again.delete(queue) && !this.#isStopped) this.#empty(queue);
      });
    this.#emptying.set(queue, emptying);
  }

  /**
   * The mark goes before the messages are read, so that none is missed. After a failure the next
   * visit reads the queue again, also when nobody knows whether the mark was removed.
   */
  async #emptyAll(queue: string): Promise<void> {
    const { queues, handlers } = this.parts;
    try {
      await queues.unmark(queue);
      while (!this.#isStopped && handlers.activeByEvent.has(queue)) {
        this.#again.delete(queue);
        const messages = await queues.read(queue, messagesPerReadMax);
        if (messages.length === 0) return;
        const limiter = new Limiter(atOnceMax);
        const results = await Promise.allSettled(
          messages.map((message) =>
            limiter.run(async () => {
              if (this.#isStopped) return;
              await deliverMessage(this.parts, handlers.activeOf(queue), queue, message);
              if (!this.#isLeft) await queues.remove(queue, [message]);
            }),
          ),
        );
        const broken = results.find((result) => result.status === 'rejected');
        if (broken !== undefined) throw broken.reason;
      }
    } catch (error) {
      this.#seen.delete(queue);
      throw error;
    }
  }
}
