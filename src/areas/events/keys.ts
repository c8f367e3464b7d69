// The keys of events: queues inside the server, both keys of a queue in its slot; records of
// handlers and of events, dead letters and connections to brokers. Each names type, owner and life.
import { encodeName, namespace } from '../../redis/key-names.js';
import type { OrderedHash } from '../../redis/ordered-hashes.js';

export class EventKeys {
  constructor(
    /** Separates deployments that share a Redis. */
    readonly prefix: string,
  ) {}

  /**
   * Sorted set: attempts that published an event by the moment of publishing; expires by age after
   * the last one.
   */
  order(queue: string): string {
    return `${this.prefix}:{ev:${encodeName(queue)}}:${namespace}:order`;
  }

  /** Hash: attempt to the event that it published; expires with the order. */
  messages(queue: string): string {
    return `${this.prefix}:{ev:${encodeName(queue)}}:${namespace}:messages`;
  }

  /**
   * Sorted set: event queues that have got a message by its moment, until it is seen; entries older
   * than a message may get are removed.
   */
  marked(): string {
    return `${this.prefix}:{ev}:${namespace}:marked`;
  }

  /**
   * Hash and sorted set, the latter by time: what the actions of a handler did, bounded; expire
   * some time after the newest one.
   */
  handled(handler: string): OrderedHash {
    const start = `${this.prefix}:{eh:${encodeName(handler)}}:${namespace}:`;
    return { hash: `${start}records`, order: `${start}order` };
  }

  /**
   * Hash and sorted set, the latter by time: messages that came for an event, bounded; expire some
   * time after the newest one.
   */
  received(event: string): OrderedHash {
    const start = `${this.prefix}:{em:${encodeName(event)}}:${namespace}:`;
    return { hash: `${start}records`, order: `${start}order` };
  }

  /**
   * Hash and sorted set, the latter by time: messages that a handler could not deal with, bounded;
   * expire some time after the newest one.
   */
  deadLetters(handler: string): OrderedHash {
    const start = `${this.prefix}:{dl:${encodeName(handler)}}:${namespace}:`;
    return { hash: `${start}letters`, order: `${start}order` };
  }

  /** Hash: connection to a broker to its state; entries go when nothing is taken from it. */
  sources(): string {
    return `${this.prefix}:{es}:${namespace}:sources`;
  }
}
