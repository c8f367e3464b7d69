// The request that something is done for: its id and its W3C trace context. It is set around the
// handling of a request that brought either, is carried by the commands that the request gives, and
// is set again when what they decided is released: calls of HTTP tasks, messages to other
// executions. The trace context that an execution was started with is stored with it
// (model/execution.ts); what is held here is that of the newest request.
//
// Work that is shared (group commit, queues, timers) runs under whatever request happened to begin
// it, so only commands read the current trace, and every output sets its own, none included. Node
// pays for this on every promise from the first use on; servers whose clients send neither header
// do not.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { TraceContext } from './trace-context.js';

export interface Trace {
  readonly requestId: string;
  /** As sent, checked for its form. */
  readonly traceparent: string | undefined;
  readonly tracestate?: string | undefined;
}

/** The W3C context that a request brought. */
export function contextIn(trace: Trace | undefined): TraceContext | undefined {
  if (trace?.traceparent === undefined) return undefined;
  const { traceparent, tracestate } = trace;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
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

/** The same for what a message or a call that was stored causes: `context` is what it brought. */
export function causedBy<T>(context: TraceContext | undefined, work: () => T): T {
  if (context === undefined) return work();
  const { traceparent, tracestate } = context;
  return inTrace({ requestId: randomUUID(), traceparent, tracestate }, work);
}

export function currentTrace(): Trace | undefined {
  return isUsed ? storage.getStore() : undefined;
}
