// Tells the nodes of a cluster for which queues polls wait, and wakes those polls when a task is
// ready (architecture section 4). A node announces a queue once when its first poll waits there,
// and takes it back some time after its last one has gone, so that polls which come and go cost
// nothing.
//
// A node at which a task becomes ready and finds no poll tells one node that announced the queue,
// in turn, so that the workers of none of them starve. A node whose polls have gone meanwhile, or
// took less than there was, passes the notice on to one that has not been told yet. A node that
// holds ready tasks answers a new announcement with a notice. Tasks that the first node holds are
// asked for there, and come with their lease (task-requests.ts, queue/peer-hand-over.ts).
//
// Notices to one node are numbered, and once a second each node tells the others how many it has
// sent them. A gap means that one was lost: the receiver then checks every queue for which its
// polls wait. A new link begins with an introduction: both sides tell what they announced, numbers
// begin again, and every queue is checked. A slow sweep checks them in any case.
import type { Clock } from '../std/clock.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { Service } from '../std/service.js';
import type { QueueName } from '../engine/decision.js';
import { queueKey } from '../queue/queue-key.js';
import type { PeerHandOver } from '../queue/peer-hand-over.js';
import type { QueueNotices } from '../queue/queue-notices.js';
import type { NodeIdentity } from '../store/shard-store.js';
import type { Peers } from './peer/peers.js';
import { TaskRequests } from './task-requests.js';
import { WantedQueues } from './wanted-queues.js';

const notice = {
  introduce: 'polls-known',
  wanted: 'polls-wait',
  ready: 'tasks-ready',
  count: 'tasks-ready-count',
} as const;

/** A queue without polls stays announced for so long, ms. */
export const lingerMs = 2000;
/** Polls that wait are checked against the store once in this time, ms. */
const sweepEveryMs = 1000;
/** Queues checked at each sweep without a sign that something was lost. */
const queuesPerSweep = 1;

/** The queues of this node, as peer notices use them. */
export interface WaitingPolls {
  /** Members may have become ready in the store's queue. False when no poll waits for them here. */
  wake(queue: QueueName): boolean;
  /** Polls of the queue wait at another node, or did until now; told each second while they do. */
  polledElsewhere(queue: QueueName): void;
  /** Whether ready members are known here that no poll of this node waits for. */
  hasLeft(queue: QueueName): boolean;
  /** Queues for which polls wait here. */
  readonly waitingQueues: Iterable<QueueName>;
  /** Tasks that this node and others hand over to each other. */
  readonly peerHandOver: Pick<PeerHandOver, 'offered' | 'handOver' | 'givenUp'>;
}

interface IntroduceBody {
  /** All queues that the sender has announced. */
  readonly queues: readonly QueueName[];
  /** The link is new at the sender, which knows nothing of the receiver's polls. */
  readonly asks: boolean;
}

interface WantedBody {
  readonly queue: QueueName;
  readonly isWanted: boolean;
}

interface ReadyNews {
  readonly queue: QueueName;
  /** Nodes that have been told before, or told others. */
  readonly told: readonly string[];
  /** The first of them holds the tasks. Absent: they stand in the store. */
  readonly isHeld?: boolean;
}

interface ReadyBody extends ReadyNews {
  /** Of the notices from this sender to this receiver. */
  readonly number: number;
}

export class PeerNotices implements QueueNotices, Service {
  readonly #wanted = new WantedQueues();
  /** Queues that this node has announced, by key. */
  readonly #announced = new Map<string, QueueName>();
  /** Queues whose last poll has gone, by key, until the announcement is taken back. */
  readonly #lingering = new Map<string, number>();
  readonly #sent = new Map<string, number>();
  readonly #received = new Map<string, number>();
  readonly #nodeId: string;
  readonly #requests: TaskRequests;
  readonly #sweep: PeriodicLoop;
  #sweepPosition = 0;

  constructor(
    { nodeId, bootId }: Pick<NodeIdentity, 'nodeId' | 'bootId'>,
    private readonly peers: Peers,
    private readonly polls: WaitingPolls,
    private readonly clock: Clock,
    failed: (error: unknown) => void,
  ) {
    this.#nodeId = nodeId;
    this.#requests = new TaskRequests(bootId, peers, clock, polls.peerHandOver);
    this.#handle(notice.introduce, (from, body: IntroduceBody) => this.#introduced(from, body));
    this.#handle(notice.wanted, (from, body: WantedBody) => this.#heardWanted(from, body));
    this.#handle(notice.ready, (from, body: ReadyBody) => this.#heardReady(from, body));
    this.#handle(notice.count, (from, number: number) => this.#heardCount(from, number));
    peers.onUp((other) => this.#introduce(other, true));
    peers.onDown((other) => this.#forget(other));
    this.#sweep = new PeriodicLoop({
      name: 'PeerNotices',
      clock,
      everyMs: sweepEveryMs,
      runsOn: 'node',
      runOnce: () => this.#carryOutSweep(),
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

  ready(queue: QueueName, isHeld: boolean): void {
    this.#tellNext({ queue, told: [this.#nodeId], isHeld });
  }

  roomFor(taskType: string): void {
    for (const queue of this.#wanted.ofType(taskType)) this.ready(queue, false);
  }

  #handle<Body>(operation: string, hear: (from: string, body: Body) => void): void {
    this.peers.handle(operation, (body, { nodeId }) => {
      hear(nodeId, body as Body);
      return Promise.resolve(undefined);
    });
  }

  /** The next node that wants the queue and has not been told. */
  #tellNext(news: ReadyNews): void {
    for (const nodeId of this.#wanted.nodesOf(news.queue)) {
      if (news.told.includes(nodeId)) continue;
      this.#wanted.putLast(news.queue, nodeId);
      if (this.#tellReady(nodeId, news)) return;
    }
  }

  #tellReady(nodeId: string, news: ReadyNews): boolean {
    const number = (this.#sent.get(nodeId) ?? 0) + 1;
    this.#sent.set(nodeId, number);
    const body: ReadyBody = { number, ...news };
    return this.peers.notify(nodeId, notice.ready, body);
  }

  #heardReady(from: string, { number, queue, told, isHeld = false }: ReadyBody): void {
    const before = this.#received.get(from) ?? 0;
    this.#received.set(from, number);
    if (number !== before + 1) this.#wakeAll();
    const [holder] = told;
    const isTaken =
      isHeld && holder !== undefined
        ? this.polls.peerHandOver.offered(queue, holder, (wish) =>
            this.#requests.take(holder, queue, wish),
          )
        : this.polls.wake(queue);
    if (!isTaken) this.#tellNext({ queue, told: [...told, this.#nodeId], isHeld });
  }

  #heardCount(from: string, number: number): void {
    if (this.#received.get(from) === number) return;
    this.#received.set(from, number);
    this.#wakeAll();
  }

  #heardWanted(from: string, { queue, isWanted }: WantedBody): void {
    this.polls.polledElsewhere(queue);
    if (isWanted) {
      this.#wanted.add(queue, from);
      const news = { queue, told: [this.#nodeId], isHeld: true };
      if (this.polls.hasLeft(queue)) this.#tellReady(from, news);
    } else this.#wanted.remove(queue, from);
  }

  #introduce(nodeId: string, asks: boolean): void {
    this.#sent.delete(nodeId);
    const body: IntroduceBody = { queues: [...this.#announced.values()], asks };
    this.peers.notify(nodeId, notice.introduce, body);
  }

  #introduced(from: string, { queues, asks }: IntroduceBody): void {
    this.#wanted.forget(from);
    this.#received.delete(from);
    if (asks) this.#introduce(from, false);
    for (const queue of queues) this.#heardWanted(from, { queue, isWanted: true });
    this.#wakeAll();
  }

  #forget(nodeId: string): void {
    this.#sent.delete(nodeId);
    this.#wanted.forget(nodeId);
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
    for (const nodeId of this.peers.connected) {
      const sent = this.#sent.get(nodeId);
      if (sent !== undefined) this.peers.notify(nodeId, notice.count, sent);
    }
    for (const queue of this.#wanted.all()) this.polls.polledElsewhere(queue);
    this.#requests.sweep();
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
