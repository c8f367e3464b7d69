// The shape of everything that runs until it is stopped (architecture section 2; invariants M15).

export interface Service {
  /** Starts the loop; resolves once it serves. */
  start(): Promise<void>;
  /** Stops and waits for what is under way. May be called twice. */
  stop(): Promise<void>;
}
