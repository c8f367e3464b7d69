// Whom the queues of a node work with: the owners of attempts and the queues of other nodes. Both
// are built after the queues, because they need them.
import type { AttemptOwner } from './attempt-owner.js';
import type { QueueNotices } from './queue-notices.js';

export interface QueuePartners {
  readonly owner: AttemptOwner;
  readonly notices: QueueNotices;
}
