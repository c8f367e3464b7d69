// Which other nodes have announced that polls wait there for a queue. The next one to be told comes
// first.
import type { QueueName } from '../engine/decision.js';
import { queueKey } from '../queue/queue-key.js';

interface Wanted {
  readonly queue: QueueName;
  /** Node ids. */
  readonly nodes: Set<string>;
}

export class WantedQueues {
  /** By task type, then by queue. */
  readonly #byType = new Map<string, Map<string, Wanted>>();

  add(queue: QueueName, nodeId: string): void {
    let queues = this.#byType.get(queue.taskType);
    if (queues === undefined) this.#byType.set(queue.taskType, (queues = new Map()));
    const key = queueKey(queue);
    const wanted = queues.get(key);
    if (wanted === undefined) queues.set(key, { queue, nodes: new Set([nodeId]) });
    else wanted.nodes.add(nodeId);
  }

  remove(queue: QueueName, nodeId: string): void {
    const queues = this.#byType.get(queue.taskType);
    const key = queueKey(queue);
    const wanted = queues?.get(key);
    if (queues === undefined || wanted === undefined) return;
    wanted.nodes.delete(nodeId);
    if (wanted.nodes.size > 0) return;
    queues.delete(key);
    if (queues.size === 0) this.#byType.delete(queue.taskType);
  }

  forget(nodeId: string): void {
    for (const queues of [...this.#byType.values()]) {
      for (const { queue, nodes } of [...queues.values()]) {
        if (nodes.has(nodeId)) this.remove(queue, nodeId);
      }
    }
  }

  /** Nodes whose polls wait for the queue. */
  nodesOf(queue: QueueName): readonly string[] {
    const wanted = this.#byType.get(queue.taskType)?.get(queueKey(queue));
    return wanted === undefined ? [] : [...wanted.nodes];
  }

  /** To the end of the line: the next task goes to another node first. */
  putLast(queue: QueueName, nodeId: string): void {
    const nodes = this.#byType.get(queue.taskType)?.get(queueKey(queue))?.nodes;
    if (nodes?.delete(nodeId) === true) nodes.add(nodeId);
  }

  /** Queues of the type, in any domain. */
  ofType(taskType: string): QueueName[] {
    const queues = this.#byType.get(taskType);
    return queues === undefined ? [] : [...queues.values()].map(({ queue }) => queue);
  }

  *all(): Iterable<QueueName> {
    for (const queues of this.#byType.values()) {
      for (const { queue } of queues.values()) yield queue;
    }
  }
}
