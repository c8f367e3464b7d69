// Notices between nodes that members became ready in a queue. They may be lost and only shorten
// waits. What is announced within one turn of the event loop goes out as one message; a node does
// not hear itself, and says nothing while it is alone.
import type { QueueName } from '../engine/decision.js';
import type { WakeUps } from '../store/queue-store.js';
import type { RedisClient } from './client.js';
import { parseQueueText, queueText } from './codec/queue-record.js';
import { packRecord, unpackRecord } from './codec/record.js';

export class RedisWakeUps implements WakeUps {
  readonly #waiting = new Set<string>();

  /** `isAlone` tells whether no other node is known; then nothing is sent. */
  constructor(
    private readonly redis: RedisClient,
    private readonly nodeId: string,
    private readonly isAlone: () => boolean,
  ) {}

  announce(queues: readonly QueueName[]): void {
    if (this.isAlone()) return;
    if (this.#waiting.size === 0) setImmediate(() => this.#send());
    for (const queue of queues) this.#waiting.add(queueText(queue));
  }

  async subscribe(listener: (queue: QueueName) => void): Promise<void> {
    await this.redis.subscribe(this.redis.keys.wakeUpChannel(), (message) => {
      const [, from, ...texts] = unpackRecord('wake-up', message, 1);
      if (from === this.nodeId) return;
      for (const text of texts as string[]) listener(parseQueueText(text));
    });
  }

  #send(): void {
    const message = packRecord([1, this.nodeId, ...this.#waiting]);
    this.#waiting.clear();
    // A lost notice costs a wait until the next sweep, so a failure needs no answer.
    this.redis.queues
      .call('PUBLISH', this.redis.keys.wakeUpChannel(), message)
      .catch(() => undefined);
  }
}
