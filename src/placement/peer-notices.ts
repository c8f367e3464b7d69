// Tells the nodes of a cluster for which queues polls wait, and wakes those polls when a task is
// ready (architecture section 4). A node announces a queue once when its first poll waits there,
// and takes it back some time after its last one has gone, so that polls which come and go cost
// nothing. A node at which a task becomes ready tells the nodes that have polls waiting, in turn,
// so that the workers of none of them starve.
//
// Each notice carries the number of the one before it for that node. A gap means that one was lost:
// the receiver then checks every queue for which its polls wait; so it does when a link comes up. A
// slow sweep does the same in any case, so a lost notice costs at most its interval.
import type { Clock } from '../std/clock.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { Service } from '../std/service.js';
import type { QueueName } from '../engine/decision.js';
import { queueKey } from '../queue/queue-key.js';
import type { QueueNotices } from '../queue/queue-notices.js';
import type { Peers } from './peer/peers.js';

const notice = { wanted: 'polls-wait', ready: 'tasks-ready' } as const;

/** A queue without polls stays announced for so long, ms. */
const lingerMs = 2000;
/** Polls that wait are checked against the store once in this time, ms. */
const sweepEveryMs = 1000;

/** What peer notices do with the queues of this node. */
export interface WaitingPolls {
  /** Members may have become ready in the store's queue. */
  wake(queue: QueueName): void;
  /** Queues for which polls wait here. */
  readonly waitingQueues: Iterable<QueueName>;
}

interface WantedBody {
  readonly queue: QueueName;
  readonly isWanted: boolean;
}

interface ReadyBody {
  /** Of the notices from this sender to this receiver. */
  readonly number: number;
  readonly queue: QueueName;
}

export class PeerNotices implements QueueNotices, Service {
  /** Node ids by queue; the next one to be told comes first. */
  readonly #wantedBy = new Map<string, Set<string>>();
  /** Queues that this node has announced, by key. */
  readonly #announced = new Map<string, QueueName>();
  /** Queues whose last poll has gone, by key, until the announcement is taken back. */
  readonly #lingering = new Map<string, number>();
  readonly #sent = new Map<string, number>();
  readonly #received = new Map<string, number>();
  readonly #sweep: PeriodicLoop;
  #sweepPosition = 0;

  constructor(
    private readonly peers: Peers,
    private readonly polls: WaitingPolls,
    private readonly clock: Clock,
    failed: (error: unknown) => void,
  ) {
    peers.handle(notice.wanted, (body, { nodeId }) =>
      this.#heardWanted(nodeId, body as WantedBody),
    );
    peers.handle(notice.ready, (body, { nodeId }) => this.#heardReady(nodeId, body as ReadyBody));
    peers.onUp((nodeId) => this.#introduce(nodeId));
    peers.onDown((nodeId) => this.#forget(nodeId));
    this.#sweep = new PeriodicLoop({
      clock,
      everyMs: sweepEveryMs,
      turn: () => this.#carryOutSweep(),
      failed,
    });
  }

  async start(): Promise<void> {
    await this.#sweep.start();
  }

  async stop(): Promise<void> {
    await this.#sweep.stop();
  }

  wanted(queue: QueueName, isWanted: boolean): void {
    const key = queueKey(queue);
    if (!isWanted) {
      if (this.#announced.has(key)) this.#lingering.set(key, this.clock.monotonic() + lingerMs);
      return;
    }
    this.#lingering.delete(key);
    if (this.#announced.has(key)) return;
    this.#announced.set(key, queue);
    this.#tellAll({ queue, isWanted: true });
  }

  ready(queue: QueueName): void {
    const nodes = this.#wantedBy.get(queueKey(queue));
    if (nodes === undefined) return;
    for (const nodeId of nodes) {
      // To the end of the line: the next task goes to another node first.
      nodes.delete(nodeId);
      nodes.add(nodeId);
      const number = (this.#sent.get(nodeId) ?? 0) + 1;
      this.#sent.set(nodeId, number);
      const body: ReadyBody = { number, queue };
      if (this.peers.notify(nodeId, notice.ready, body)) return;
    }
  }

  #heardWanted(nodeId: string, { queue, isWanted }: WantedBody): Promise<undefined> {
    const key = queueKey(queue);
    const nodes = this.#wantedBy.get(key);
    if (isWanted) {
      if (nodes === undefined) this.#wantedBy.set(key, new Set([nodeId]));
      else nodes.add(nodeId);
    } else if (nodes?.delete(nodeId) === true && nodes.size === 0) this.#wantedBy.delete(key);
    return Promise.resolve(undefined);
  }

  #heardReady(nodeId: string, { number, queue }: ReadyBody): Promise<undefined> {
    const before = this.#received.get(nodeId) ?? 0;
    this.#received.set(nodeId, number);
    if (number === before + 1) this.polls.wake(queue);
    else this.#wakeAll();
    return Promise.resolve(undefined);
  }

  /** The node knows nothing of this one's polls, and what it told may have been lost. */
  #introduce(nodeId: string): void {
    for (const queue of this.#announced.values()) {
      this.peers.notify(nodeId, notice.wanted, { queue, isWanted: true });
    }
    this.#wakeAll();
  }

  #forget(nodeId: string): void {
    this.#sent.delete(nodeId);
    this.#received.delete(nodeId);
    for (const [key, nodes] of this.#wantedBy) {
      if (nodes.delete(nodeId) && nodes.size === 0) this.#wantedBy.delete(key);
    }
  }

  #wakeAll(): void {
    for (const queue of this.polls.waitingQueues) this.polls.wake(queue);
  }

  #tellAll(body: WantedBody): void {
    for (const nodeId of this.peers.connected) this.peers.notify(nodeId, notice.wanted, body);
  }

  #carryOutSweep(): Promise<void> {
    const now = this.clock.monotonic();
    for (const [key, endAt] of this.#lingering) {
      if (endAt > now) continue;
      const queue = this.#announced.get(key);
      this.#lingering.delete(key);
      this.#announced.delete(key);
      if (queue !== undefined) this.#tellAll({ queue, isWanted: false });
    }
    if (this.peers.connected.length > 0) this.#wakeSome();
    return Promise.resolve();
  }

  /** A few queues at each sweep, so that thousands of polled types cost the store little. */
  #wakeSome(): void {
    const queues = [...this.polls.waitingQueues];
    const count = Math.min(queues.length, queuesPerSweep);
    for (let i = 0; i < count; i++) {
      this.#sweepPosition = (this.#sweepPosition + 1) % queues.length;
      this.polls.wake(queues[this.#sweepPosition] as QueueName);
    }
  }
}

/** Queues checked at each sweep without a sign that something was lost. */
const queuesPerSweep = 10;
