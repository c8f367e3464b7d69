// Judges how soon tasks are handed out (invariants I19). It looks from outside every few
// milliseconds: which polls wait at nodes, and which attempts the store's queues may give away, by
// their moment and within the limits of their definitions. An attempt and a poll of one queue that
// both stay so for longer than the promise allows are a violation.
//
// Judged before the first fault, and from the recovery time after the last one on.
import type { QueueName } from '../../src/engine/decision.js';
import { fetchBatch, type ParkedPoll } from '../../src/queue/parked-poll.js';
import { Keys } from '../../src/redis/keys.js';
import type { SimulatedNode } from './node.js';
import type { Scheduler } from './scheduler.js';
import type { MemoryRedis } from './store/memory-redis.js';
import { limitsOf, perMs, type Limits } from './store/twins/queue-part.js';
import { texts } from './store/twins/twin.js';

/** The promise, ms. */
export const handOutWithinMs = 100;
/** After the last fault everything that ended with it is known again, and its leases are over. */
export const recoveryMs = 12_000;
const everyMs = 20;
/** Shards are taken and the first tables are read. */
const startsWithinMs = 2000;

export interface HandOutWatchParts {
  readonly scheduler: Scheduler;
  readonly prefix: string;
  readonly redis: () => MemoryRedis;
  readonly nodes: () => Iterable<SimulatedNode>;
  /** When the first fault begins and from when on there is none, ms of the scheduler. */
  readonly faults: () => { readonly from: number; readonly until: number };
}

export class HandOutWatch {
  readonly violations: string[] = [];
  readonly #keys: Keys;
  /** Since when each attempt that may be given away has been so, by queue and member. */
  #ready = new Map<string, number>();
  readonly #waits = new WeakMap<ParkedPoll, number>();
  #startedAt = 0;

  constructor(private readonly parts: HandOutWatchParts) {
    this.#keys = new Keys(parts.prefix);
  }

  begin(): void {
    this.#startedAt = this.parts.scheduler.now;
    this.#again();
  }

  #again(): void {
    this.parts.scheduler.after(everyMs, () => {
      this.#look();
      this.#again();
    });
  }

  get #isJudged(): boolean {
    const { now } = this.parts.scheduler;
    const { from, until } = this.parts.faults();
    return now < from ? now > this.#startedAt + startsWithinMs : now > until + recoveryMs;
  }

  #look(): void {
    if (!this.#isJudged) {
      this.#ready.clear();
      return;
    }
    const { now } = this.parts.scheduler;
    const ready = new Map<string, number>();
    for (const node of this.parts.nodes()) {
      if (node.clock.isOver || !node.isServing) continue;
      for (const queue of node.hub.waitingQueues) {
        const waitedMs = this.#longestWait(node, queue);
        for (const member of this.#mayBeGiven(queue)) {
          const name = `${queue.taskType} ${member}`;
          const since = this.#ready.get(name) ?? now;
          ready.set(name, since);
          const lateMs = Math.min(now - since, waitedMs);
          if (lateMs > handOutWithinMs) this.#found(name, node.nodeId, lateMs);
        }
      }
    }
    this.#ready = ready;
  }

  #found(name: string, nodeId: string, lateMs: number): void {
    const text = `${name} was not handed out to a poll that waited at ${nodeId}`;
    if (this.violations.some((other) => other.startsWith(text))) return;
    this.violations.push(`${text} for ${Math.round(lateMs)} ms, at ${this.parts.scheduler.now}`);
  }

  /** Of the polls at this node that take something. */
  #longestWait(node: SimulatedNode, queue: QueueName): number {
    const { now } = this.parts.scheduler;
    let longest = 0;
    for (const poll of node.hub.queue(queue).parked) {
      if (poll.wants(fetchBatch) === 0) {
        this.#waits.delete(poll);
        continue;
      }
      const since = this.#waits.get(poll) ?? now;
      this.#waits.set(poll, since);
      longest = Math.max(longest, now - since);
    }
    return longest;
  }

  /** Members of ready, and hidden ones that are due, as far as limits let them through. */
  #mayBeGiven(queue: QueueName): string[] {
    const redis = this.parts.redis();
    const ready = texts(redis.call('ZRANGE', this.#keys.ready(queue), 0, -1));
    const until = (redis.now + 1) * perMs - 1;
    const due = texts(redis.call('ZRANGEBYSCORE', this.#keys.hidden(queue), '-inf', until));
    return [...ready, ...due].filter((member) => this.#hasRoom(redis, queue, member));
  }

  #hasRoom(redis: MemoryRedis, queue: QueueName, member: string): boolean {
    const packed = redis.call('HGET', this.#keys.memberLimits(queue), member) as string | null;
    if (packed === null) return true;
    const [name, concurrent, perWindow, windowSeconds]: Limits = limitsOf(packed);
    const { taskType } = queue;
    const count = (key: string, after: number): number =>
      texts(redis.call('ZRANGEBYSCORE', key, after + 1, '+inf')).length;
    const slots = count(this.#keys.slots(taskType, name), redis.now);
    if (concurrent > 0 && slots >= concurrent) return false;
    if (perWindow === 0 || windowSeconds === 0) return true;
    const windowStart = redis.now - windowSeconds * 1000;
    return count(this.#keys.rate(taskType, name), windowStart) < perWindow;
  }
}
