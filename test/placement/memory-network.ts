// Links between nodes of one process: the contract of src/placement/peer/peers.ts on a network
// whose links, one per direction as between real nodes, a test makes and breaks.
import {
  PeerError,
  type PeerHandler,
  type PeerOperation,
  type Peers,
} from '../../src/placement/peer/peers.js';
import { incomingCall } from '../support/incoming-call.js';

export class MemoryNetwork {
  readonly #nodes = new Map<string, MemoryPeers>();

  node(nodeId: string): MemoryPeers {
    const node = new MemoryPeers(nodeId, (other) => this.#nodes.get(other));
    this.#nodes.set(nodeId, node);
    return node;
  }
}

export class MemoryPeers implements Peers {
  readonly #handlers = new Map<PeerOperation, PeerHandler>();
  readonly #links = new Set<string>();
  readonly #upListeners: ((nodeId: string) => void)[] = [];
  readonly #downListeners: ((nodeId: string, refused: boolean) => void)[] = [];
  /** Notices are lost although the link stands, as those under way when a link breaks. */
  loses = false;

  constructor(
    readonly nodeId: string,
    private readonly find: (nodeId: string) => MemoryPeers | undefined,
  ) {}

  get connected(): readonly string[] {
    return [...this.#links];
  }

  /** This node's link to the other one stands. */
  up(nodeId: string): void {
    this.#links.add(nodeId);
    for (const listener of this.#upListeners) listener(nodeId);
  }

  down(nodeId: string): void {
    this.#links.delete(nodeId);
    for (const listener of this.#downListeners) listener(nodeId, false);
  }

  async call(nodeId: string, operation: PeerOperation, body: unknown): Promise<unknown> {
    if (!this.#links.has(nodeId)) throw new PeerError('not-sent', `No link to ${nodeId}`);
    return await this.find(nodeId)?.receive(this.nodeId, operation, body);
  }

  notify(nodeId: string, operation: PeerOperation, body: unknown): boolean {
    if (!this.#links.has(nodeId)) return false;
    if (!this.loses) void this.find(nodeId)?.receive(this.nodeId, operation, body);
    return true;
  }

  handle(operation: PeerOperation, handler: PeerHandler): void {
    this.#handlers.set(operation, handler);
  }

  onUp(listener: (nodeId: string) => void): void {
    this.#upListeners.push(listener);
  }

  onDown(listener: (nodeId: string, refused: boolean) => void): void {
    this.#downListeners.push(listener);
  }

  async receive(from: string, operation: PeerOperation, body: unknown): Promise<unknown> {
    const { signal } = new AbortController();
    return await this.#handlers.get(operation)?.(body, incomingCall(from, signal));
  }
}
