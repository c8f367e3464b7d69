// Reads what a remote service says of itself (contract-admin 15.4, Discovery): the document at the
// address of an HTTP service, the methods of a gRPC server that tells them.
import { AppError } from '../../model/errors.js';
import { parseJson } from '../../model/json-text.js';
import type { Json } from '../../model/json.js';
import type { GrpcMethod, ProtoSource } from '../../system-task/grpc-method.js';
import type { OutboundClient } from '../../system-task/outbound-client.js';
import type { Ports } from '../ports.js';
import { readProtos, type InTurn } from './proto-types.js';
import type { RemoteService } from './remote-service.js';

const timeMs = 10_000;

type Header = { readonly key: string; readonly value: string } | undefined;

export class Discovery {
  constructor(
    private readonly client: OutboundClient,
    private readonly describeServer: Ports['describeServer'],
  ) {}

  /** The JSON document at an address. Rejects with AppError 'bad-request' where there is none. */
  async document(address: string): Promise<Json> {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      throw new AppError('bad-request', 'serviceURI must be an address that begins with http');
    }
    const answer = await this.#get(url).catch((cause: unknown) => {
      throw refusal('serviceURI cannot be read', cause);
    });
    if (answer.statusCode !== 200) {
      throw new AppError('bad-request', `serviceURI answered with status ${answer.statusCode}`);
    }
    try {
      return parseJson(answer.body.toString('utf8'));
    } catch (cause) {
      throw new AppError('bad-request', 'serviceURI is no JSON document', { cause });
    }
  }

  /** Methods that a gRPC server tells of itself. Rejects with AppError 'bad-request'. */
  async reflected(
    service: RemoteService,
    header: Header,
    inTurn: InTurn,
  ): Promise<readonly GrpcMethod[]> {
    const { serviceURI: address, useSSL = false, trustCert = false } = service;
    const headers = new Map(header === undefined ? [] : [[header.key.toLowerCase(), header.value]]);
    const asked = { address, useSSL, trustCert, headers, timeoutMs: timeMs };
    const read = (sources: readonly ProtoSource[]): Promise<GrpcMethod[]> =>
      readProtos(sources, inTurn);
    return await this.describeServer(asked, read).catch((cause: unknown) => {
      throw refusal('The service does not describe itself', cause);
    });
  }

  async #get(url: URL): ReturnType<OutboundClient['request']> {
    return await this.client.request({
      url,
      method: 'GET',
      headers: new Map([['accept', 'application/json']]),
      body: undefined,
      connectTimeoutMs: timeMs,
      readTimeoutMs: timeMs,
      followRedirects: true,
      signal: AbortSignal.timeout(timeMs),
    });
  }
}

function refusal(what: string, cause: unknown): AppError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AppError('bad-request', `${what}: ${why}`, { cause });
}
