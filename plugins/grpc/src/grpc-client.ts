// The only way out over gRPC: checked addresses (invariants S1), and limits on time, on the bytes
// of a message and on all that a stream answers. Messages come and go as bytes. The library is
// loaded at first use.
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import type { Client, ClientOptions, Metadata, ServiceError } from '@grpc/grpc-js';
import type { GrpcMethodType, PluginServices } from '@downbeat/plugin';
import type * as grpc from '@grpc/grpc-js';

type Library = typeof grpc;

export interface GrpcServer {
  readonly host: string;
  readonly port: string;
  readonly useSSL: boolean;
  /** With TLS: accept any certificate. */
  readonly trustCert: boolean;
}

export interface GrpcCall {
  readonly server: GrpcServer;
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly type: GrpcMethodType;
  /** One message, or those of a stream. */
  readonly messages: readonly Buffer[];
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly compressed: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `responseBytesMax`: of one answer, and of all answers of a stream. */
export type GrpcLimits = Pick<PluginServices, 'guard' | 'responseBytesMax'>;

/** The call failed. The message is fit to be shown. */
export class GrpcError extends Error {
  constructor(
    /** Name of the status, such as `UNAVAILABLE`. */
    readonly status: string,
    readonly details: string,
    options?: ErrorOptions,
  ) {
    super(`${status}: ${details}`, options);
    this.name = 'GrpcError';
  }
}

const messagesMax = 10_000;
/** Number of the algorithm. */
const gzip = 2;

export class GrpcClient {
  #library: Promise<Library> | undefined;

  constructor(private readonly limits: GrpcLimits) {}

  /** The answers in their order. Rejects with GrpcError. */
  async call(call: GrpcCall): Promise<Buffer[]> {
    const library = await (this.#library ??= import('@grpc/grpc-js'));
    const client = await this.#clientFor(library, call);
    try {
      return await this.#exchange(library, client, call);
    } catch (error) {
      if (error instanceof GrpcError) throw error;
      const { code, details, message } = error as ServiceError;
      const status = library.status[code] ?? 'UNKNOWN';
      throw new GrpcError(status, details || message, { cause: error });
    } finally {
      client.close();
    }
  }

  async #clientFor(library: Library, call: GrpcCall): Promise<Client> {
    const { host, port, useSSL, trustCert } = call.server;
    const credentials = useSSL
      ? library.credentials.createSsl(null, null, null, {
          rejectUnauthorized: !trustCert,
          ...(trustCert ? { checkServerIdentity: () => undefined } : {}),
        })
      : library.credentials.createInsecure();
    const address = await this.#checked(host, port);
    const target = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
    const options: ClientOptions = {
      'grpc.max_receive_message_length': this.limits.responseBytesMax,
      'grpc.enable_http_proxy': 0,
      'grpc.enable_retries': 0,
      ...(call.compressed ? { 'grpc.default_compression_algorithm': gzip } : {}),
      'grpc.service_config_disable_resolution': 1,
      'grpc.default_authority': `${host}:${port}`,
      ...(useSSL && isIP(host) === 0 ? { 'grpc.ssl_target_name_override': host } : {}),
    };
    return new library.Client(target, credentials, options);
  }

  /** An address that has been checked; the connection goes there and nowhere else. */
  async #checked(host: string, port: string): Promise<string> {
    if (this.limits.guard.isAllowedHost(host, port)) return host;
    try {
      this.limits.guard.checkLiteral(host);
      if (isIP(host) !== 0) return host;
      const resolve = promisify(this.limits.guard.lookup) as (
        name: string,
        options: object,
      ) => Promise<string>;
      return await resolve(host, {});
    } catch (cause) {
      throw new GrpcError('UNAVAILABLE', (cause as Error).message, { cause });
    }
  }

  #exchange(library: Library, client: Client, call: GrpcCall): Promise<Buffer[]> {
    const { type, messages, path, signal, timeoutMs } = call;
    const asIs = (bytes: Buffer): Buffer => bytes;
    const metadata = metadataOf(library, call);
    const options = { deadline: Date.now() + timeoutMs };
    const answers: Buffer[] = [];
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, answer?: Buffer): void => {
        if (error === null) resolve(answer === undefined ? answers : [answer]);
        else reject(error);
      };
      const sends = type === 'CLIENT_STREAMING' || type === 'BIDIRECTIONAL_STREAMING';
      const first = messages[0] ?? Buffer.alloc(0);
      const common = [path, asIs, asIs] as const;
      if (type === 'UNARY') {
        const running = client.makeUnaryRequest(...common, first, metadata, options, done);
        follow(signal, () => running.cancel());
      } else if (type === 'CLIENT_STREAMING') {
        const running = client.makeClientStreamRequest(...common, metadata, options, done);
        follow(signal, () => running.cancel());
        for (const message of messages) running.write(message);
        running.end();
      } else {
        const both = sends ? client.makeBidiStreamRequest(...common, metadata, options) : undefined;
        const running = both ?? client.makeServerStreamRequest(...common, first, metadata, options);
        follow(signal, () => running.cancel());
        running.on(
          'data',
          this.#collector(answers, () => running.cancel(), reject),
        );
        running.on('error', reject);
        running.on('end', () => resolve(answers));
        for (const message of messages) both?.write(message);
        both?.end();
      }
    });
  }

  /** Takes the answers of a stream up to the limit. */
  #collector(
    answers: Buffer[],
    cancel: () => void,
    reject: (error: GrpcError) => void,
  ): (answer: Buffer) => void {
    let bytes = 0;
    return (answer) => {
      bytes += answer.length;
      if (bytes <= this.limits.responseBytesMax && answers.length < messagesMax) {
        answers.push(answer);
        return;
      }
      reject(new GrpcError('RESOURCE_EXHAUSTED', 'The answer is longer than the limit'));
      cancel();
    };
  }
}

function metadataOf(library: Library, { headers }: GrpcCall): Metadata {
  const metadata = new library.Metadata();
  for (const [name, value] of headers) {
    metadata.set(name, name.endsWith('-bin') ? Buffer.from(value, 'base64') : value);
  }
  return metadata;
}

function follow(signal: AbortSignal, cancel: () => void): void {
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
}
