// The trace of an execution that is started: in that of its cause, else in a new one.
import type { ExecutionTrace } from '../model/execution.js';
import { parsed, type TraceContext } from '../telemetry/trace-context.js';
import type { Tracing } from '../telemetry/tracing.js';

export interface StartedUnder {
  /** Of the definition. */
  readonly name: string;
  /** Of what causes the start. */
  readonly parent: TraceContext | undefined;
  /** Something other than a caller's request orders it: without a parent it is not traced. */
  readonly isOrdered: boolean;
}

/**
 * The trace that is stored with the execution. The sampling decision of the cause holds; without a
 * cause the sampler is asked, and nothing is stored of an execution that it rejects.
 */
export function traceAtStart(
  tracing: Tracing | undefined,
  { name, parent, isOrdered }: StartedUnder,
): ExecutionTrace | undefined {
  if (tracing === undefined || (isOrdered && parent === undefined)) return parent;
  const context = tracing.tracer.begin(`workflow ${name}`, parent);
  if (context === undefined) return parent;
  return { ...context, parentSpanId: parent === undefined ? '' : parsed(parent).spanId };
}
