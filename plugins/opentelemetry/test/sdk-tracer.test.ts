// The server's port for spans on the SDK: what becomes of a span, and which traces are wanted.
import { emptyResource } from '@opentelemetry/resources';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { exporterFor, WatchedExporter } from '../src/exporter.js';
import { samplerOf } from '../src/sampler.js';
import { SdkTracer } from '../src/sdk-tracer.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const caller = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'vendor=a1' };
const unwanted = { traceparent: `00-${traceId}-00f067aa0ba902b7-00` };

function tracerWith(environment: Record<string, string>): {
  tracer: SdkTracer;
  ended: ReadableSpan[];
} {
  const ended: ReadableSpan[] = [];
  const tracer = new SdkTracer({
    processor: { onEnd: (span) => void ended.push(span) },
    sampler: samplerOf(environment),
    resource: emptyResource(),
    scope: { name: 'test' },
  });
  return { tracer, ended };
}

const isWantedBy = (context: { traceparent: string } | undefined): boolean =>
  context?.traceparent.endsWith('-01') === true;

describe('a trace', () => {
  it('goes on where its caller wants it, with its state', () => {
    const { tracer } = tracerWith({});
    const context = tracer.begin('one', caller);
    expect(context?.traceparent.slice(0, 36)).toBe(caller.traceparent.slice(0, 36));
    expect(context?.traceparent.slice(36, 52)).not.toBe('00f067aa0ba902b7');
    expect(context?.tracestate).toBe('vendor=a1');
    expect(isWantedBy(context)).toBe(true);
    expect(isWantedBy(tracer.begin('one', unwanted))).toBe(false);
  });

  it('is wanted by the ratio that the environment names', () => {
    const { tracer } = tracerWith({
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    });
    const begun = Array.from({ length: 20_000 }, () => tracer.begin('one', undefined));
    const wanted = begun.filter(isWantedBy).length;
    expect(wanted).toBeGreaterThan(100);
    expect(wanted).toBeLessThan(350);
    const ids = begun.filter(isWantedBy).map((context) => context?.traceparent);
    expect(new Set(ids).size).toBe(wanted);
    expect(isWantedBy(tracer.begin('one', caller))).toBe(true);
  });

  it.each([
    [{ OTEL_TRACES_SAMPLER: 'always_off' }, caller, false],
    [{ OTEL_TRACES_SAMPLER: 'always_on' }, unwanted, true],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, caller, true],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, undefined, false],
  ])('of the sampler %j below %j is wanted: %s', (environment, parent, isWanted) => {
    expect(isWantedBy(tracerWith(environment).tracer.begin('one', parent))).toBe(isWanted);
  });

  it.each([
    [{ OTEL_TRACES_SAMPLER: 'some' }, /OTEL_TRACES_SAMPLER is some; it may be always_on, /],
    [
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
      'OTEL_TRACES_SAMPLER_ARG is 2; it must be a number from 0 to 1',
    ],
  ])('of the sampler %j is refused', (environment, message) => {
    expect(() => samplerOf(environment)).toThrow(message);
  });
});

describe('a span', () => {
  it('becomes one of the SDK, with its times, its parent and why it failed', () => {
    const { tracer, ended } = tracerWith({});
    const context = tracer.begin('one', caller) ?? caller;
    tracer.record({
      ...{ context, parentSpanId: '00f067aa0ba902b7', hasRemoteParent: true },
      ...{ name: 'one', kind: 'consumer', startAt: 1_700_000_000_000.25 },
      ...{ endAt: 1_700_000_001_000.5, attributes: { a: 1 }, failure: 'FAILED' },
      links: [caller],
    });
    const [span] = ended;
    expect(span).toMatchObject({
      name: 'one',
      startTime: [1_700_000_000, 250_000],
      endTime: [1_700_000_001, 500_000],
      duration: [1, 250_000],
      attributes: { a: 1 },
      status: { message: 'FAILED' },
      parentSpanContext: { traceId, spanId: '00f067aa0ba902b7', isRemote: true },
    });
    expect(span?.spanContext().traceState?.serialize()).toBe('vendor=a1');
    expect(span?.links[0]?.context.spanId).toBe('00f067aa0ba902b7');
  });
});

describe('the exporter', () => {
  it.each([
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is zipkin; it may be otlp'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is grpc; it may be'],
  ])('of %j is refused', (environment, message) => {
    expect(() => exporterFor(environment)).toThrow(message);
  });

  it('says once that spans are lost, and in the health until they arrive again', () => {
    const said: string[] = [];
    let code = 1;
    const failing: SpanExporter = {
      export: (_spans, done) => done(code === 0 ? { code } : { code, error: new Error('refused') }),
      shutdown: () => Promise.resolve(),
    };
    const exporter = new WatchedExporter(failing, (message) => said.push(message));
    const one = [{} as ReadableSpan];
    exporter.export(one, () => undefined);
    exporter.export(one, () => undefined);
    expect(said).toEqual(['1 spans were lost: spans are not taken: refused']);
    expect(exporter.trouble).toBe('spans are not taken: refused');
    code = 0;
    exporter.export(one, () => undefined);
    expect(exporter.trouble).toBeUndefined();
  });
});
