// The port by which a node asks the other nodes of its cluster. The links behind it are TCP
// connections (peer-links.ts); simulations put a network of their own behind the same contract.

/** Kinds of calls and notices between nodes; `peer-calls.ts` lists their handlers. */
export type PeerOperation = string;

export interface PeerCallOptions {
  /** After so long the call fails with `outcome` 'unknown'. */
  readonly timeoutMs: number;
  /** Tells the other node that nobody waits any more; the call rejects at once. */
  readonly signal?: AbortSignal;
}

export type PeerHandler = (body: unknown, call: IncomingCall) => Promise<unknown>;

export interface IncomingCall {
  readonly nodeId: string;
  /** The caller no longer waits, or its link is lost. */
  readonly isCancelled: boolean;
  /** Aborted then. It is made when it is first read: most calls need none, and it costs 5 us. */
  readonly signal: AbortSignal;
}

export interface Peers {
  /**
   * Asks another node; resolves with its answer. Rejects with the AppError that it answered, or
   * with PeerError when there was no answer.
   */
  call(
    nodeId: string,
    operation: PeerOperation,
    body: unknown,
    options: PeerCallOptions,
  ): Promise<unknown>;
  /** Tells another node something that may be lost. False when it was lost here. */
  notify(nodeId: string, operation: PeerOperation, body: unknown): boolean;
  /** Answers calls and notices of other nodes. One handler per operation. */
  handle(operation: PeerOperation, handler: PeerHandler): void;
  /** Nodes that can be asked now. */
  readonly connected: readonly string[];
  /** Calls back when a link to a node is up (again): notices before may have been lost. */
  onUp(listener: (nodeId: string) => void): void;
  /** Calls back when the link to a node is lost; `refused`: nobody listens at its address. */
  onDown(listener: (nodeId: string, refused: boolean) => void): void;
}

/** A call that got no answer. */
export class PeerError extends Error {
  /** `not-sent`: the other node has not seen the call. `unknown`: it may have carried it out. */
  constructor(
    readonly outcome: 'not-sent' | 'unknown',
    message: string,
  ) {
    super(message);
    this.name = 'PeerError';
  }
}
