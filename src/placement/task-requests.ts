// Asks other nodes for the ready tasks that they hold, and tells them which requests got no answer
// (invariants M7). The node that asks cannot know whether a link broke before or after the tasks
// were leased. It does know that no worker got them, since it drops an answer that comes later. So
// the holder gives those leases back. It is told at once, when the link is up again, and once a
// second, until it says that this is done.
import type { Clock } from '../std/clock.js';
import type { QueueName } from '../engine/decision.js';
import { requestsKeptMs, type PeerRequest } from '../queue/hand-over-grants.js';
import type { HandedOver, PeerHandOver, PeerWish } from '../queue/peer-hand-over.js';
import { PeerError, type Peers } from './peer/peers.js';

/** A poll that waits asks for tasks that the receiver holds. */
const takeCall = 'tasks-take';
/** Requests of the sender that it has given up. */
const giveUpCall = 'tasks-take-given-up';
/** How long a holder may take to answer, ms. */
const answerMs = 1000;

interface TakeBody extends PeerWish, PeerRequest {
  readonly queue: QueueName;
}

interface GiveUpBody {
  readonly bootId: string;
  readonly numbers: readonly number[];
}

/** Requests to one node that are not over. */
interface Holder {
  /** In order. */
  readonly open: Set<number>;
  /** Those among them that got no answer, and that the node may not know of. */
  readonly unanswered: Set<number>;
  isBeingTold: boolean;
  /** Last asked, ms of the monotonic clock. */
  askedAt: number;
}

export class TaskRequests {
  readonly #holders = new Map<string, Holder>();
  /** Of all holders together: a number is never used twice. */
  #lastNumber = 0;

  constructor(
    private readonly bootId: string,
    private readonly peers: Peers,
    private readonly clock: Clock,
    handOver: Pick<PeerHandOver, 'handOver' | 'givenUp'>,
  ) {
    peers.handle(takeCall, async (body, call) => {
      const { queue, count, workerId, bootId: asker, number, openFrom } = body as TakeBody;
      const request = { bootId: asker, number, openFrom };
      const wish = { count, workerId: workerId ?? undefined };
      return await handOver.handOver({ queue, wish, request }, call);
    });
    peers.handle(giveUpCall, async (body) => {
      const { bootId: asker, numbers } = body as GiveUpBody;
      await handOver.givenUp(asker, numbers);
    });
    peers.onUp((nodeId) => this.#tell(nodeId));
  }

  /** Rejects when there is no answer: then one that comes later is dropped. */
  async take(nodeId: string, queue: QueueName, wish: PeerWish): Promise<HandedOver> {
    const number = (this.#lastNumber += 1);
    const holder = this.#holder(nodeId);
    holder.open.add(number);
    const [openFrom = number] = holder.open;
    const body: TakeBody = { ...wish, queue, bootId: this.bootId, number, openFrom };
    try {
      const given = await this.peers.call(nodeId, takeCall, body, { timeoutMs: answerMs });
      holder.open.delete(number);
      return given as HandedOver;
    } catch (error) {
      if (error instanceof PeerError && error.outcome === 'unknown') {
        holder.unanswered.add(number);
        this.#tell(nodeId);
      } else holder.open.delete(number);
      throw error;
    }
  }

  /** Tells again what could not be told; forgets nodes that have not been asked for long. */
  sweep(): void {
    const since = this.clock.monotonic() - requestsKeptMs;
    for (const [nodeId, { askedAt }] of this.#holders) {
      if (askedAt < since) this.#holders.delete(nodeId);
      else this.#tell(nodeId);
    }
  }

  #holder(nodeId: string): Holder {
    const askedAt = this.clock.monotonic();
    let holder = this.#holders.get(nodeId);
    if (holder === undefined) {
      holder = { open: new Set(), unanswered: new Set(), isBeingTold: false, askedAt };
      this.#holders.set(nodeId, holder);
    }
    holder.askedAt = askedAt;
    return holder;
  }

  #tell(nodeId: string): void {
    const holder = this.#holders.get(nodeId);
    if (holder === undefined || holder.unanswered.size === 0 || holder.isBeingTold) return;
    holder.isBeingTold = true;
    const numbers = [...holder.unanswered];
    const body: GiveUpBody = { bootId: this.bootId, numbers };
    const told = (): void => {
      for (const number of numbers) {
        holder.unanswered.delete(number);
        holder.open.delete(number);
      }
    };
    this.peers
      .call(nodeId, giveUpCall, body, { timeoutMs: answerMs })
      // No answer: it is told again.
      .then(told, () => undefined)
      .finally(() => (holder.isBeingTold = false));
  }
}
