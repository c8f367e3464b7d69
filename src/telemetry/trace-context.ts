// W3C Trace Context: which trace something belongs to, and which span of it caused it. It comes in
// headers, is stored with executions, and goes out with tasks and calls.
//
// Ids of spans that others are told before the span is over (a worker's, an HTTP call's, the parent
// of a sub-workflow) are computed from the execution's span and the attempt. So a node that takes
// an execution over after another one died ends the very span that the worker was told.

/** As the headers `traceparent` and `tracestate` carry it. */
export interface TraceContext {
  readonly traceparent: string;
  /** Absent: none came, or one without a proper form. */
  readonly tracestate?: string;
}

export interface ParsedContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Version, trace id, parent id, flags (W3C Trace Context, 3.2). */
const traceparentPattern = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const noTrace = '0'.repeat(32);
const noSpan = '0'.repeat(16);
/** Printable characters, no longer than every receiver must take (3.3.1.5). */
const tracestatePattern = /^[\x20-\x7e]{1,512}$/;

/** undefined when `traceparent` has no proper form: then `tracestate` does not count either. */
export function readContext(traceparent: string, tracestate: string): TraceContext | undefined {
  if (!traceparentPattern.test(traceparent) || traceparent.startsWith('ff')) return undefined;
  const { traceId, spanId } = parsed({ traceparent });
  if (traceId === noTrace || spanId === noSpan) return undefined;
  return tracestatePattern.test(tracestate) ? { traceparent, tracestate } : { traceparent };
}

/** Of a context that `readContext` or `contextOf` made. */
export function parsed({ traceparent }: Pick<TraceContext, 'traceparent'>): ParsedContext {
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    isSampled: (parseInt(traceparent.slice(53, 55), 16) & 1) === 1,
  };
}

export function contextOf(
  { traceId, spanId, isSampled }: ParsedContext,
  tracestate?: string,
): TraceContext {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** The same trace with another span. */
export function withSpan(context: TraceContext, spanId: string): TraceContext {
  return contextOf({ ...parsed(context), spanId }, context.tracestate);
}

/** The header fields of an outgoing request. */
export function traceHeaders({ traceparent, tracestate }: TraceContext): [string, string][] {
  const fields: [string, string][] = [['traceparent', traceparent]];
  if (tracestate !== undefined) fields.push(['tracestate', tracestate]);
  return fields;
}

/** Of a log line, under the names by which log readers find them. */
export interface LoggedTrace {
  readonly trace_id: string;
  readonly span_id: string;
}

/** No fields where there is no trace. */
export function loggedTrace(
  context: TraceContext | undefined,
): LoggedTrace | Record<string, never> {
  if (context === undefined) return {};
  const { traceId, spanId } = parsed(context);
  return { trace_id: traceId, span_id: spanId };
}

/**
 * Id of a span that is found again from what is stored: the same for the same numbers. `root`: the
 * span of the execution.
 */
export function derivedSpanId(root: string, ...numbers: readonly number[]): string {
  let high = parseInt(root.slice(0, 8), 16) | 0;
  let low = parseInt(root.slice(8, 16), 16) | 0;
  for (const number of numbers) {
    high = mixed(high ^ Math.imul(number + 1, 0x9e3779b1));
    low = mixed(low ^ high);
  }
  // All zeros would mean: no span.
  return hex(high) + hex(low === 0 ? 1 : low);
}

/** The last steps of MurmurHash3 for 32 bits: each bit changes about half of the others. */
function mixed(bits: number): number {
  let result = bits;
  result = Math.imul(result ^ (result >>> 16), 0x85ebca6b);
  result = Math.imul(result ^ (result >>> 13), 0xc2b2ae35);
  return result ^ (result >>> 16);
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex(bits: number): string {
  const of = (shift: number): string => hexOfByte[(bits >>> shift) & 0xff] as string;
  return of(24) + of(16) + of(8) + of(0);
}
