// The origin of an execution that no request starts: a schedule, a call of a webhook, an event. It
// has a span of its own, below what it brought, and the execution stands below that
// (docs/tracing.md).
import type { StartRequest } from '../shard/executions.js';
import { parsed, type TraceContext } from '../telemetry/trace-context.js';
import type { SpanKind } from '../telemetry/tracer.js';
import type { Tracing } from '../telemetry/tracing.js';

export interface StartOrigin {
  /** Of its span: what it is, and its name. */
  readonly name: string;
  readonly kind: SpanKind;
  /** The trace that the request brought; undefined: it begins one. */
  readonly trace: TraceContext | undefined;
}

/** Starts under the span of `origin`, which is told once the start is durable or has failed. */
export async function underOrigin<T>(
  tracing: Tracing | undefined,
  origin: StartOrigin | undefined,
  start: (traced: StartRequest['traced']) => Promise<T>,
): Promise<T> {
  if (origin === undefined) return await start(undefined);
  const { name, kind, trace: parent } = origin;
  if (tracing === undefined) return await start(parent === undefined ? {} : { parent });
  const context = tracing.tracer.begin(name, parent);
  // A trace that the sampler rejects is passed on only where another server began it.
  if (context === undefined) return await start(parent === undefined ? {} : { parent });
  const startAt = tracing.now();
  const told = { context, name, kind, startAt, attributes: {} };
  const above =
    parent === undefined
      ? { parentSpanId: '' }
      : { parentSpanId: parsed(parent).spanId, hasRemoteParent: true };
  try {
    const started = await start({ parent: context });
    tracing.tracer.record({ ...told, ...above, endAt: tracing.now() });
    return started;
  } catch (error) {
    tracing.tracer.record({ ...told, ...above, endAt: tracing.now(), failure: 'not started' });
    throw error;
  }
}
