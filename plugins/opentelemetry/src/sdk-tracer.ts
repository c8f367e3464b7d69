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
  type Attributes,
  type Context,
  type HrTime,
  type Link,
  type SpanContext,
} from '@opentelemetry/api';
import { RandomIds } from './random-ids.js';
import { hrTimeDuration, type InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
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
  readonly #ids = new RandomIds();

  constructor(private readonly parts: SdkTracerParts) {}

  spanId(): string {
    return this.#ids.next(8);
  }

  begin(name: string, parent: TraceContext | undefined): TraceContext | undefined {
    const above = parent === undefined ? undefined : toSpanContext(parent, true);
    const traceId = above?.traceId ?? this.#ids.next(16);
    const { decision, traceState } = this.parts.sampler.shouldSample(
      above === undefined ? ROOT_CONTEXT : contextWith(above),
      traceId,
      name,
      Kinds.INTERNAL,
      nothing,
      noLinks,
    );
    if (decision !== SamplingDecision.RECORD_AND_SAMPLED) return undefined;
    const state = traceState?.serialize() ?? parent?.tracestate;
    return contextOf({ traceId, spanId: this.spanId(), isSampled: true }, state || undefined);
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

const nothing: Attributes = {};
const noLinks: Link[] = [];

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
