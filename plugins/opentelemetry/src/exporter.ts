// The exporter that the environment names, watched: whether spans arrive is said in the log, at
// most once a minute, and in /health.
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  ConsoleSpanExporter,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';

type Environment = { readonly [name: string]: string | undefined };

/**
 * OTEL_TRACES_EXPORTER: `otlp` (the default) or `console`; the protocol of the first is
 * OTEL_EXPORTER_OTLP_TRACES_PROTOCOL or OTEL_EXPORTER_OTLP_PROTOCOL. Throws an Error for others.
 */
export function exporterFor(environment: Environment): SpanExporter {
  const kind = environment['OTEL_TRACES_EXPORTER']?.trim() || 'otlp';
  if (kind === 'console') return new ConsoleSpanExporter();
  if (kind !== 'otlp') {
    throw new Error(`OTEL_TRACES_EXPORTER is ${kind}; it may be otlp, console or none`);
  }
  const ofTraces = environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']?.trim();
  const protocol = ofTraces || environment['OTEL_EXPORTER_OTLP_PROTOCOL']?.trim();
  switch (protocol || 'http/protobuf') {
    case 'http/protobuf':
      return new ProtobufExporter();
    case 'http/json':
      return new JsonExporter();
    default:
      throw new Error(
        `OTEL_EXPORTER_OTLP_PROTOCOL is ${String(protocol)}; it may be http/protobuf or http/json`,
      );
  }
}

const saidEveryMs = 60_000;

export class WatchedExporter implements SpanExporter {
  #trouble: string | undefined;
  #saidAt = -saidEveryMs;
  #lost = 0;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly warn: (message: string) => void,
  ) {}

  /** Why the newest spans did not arrive; undefined: they did. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.#note(result, spans.length);
      done(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.exporter.shutdown();
  }

  #note({ code, error }: ExportResult, count: number): void {
    if (code === ExportResultCode.SUCCESS) {
      this.#trouble = undefined;
      return;
    }
    this.#lost += count;
    this.#trouble = `spans are not taken: ${error?.message || 'no answer'}`;
    const now = performance.now();
    if (now - this.#saidAt < saidEveryMs) return;
    this.#saidAt = now;
    this.warn(`${this.#lost} spans were lost: ${this.#trouble}`);
    this.#lost = 0;
  }
}
