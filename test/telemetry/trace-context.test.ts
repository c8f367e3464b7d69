// Trace contexts: what is taken from headers, and ids of spans that are found again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asksForTraces } from '../../src/telemetry/asked-traces.js';
import {
  contextOf,
  derivedSpanId,
  parsed,
  readContext,
  traceHeaders,
  withSpan,
} from '../../src/telemetry/trace-context.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${spanId}-01`;

describe('a trace context', () => {
  it('is read from its headers and written to them', () => {
    const context = readContext(traceparent, 'vendor=a1,other=b');
    expect(context && parsed(context)).toEqual({ traceId, spanId, isSampled: true });
    expect(context && traceHeaders(context)).toEqual([
      ['traceparent', traceparent],
      ['tracestate', 'vendor=a1,other=b'],
    ]);
    expect(contextOf({ traceId, spanId, isSampled: false })).toEqual({
      traceparent: `00-${traceId}-${spanId}-00`,
    });
  });

  it.each([
    ['', 'nothing'],
    ['x', 'no such form'],
    [`ff-${traceId}-${spanId}-01`, 'a version that is none'],
    [`00-${'0'.repeat(32)}-${spanId}-01`, 'no trace'],
    [`00-${traceId}-${'0'.repeat(16)}-01`, 'no span'],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, 'capital letters'],
    [`${traceparent}-more`, 'more than it may have'],
  ])('%s is none: %s', (text) => {
    expect(readContext(text, 'vendor=a1')).toBeUndefined();
  });

  it.each(['', 'a=\u0000', 'a=\n', `a=${'b'.repeat(511)}`])(
    'goes on without the trace state %j',
    (tracestate) => {
      expect(readContext(traceparent, tracestate)).toEqual({ traceparent });
    },
  );

  it('keeps trace, flags and state with another span', () => {
    const context = withSpan({ traceparent, tracestate: 'a=1' }, 'aaaaaaaaaaaaaaaa');
    expect(context).toEqual({
      traceparent: `00-${traceId}-aaaaaaaaaaaaaaaa-01`,
      tracestate: 'a=1',
    });
  });
});

describe('the id of a span that is found again', () => {
  it('is the same for the same attempt, and another one for any other', () => {
    const attempts = fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.nat(5), fc.nat(3));
    fc.assert(
      fc.property(attempts, attempts, (one, other) => {
        const id = derivedSpanId(spanId, ...one);
        expect(id).toMatch(/^[0-9a-f]{16}$/);
        expect(derivedSpanId(spanId, ...one)).toBe(id);
        expect(derivedSpanId(spanId, ...other) === id).toBe(String(one) === String(other));
      }),
    );
  });

  it('does not meet itself among the tasks of a large execution', () => {
    const ids = new Set<string>();
    for (let task = 0; task < 100_000; task++) ids.add(derivedSpanId(spanId, task, 1, 0));
    expect(ids.size).toBe(100_000);
  });
});

describe('the variables of OpenTelemetry', () => {
  const asked = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

  it.each([
    [asked, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'console' }, true],
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
    [{ ...asked, OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ ...asked, OTEL_SDK_DISABLED: 'TRUE' }, false],
    [{ OTEL_SERVICE_NAME: 'orders' }, false],
  ])('%j ask for traces: %s', (environment, isAsked) => {
    expect(asksForTraces(environment)).toBe(isAsked);
  });
});
