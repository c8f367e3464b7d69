// The server's port for spans, on the SDK of OpenTelemetry. The server tells a span when it is over
// and knows its id beforehand, so spans go to the SDK's batches as finished ones.
import {
  contextOf,
  parsed,
  type Span,
  type SpanKind,
  type TraceContext,
  type Tracer,
} from '@downbeat/plugin';
import {
  createTraceState,
  ROOT_CONTEXT,
  SpanKind as Kinds,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type HrTime,
  type SpanContext,
} from '@opentelemetry/api';
import { hrTimeDuration, type InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  RandomIdGenerator,
  SamplingDecision,
  type ReadableSpan,
  type Sampler,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';

export interface SdkTracerParts {
  readonly processor: Pick<SpanProcessor, 'onEnd'>;
  readonly sampler: Sampler;
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
}

const kinds: Readonly<Record<SpanKind, Kinds>> = {
  internal: Kinds.INTERNAL,
  server: Kinds.SERVER,
  client: Kinds.CLIENT,
  producer: Kinds.PRODUCER,
  consumer: Kinds.CONSUMER,
};

export class SdkTracer implements Tracer {
  readonly #ids = new RandomIdGenerator();

  constructor(private readonly parts: SdkTracerParts) {}

  spanId(): string {
    return this.#ids.generateSpanId();
  }

  begin(name: string, parent: TraceContext | undefined): TraceContext {
    const above = parent === undefined ? undefined : toSpanContext(parent, true);
    const traceId = above?.traceId ?? this.#ids.generateTraceId();
    const { decision, traceState } = this.parts.sampler.shouldSample(
      above === undefined ? ROOT_CONTEXT : contextWith(above),
      traceId,
      name,
      Kinds.INTERNAL,
      {},
      [],
    );
    const isSampled = decision === SamplingDecision.RECORD_AND_SAMPLED;
    // Most are not wanted: those need no id of their own.
    const spanId = isSampled ? this.#ids.generateSpanId() : (above?.spanId ?? noSpan);
    const state = traceState?.serialize() ?? parent?.tracestate;
    return contextOf({ traceId, spanId, isSampled }, state || undefined);
  }

  record(span: Span): void {
    this.parts.processor.onEnd(this.#toReadable(span));
  }

  #toReadable(span: Span): ReadableSpan {
    const own = toSpanContext(span.context, false);
    const startTime = toHrTime(span.startAt);
    const endTime = toHrTime(Math.max(span.startAt, span.endAt));
    const { parentSpanId, hasRemoteParent = false, failure } = span;
    return {
      name: span.name,
      kind: kinds[span.kind],
      spanContext: () => own,
      ...(parentSpanId !== '' && {
        parentSpanContext: { ...own, spanId: parentSpanId, isRemote: hasRemoteParent },
      }),
      startTime,
      endTime,
      duration: hrTimeDuration(startTime, endTime),
      status:
        failure === undefined
          ? { code: SpanStatusCode.UNSET }
          : { code: SpanStatusCode.ERROR, message: failure },
      attributes: span.attributes,
      links: (span.links ?? []).map((link) => ({ context: toSpanContext(link, true) })),
      events: [],
      ended: true,
      resource: this.parts.resource,
      instrumentationScope: this.parts.scope,
      ...{ droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 },
    };
  }
}

/** A span that nobody records has no id; W3C has none that would be allowed and is not one. */
const noSpan = '0'.repeat(15) + '1';

function contextWith(above: SpanContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, above);
}

function toSpanContext(context: TraceContext, isRemote: boolean): SpanContext {
  const { traceId, spanId, isSampled } = parsed(context);
  return {
    ...{ traceId, spanId, isRemote },
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    ...(context.tracestate !== undefined && { traceState: createTraceState(context.tracestate) }),
  };
}

/** `at`: epoch ms with fractions. */
function toHrTime(at: number): HrTime {
  const seconds = Math.floor(at / 1000);
  return [seconds, Math.round((at - seconds * 1000) * 1e6)];
}
