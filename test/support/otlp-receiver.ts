// A receiver of spans over OTLP/HTTP, both encodings, for tests: keeps what it is sent.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import protobuf from 'protobufjs';
import { until } from '../../testkit/until.js';

/** Only what the tests look at (opentelemetry-proto, trace/v1). */
const schema = protobuf
  .parse(
    `
  syntax = "proto3";
  message Request { repeated ResourceSpans resourceSpans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopeSpans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes traceId = 1; bytes spanId = 2; string traceState = 3; bytes parentSpanId = 4;
    string name = 5; int32 kind = 6; fixed64 startTimeUnixNano = 7; fixed64 endTimeUnixNano = 8;
    repeated KeyValue attributes = 9; repeated Link links = 13; Status status = 15;
  }
  message Link { bytes traceId = 1; bytes spanId = 2; }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string stringValue = 1; int64 intValue = 3; } }
`,
  )
  .root.lookupType('Request');

interface KeyValue {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string | number };
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly KeyValue[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

interface WireRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly KeyValue[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly WireSpan[] }[];
  }[];
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' = none. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  /** Epoch ms. */
  readonly startAt: number;
  readonly endAt: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly string[];
  readonly failure: string;
  /** `service.instance.id` of its resource. */
  readonly node: string;
  readonly service: string;
}

export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** Content types and paths of the requests so far. */
  readonly requests = new Set<string>();
  readonly #server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const type = request.headers['content-type'] ?? '';
      this.requests.add(`${type} ${request.url ?? ''}`);
      const sent = Buffer.concat(chunks);
      const isPacked = request.headers['content-encoding'] === 'gzip';
      this.#take(type, isPacked ? zlib.gunzipSync(sent) : sent);
      response.writeHead(200, { 'Content-Type': type }).end(type.includes('json') ? '{}' : '');
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The first span of a trace with this name, once it is there. */
  async span(traceId: string, name: string): Promise<ReceivedSpan> {
    return await until(`the span ${name}`, () =>
      this.spans.find((span) => span.traceId === traceId && span.name === name),
    );
  }

  /** Those of a trace that have this name. */
  named(traceId: string, name: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId && span.name === name);
  }

  #take(type: string, body: Buffer): void {
    const { resourceSpans = [] } = type.includes('json')
      ? (JSON.parse(body.toString()) as WireRequest)
      : fromProtobuf(body);
    for (const { resource, scopeSpans = [] } of resourceSpans) {
      const facts = recordOf(resource?.attributes);
      const node = String(facts['service.instance.id']);
      const service = String(facts['service.name']);
      for (const { spans = [] } of scopeSpans) {
        this.spans.push(...spans.map((span) => toReceived(span, node, service)));
      }
    }
  }
}

function fromProtobuf(body: Buffer): WireRequest {
  const message = schema.decode(body);
  return schema.toObject(message, { longs: String, bytes: Array }) as WireRequest;
}

/** JSON has ids as text, protobuf as bytes. */
function idOf(id: string | readonly number[] | undefined): string {
  return typeof id === 'string' ? id : Buffer.from(id ?? []).toString('hex');
}

function toReceived(span: WireSpan, node: string, service: string): ReceivedSpan {
  return {
    ...{ name: span.name, kind: span.kind, node, service },
    traceId: idOf(span.traceId),
    spanId: idOf(span.spanId),
    parentSpanId: idOf(span.parentSpanId),
    traceState: span.traceState ?? '',
    startAt: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000,
    endAt: Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000,
    attributes: recordOf(span.attributes),
    links: (span.links ?? []).map((link) => idOf(link.spanId)),
    failure: span.status?.code === 2 ? (span.status.message ?? '') : '',
  };
}

function recordOf(attributes: readonly KeyValue[] = []): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
