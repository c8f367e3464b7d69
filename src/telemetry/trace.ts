// The request that something is done for: its id and its W3C trace context. It is set around the
// handling of a request that brought either, is carried by the commands that the request gives, and
// is set again when what they decided is released: calls of HTTP tasks, messages to other
// executions. It is not stored: after a crash what is repeated has none.
//
// Work that is shared (group commit, queues, timers) runs under whatever request happened to begin
// it, so only commands read the current trace, and every output sets its own, none included. Node
// pays for this on every promise from the first use on; servers whose clients send neither header
// do not.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Trace {
  readonly requestId: string;
  /** As sent, checked for its form. */
  readonly traceparent: string | undefined;
}

const storage = new AsyncLocalStorage<Trace | undefined>();
let isUsed = false;

/** Whether any request so far brought a trace. */
export function isTracing(): boolean {
  return isUsed;
}

/** Carries out `work`, and what it starts, for a request; undefined: for none. */
export function inTrace<T>(trace: Trace | undefined, work: () => T): T {
  if (!isUsed && trace === undefined) return work();
  isUsed = true;
  return storage.run(trace, work);
}

export function currentTrace(): Trace | undefined {
  return isUsed ? storage.getStore() : undefined;
}
