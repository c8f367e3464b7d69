// The links between the nodes of a simulation: the contract of src/placement/peer/peers.ts with
// delays, lost and repeated notices, cuts, and nodes that die or stand still. Bodies go through the
// frames of the product, so nothing is shared between nodes.
import {
  frameKind,
  FrameReader,
  packError,
  packFrame,
  unpackError,
} from '../../src/placement/peer/frames.js';
import {
  PeerError,
  type PeerCallOptions,
  type PeerHandler,
  type PeerOperation,
  type Peers,
} from '../../src/placement/peer/peers.js';
import type { NodeIdentity } from '../../src/store/shard-store.js';
import { incomingCall } from '../support/incoming-call.js';
import type { NodeClock } from './node-clock.js';

export interface NetworkWeather {
  /** Most that a message is under way, ms. */
  delayMs: number;
  /** Chances of a notice. */
  lost: number;
  repeated: number;
}

const redialMs = 100;
/** Of a notice, for which nobody waits. */
const { signal: neverAborted } = new AbortController();
/** A peer that does not answer for so long is taken for gone; as the product's links. */
const silentMs = 3000;

export class SimulatedNetwork {
  readonly #nodes = new Map<string, SimulatedPeers>();
  /** Messages that went over links, answers included, and their bytes. */
  readonly carried = { messages: 0, bytes: 0 };
  /** Pairs that do not reach each other. */
  readonly #cuts = new Set<string>();

  constructor(readonly weather: NetworkWeather) {}

  join(nodeId: string, bootId: string, clock: NodeClock): SimulatedPeers {
    const node = new SimulatedPeers(nodeId, bootId, clock, this);
    this.#nodes.set(nodeId, node);
    return node;
  }

  find(nodeId: string): SimulatedPeers | undefined {
    return this.#nodes.get(nodeId);
  }

  isCut(one: string, other: string): boolean {
    return this.#cuts.has([one, other].sort().join());
  }

  cut(one: string, other: string): void {
    this.#cuts.add([one, other].sort().join());
    this.#nodes.get(one)?.lost(other, false);
    this.#nodes.get(other)?.lost(one, false);
  }

  mend(): void {
    this.#cuts.clear();
  }

  /** The node's process has ended: its sockets are closed. */
  died(nodeId: string): void {
    for (const node of this.#nodes.values()) node.lost(nodeId, false);
  }
}

interface Link {
  readonly bootId: string;
  isUp: boolean;
  /** Nothing that is sent later arrives earlier. */
  arrivesAt: number;
  readonly calls: Set<(error: PeerError) => void>;
}

export class SimulatedPeers implements Peers {
  readonly #handlers = new Map<PeerOperation, PeerHandler>();
  readonly #links = new Map<string, Link>();
  readonly #up: ((nodeId: string) => void)[] = [];
  readonly #down: ((nodeId: string, refused: boolean) => void)[] = [];

  constructor(
    readonly nodeId: string,
    readonly bootId: string,
    readonly clock: NodeClock,
    private readonly network: SimulatedNetwork,
  ) {}

  get connected(): readonly string[] {
    return [...this.#links].flatMap(([nodeId, link]) => (link.isUp ? [nodeId] : []));
  }

  handle(operation: PeerOperation, handler: PeerHandler): void {
    this.#handlers.set(operation, handler);
  }

  onUp(listener: (nodeId: string) => void): void {
    this.#up.push(listener);
  }

  onDown(listener: (nodeId: string, refused: boolean) => void): void {
    this.#down.push(listener);
  }

  follow(members: readonly NodeIdentity[]): void {
    const wanted = new Map(members.map((member) => [member.nodeId, member]));
    wanted.delete(this.nodeId);
    for (const [nodeId, link] of this.#links) {
      if (wanted.get(nodeId)?.bootId === link.bootId) continue;
      this.#links.delete(nodeId);
      this.#end(link);
    }
    for (const { nodeId, bootId } of wanted.values()) {
      if (this.#links.has(nodeId)) continue;
      const link = { bootId, isUp: false, arrivesAt: 0, calls: new Set<never>() };
      this.#links.set(nodeId, link);
      this.#dial(nodeId, link, 0);
    }
  }

  call(
    nodeId: string,
    operation: PeerOperation,
    body: unknown,
    { timeoutMs, signal }: PeerCallOptions,
  ): Promise<unknown> {
    const link = this.#links.get(nodeId);
    if (link?.isUp !== true) {
      return Promise.reject(new PeerError('not-sent', `There is no link to node ${nodeId}`));
    }
    return new Promise((resolve, reject) => {
      const answering = new AbortController();
      const lost = (error: PeerError): void => {
        link.calls.delete(lost);
        answering.abort();
        reject(error);
      };
      link.calls.add(lost);
      const given = (): void => lost(new PeerError('unknown', `Node ${nodeId} did not answer`));
      const timer = this.clock.after(timeoutMs, given);
      signal?.addEventListener('abort', given);
      const answered = (settle: () => void): void => {
        timer.cancel();
        if (link.calls.delete(lost)) settle();
      };
      const sent = this.#overWire(body);
      this.#deliver(nodeId, link, (other) => {
        const answer = other.#handle(operation, sent, this.nodeId, answering.signal);
        const back = (settle: () => void): void => other.#answer(this, () => answered(settle));
        answer.then(
          (value) => {
            const received = this.#overWire(value);
            back(() => resolve(received));
          },
          (error: unknown) => {
            const received = this.#overWire(packError(error));
            back(() => reject(unpackError(received)));
          },
        );
      });
    });
  }

  notify(nodeId: string, operation: PeerOperation, body: unknown): boolean {
    const link = this.#links.get(nodeId);
    if (link?.isUp !== true) return false;
    const { weather } = this.network;
    const { scheduler } = this.clock;
    const sent = this.#overWire(body);
    const times = scheduler.chance(weather.lost) ? 0 : scheduler.chance(weather.repeated) ? 2 : 1;
    for (let i = 0; i < times; i++) {
      this.#deliver(nodeId, link, (other) => {
        other.#handle(operation, sent, this.nodeId, neverAborted).catch(() => undefined);
      });
    }
    return true;
  }

  /** The link to a node is lost. */
  lost(nodeId: string, refused: boolean): void {
    const link = this.#links.get(nodeId);
    if (link === undefined) return;
    this.clock.happen(() => {
      if (this.#links.get(nodeId) !== link) return;
      const wasUp = link.isUp;
      this.#end(link);
      if (wasUp || refused) for (const listener of this.#down) listener(nodeId, refused);
      if (wasUp) this.#dial(nodeId, link, redialMs);
    });
  }

  #end(link: Link): void {
    link.isUp = false;
    for (const lost of [...link.calls]) lost(new PeerError('unknown', 'The link was lost'));
  }

  #dial(nodeId: string, link: Link, delayMs: number): void {
    const { scheduler } = this.clock;
    this.clock.after(delayMs + scheduler.random.next() * this.network.weather.delayMs, () => {
      if (this.#links.get(nodeId) !== link || link.isUp) return;
      const other = this.network.find(nodeId);
      const isThere = other?.bootId === link.bootId && !other.clock.isOver;
      if (isThere && !this.network.isCut(this.nodeId, nodeId)) {
        link.isUp = true;
        for (const listener of this.#up) listener(nodeId);
        return;
      }
      if (!isThere && !this.network.isCut(this.nodeId, nodeId)) this.lost(nodeId, true);
      this.#dial(nodeId, link, redialMs);
    });
  }

  #deliver(nodeId: string, link: Link, arrive: (other: SimulatedPeers) => void): void {
    if (this.clock.isOver) return;
    const { scheduler } = this.clock;
    const delayMs = 0.05 + scheduler.random.next() * this.network.weather.delayMs;
    link.arrivesAt = Math.max(link.arrivesAt, scheduler.now + delayMs);
    const { bootId } = link;
    scheduler.after(link.arrivesAt - scheduler.now, () => {
      const other = this.network.find(nodeId);
      if (other?.bootId !== bootId || this.network.isCut(this.nodeId, nodeId)) return;
      if (other.clock.isPaused) this.#watchSilence(nodeId, link, other);
      other.clock.happen(() => arrive(other));
    });
  }

  /** A node that stands still is given up after a while. */
  #watchSilence(nodeId: string, link: Link, other: SimulatedPeers): void {
    this.clock.after(silentMs, () => {
      if (other.clock.isPaused && this.#links.get(nodeId) === link) this.lost(nodeId, false);
    });
  }

  #answer(asker: SimulatedPeers, settle: () => void): void {
    const { scheduler } = this.clock;
    if (this.clock.isOver || this.network.isCut(this.nodeId, asker.nodeId)) return;
    const delayMs = 0.05 + scheduler.random.next() * this.network.weather.delayMs;
    scheduler.after(delayMs, () => asker.clock.happen(settle));
  }

  /** What the other node gets. */
  #overWire(body: unknown): unknown {
    const bytes = packFrame([frameKind.notice, body]);
    this.network.carried.messages += 1;
    this.network.carried.bytes += bytes.length;
    const [frame] = [...new FrameReader(2 ** 30).read(bytes)];
    return frame?.[1];
  }

  async #handle(
    operation: PeerOperation,
    body: unknown,
    nodeId: string,
    signal: AbortSignal,
  ): Promise<unknown> {
    const handler = this.#handlers.get(operation);
    if (handler === undefined) throw new Error(`No handler for ${operation}`);
    return await handler(body, incomingCall(nodeId, signal));
  }
}
