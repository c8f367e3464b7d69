// The part of redlock's types that is used here; the package does not export its own.
declare module 'redlock' {
  import type { EventEmitter } from 'node:events';

  class Redlock extends EventEmitter {
    constructor(
      clients: Iterable<unknown>,
      settings?: { retryCount?: number; retryDelay?: number; retryJitter?: number },
    );
    acquire(resources: string[], durationMs: number): Promise<{ release(): Promise<unknown> }>;
  }
  export { Redlock as default };
}
