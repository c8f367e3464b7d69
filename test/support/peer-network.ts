// Nodes that reach each other in memory: what `Peers` promises, with links that a test cuts.
import {
  PeerError,
  type PeerHandler,
  type PeerOperation,
  type Peers,
} from '../../src/placement/peer/peers.js';

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
  readonly #linked = new Set<string>();
  readonly #up: ((nodeId: string) => void)[] = [];
  readonly #down: ((nodeId: string, refused: boolean) => void)[] = [];
  /** Notices that this node is yet to lose. */
  losses = 0;

  constructor(
    readonly nodeId: string,
    private readonly network: PeerNetwork,
  ) {}

  get connected(): readonly string[] {
    return [...this.#linked];
  }

  async call(nodeId: string, operation: PeerOperation, body: unknown): Promise<unknown> {
    if (!this.#linked.has(nodeId)) throw new PeerError('not-sent', 'no link');
    return await this.network.nodes.get(nodeId)?.receive(this.nodeId, operation, body);
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
    this.#linked.add(nodeId);
    for (const listener of this.#up) listener(nodeId);
  }

  unlink(nodeId: string): void {
    this.#linked.delete(nodeId);
    for (const listener of this.#down) listener(nodeId, true);
  }

  async receive(from: string, operation: PeerOperation, body: unknown): Promise<unknown> {
    const { signal } = new AbortController();
    const handler = this.#handlers.get(operation);
    // As it would arrive over a wire.
    return await handler?.(structuredClone(body), { nodeId: from, signal });
  }
}
