// Nodes that reach each other in memory: what `Peers` promises, with links that a test cuts.
import {
  PeerError,
  type PeerHandler,
  type PeerOperation,
  type Peers,
} from '../../src/placement/peer/peers.js';
import { incomingCall } from './incoming-call.js';

export class PeerNetwork {
  readonly nodes = new Map<string, NetworkNode>();

  /** A node that is linked to all others. */
  join(nodeId: string): NetworkNode {
    const node = new NetworkNode(nodeId, this);
    const others = [...this.nodes.values()];
    this.nodes.set(nodeId, node);
    for (const other of others) {
      node.link(other.nodeId);
      other.link(nodeId);
    }
    return node;
  }

  cut(one: string, other: string): void {
    this.nodes.get(one)?.unlink(other);
    this.nodes.get(other)?.unlink(one);
  }

  mend(one: string, other: string): void {
    this.nodes.get(one)?.link(other);
    this.nodes.get(other)?.link(one);
  }
}

export class NetworkNode implements Peers {
  readonly #handlers = new Map<PeerOperation, PeerHandler>();
  /** By the other node; made anew with each link. */
  readonly #linked = new Map<string, { readonly answering: AbortController }>();
  readonly #up: ((nodeId: string) => void)[] = [];
  readonly #down: ((nodeId: string, refused: boolean) => void)[] = [];
  /** Notices that this node is yet to lose. */
  losses = 0;
  /** Called when a call of another node has been carried out, before the answer goes out. */
  beforeAnswer: (operation: PeerOperation) => void = () => undefined;

  constructor(
    readonly nodeId: string,
    private readonly network: PeerNetwork,
  ) {}

  get connected(): readonly string[] {
    return [...this.#linked.keys()];
  }

  async call(nodeId: string, operation: PeerOperation, body: unknown): Promise<unknown> {
    const link = this.#linked.get(nodeId);
    if (link === undefined) throw new PeerError('not-sent', 'no link');
    const other = this.network.nodes.get(nodeId);
    const answer = await other?.receive(this.nodeId, operation, body);
    other?.beforeAnswer(operation);
    if (this.#linked.get(nodeId) !== link) throw new PeerError('unknown', 'the link was lost');
    return answer;
  }

  notify(nodeId: string, operation: PeerOperation, body: unknown): boolean {
    if (!this.#linked.has(nodeId)) return false;
    if (this.losses > 0) {
      this.losses -= 1;
      return true;
    }
    void this.network.nodes.get(nodeId)?.receive(this.nodeId, operation, body);
    return true;
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

  link(nodeId: string): void {
    this.#linked.set(nodeId, { answering: new AbortController() });
    for (const listener of this.#up) listener(nodeId);
  }

  unlink(nodeId: string): void {
    this.#linked.get(nodeId)?.answering.abort();
    this.#linked.delete(nodeId);
    for (const listener of this.#down) listener(nodeId, true);
  }

  async receive(from: string, operation: PeerOperation, body: unknown): Promise<unknown> {
    const { signal } = this.#linked.get(from)?.answering ?? new AbortController();
    const handler = this.#handlers.get(operation);
    // As it would arrive over a wire.
    return await handler?.(structuredClone(body), incomingCall(from, signal));
  }
}
