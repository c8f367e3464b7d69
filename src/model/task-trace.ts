// Which spans the attempts of an execution have (docs/tracing.md). Their ids follow from what is
// stored, so that a worker can be told the id of a span that ends on another node.
import { derivedSpanId, parsed, withSpan, type TraceContext } from '../telemetry/trace-context.js';
import type { ExecutionTrace, Task } from './execution.js';

const spans = { task: 1, run: 2, execution: 3 } as const;
type Attempt = Pick<Task, 'number' | 'reopenCount'>;

/** Whether the server tells spans of the execution. */
export function isRecorded(trace: ExecutionTrace | undefined): trace is ExecutionTrace {
  return trace?.parentSpanId !== undefined;
}

/** The span of an attempt, from its scheduling to its end. */
export function taskContext(trace: ExecutionTrace, attempt: Attempt): TraceContext {
  return contextIn(trace, spans.task, attempt.number, attempt.reopenCount);
}

/** The span of what a worker or the server does for an attempt: what it causes stands below it. */
export function runContext(trace: ExecutionTrace, attempt: Attempt): TraceContext {
  return contextIn(trace, spans.run, attempt.number, attempt.reopenCount);
}

/**
 * The span of a run of the execution. The first one's is what `traceparent` names; a retry, rerun
 * or restart (`generation` above 1) has one of its own.
 */
export function executionContext(trace: ExecutionTrace, generation: number): TraceContext {
  return contextIn(trace, spans.execution, generation);
}

/** The trace above the tasks of an execution and the calls that they cause, as others are told. */
export function passedOn(trace: ExecutionTrace, attempt: Attempt | undefined): TraceContext {
  if (isRecorded(trace) && attempt !== undefined) return runContext(trace, attempt);
  const { traceparent, tracestate } = trace;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

function contextIn(trace: ExecutionTrace, ...numbers: readonly number[]): TraceContext {
  return withSpan(trace, derivedSpanId(parsed(trace).spanId, ...numbers));
}
