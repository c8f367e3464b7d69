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
    this.parts.processor.onEnd(new EndedSpan(span, this.parts));
  }
}

const nothing: Attributes = {};
const noLinks: Link[] = [];

function contextWith(above: SpanContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, above);
}

function toSpanContext(context: TraceContext, isRemote: boolean): SpanContext {
  const { traceId, spanId, isSampled } = parsed(context);
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const { tracestate } = context;
  if (tracestate === undefined) return { traceId, spanId, traceFlags, isRemote };
  return { traceId, spanId, traceFlags, isRemote, traceState: createTraceState(tracestate) };
}

/** `at`: epoch ms with fractions. */
function toHrTime(at: number): HrTime {
  const seconds = Math.floor(at / 1000);
  return [seconds, Math.round((at - seconds * 1000) * 1e6)];
}

const unset = { code: SpanStatusCode.UNSET } as const;
const noEvents: ReadableSpan['events'] = [];

/** A span in the form of the SDK. A class: spans of one shape are made a third faster. */
class EndedSpan implements ReadableSpan {
  readonly name: string;
  readonly kind: Kinds;
  readonly parentSpanContext?: SpanContext;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly duration: HrTime;
  readonly status: ReadableSpan['status'];
  readonly attributes: Attributes;
  readonly links: Link[];
  readonly events = noEvents;
  readonly ended = true;
  readonly resource: Resource;
  readonly instrumentationScope: InstrumentationScope;
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;
  readonly #own: SpanContext;

  constructor(span: Span, { resource, scope }: Pick<SdkTracerParts, 'resource' | 'scope'>) {
    const { parentSpanId, hasRemoteParent: isRemote = false, failure, links } = span;
    const own = toSpanContext(span.context, false);
    this.#own = own;
    this.name = span.name;
    this.kind = kinds[span.kind];
    if (parentSpanId !== '') {
      const { traceId, traceFlags } = own;
      this.parentSpanContext = { traceId, spanId: parentSpanId, traceFlags, isRemote };
    }
    this.startTime = toHrTime(span.startAt);
    this.endTime = toHrTime(Math.max(span.startAt, span.endAt));
    this.duration = hrTimeDuration(this.startTime, this.endTime);
    this.status = failure === undefined ? unset : { code: SpanStatusCode.ERROR, message: failure };
    this.attributes = span.attributes;
    this.links =
      links === undefined || links.length === 0
        ? noLinks
        : links.map((link) => ({ context: toSpanContext(link, true) }));
    this.resource = resource;
    this.instrumentationScope = scope;
  }

  spanContext(): SpanContext {
    return this.#own;
  }
}
