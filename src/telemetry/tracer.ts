// The port through which spans leave the server (docs/tracing.md). A plug-in is behind it; without
// one there is no tracer, and nothing on the path of a task asks for more than whether there is.
//
// A span is told once it is over, with its times. So nothing is kept of spans that are open: what a
// span of a task or an execution needs is stored with these, and any node can tell it.
import type { TraceContext } from './trace-context.js';

/** The direction of a call: `server` and `consumer` are spans that a caller or a message began. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface Span {
  /** Of the span itself: its trace, its id, the trace state. */
  readonly context: TraceContext;
  /** Id of the span above it; '' = none: it is the first of its trace. */
  readonly parentSpanId: string;
  /** Whether the span above it belongs to another system. */
  readonly hasRemoteParent?: boolean;
  readonly name: string;
  readonly kind: SpanKind;
  /** Epoch ms, with fractions. */
  readonly startAt: number;
  readonly endAt: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Why it failed; undefined: it did not. */
  readonly failure?: string | undefined;
  /** Spans that belong to it and do not stand above it. */
  readonly links?: readonly TraceContext[];
}

export interface Tracer {
  /**
   * The context of a span that begins now: in the trace of `parent`, else in a new one. undefined
   * when the sampler does not want the spans of this trace.
   */
  begin(name: string, parent: TraceContext | undefined): TraceContext | undefined;
  /** Takes a span that is over. Does not throw. */
  record(span: Span): void;
  /** A new id of a span: 16 hexadecimal digits. */
  spanId(): string;
}
