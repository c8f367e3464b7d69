// The queues that this node knows of: those that polls or tasks have named here.
import type { Clock } from '../std/clock.js';
import type { QueueName } from '../engine/decision.js';
import { queueKey } from './queue-key.js';
import { TaskQueue } from './task-queue.js';

/** Each time that this many more queues have become known, the idle ones are forgotten. */
const queuesPerClearing = 1000;
/** A queue counts as idle when nobody has polled it for this long. */
const idleMs = 60_000;
/** Above this number a queue may be forgotten at once, because a poll can name any queue. */
const queuesKeptMax = 20_000;

export class QueueTable {
  readonly #queues = new Map<string, TaskQueue>();
  readonly #byType = new Map<string, Set<TaskQueue>>();

  constructor(private readonly clock: Clock) {}

  /** The queue of this name; from now on it is known. */
  of(name: QueueName): TaskQueue {
    const key = queueKey(name);
    let queue = this.#queues.get(key);
    if (!queue) {
      if (this.#queues.size % queuesPerClearing === queuesPerClearing - 1) this.#forgetIdle();
      queue = new TaskQueue(name);
      this.#queues.set(key, queue);
      const ofType = this.#byType.get(name.taskType);
      if (ofType === undefined) this.#byType.set(name.taskType, new Set([queue]));
      else ofType.add(queue);
    }
    return queue;
  }

  /** undefined: not known here. */
  find(name: QueueName): TaskQueue | undefined {
    return this.#queues.get(queueKey(name));
  }

  /** Those of all domains; they share the limits of their type. */
  ofType(taskType: string): Iterable<TaskQueue> {
    return this.#byType.get(taskType) ?? [];
  }

  all(): Iterable<TaskQueue> {
    return this.#queues.values();
  }

  /**
   * Names of queues come from outside; nothing is lost with what is known of one that nobody uses.
   */
  #forgetIdle(): void {
    const since = this.clock.now() - (this.#queues.size > queuesKeptMax ? 0 : idleMs);
    for (const [key, queue] of this.#queues) if (queue.isIdle(since)) this.#forget(key, queue);
  }

  #forget(key: string, queue: TaskQueue): void {
    this.#queues.delete(key);
    const { taskType } = queue.name;
    const ofType = this.#byType.get(taskType);
    ofType?.delete(queue);
    if (ofType?.size === 0) this.#byType.delete(taskType);
  }
}
