// One text per queue for maps in memory.
import type { QueueName } from '../engine/decision.js';

export function queueKey(queue: QueueName): string {
  return queue.domain === undefined ? queue.taskType : `${queue.taskType}\u0000${queue.domain}`;
}
