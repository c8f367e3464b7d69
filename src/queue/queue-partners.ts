// Whom the queues of a node work with: the owners of attempts and the queues of other nodes. Both
// are built after the queues, because they need them.
import type { AttemptOwner } from './attempt-owner.js';
import { noNotices, type QueueNotices } from './queue-notices.js';

export class QueuePartners {
  #owner: AttemptOwner | undefined;
  #notices: QueueNotices = noNotices;

  /** Both are set before the first poll. */
  serve(owner: AttemptOwner): void {
    this.#owner = owner;
  }

  connect(notices: QueueNotices): void {
    this.#notices = notices;
  }

  get owner(): AttemptOwner {
    if (this.#owner === undefined) throw new Error('Nobody owns attempts yet');
    return this.#owner;
  }

  get notices(): QueueNotices {
    return this.#notices;
  }
}
