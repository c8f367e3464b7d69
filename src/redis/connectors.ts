// Makes the connections of the client library with a listener for errors that stays. The library
// listens for one error of a connection; with TLS there may be a second one, of a handshake that
// was broken off after the first, and an error that nobody listens for ends the process.
import net from 'node:net';
import tls from 'node:tls';
import { AbstractConnector, SentinelConnector, type RedisOptions } from 'ioredis';

type Stream = net.Socket | tls.TLSSocket;
type Place = Pick<RedisOptions, 'host' | 'port' | 'path' | 'family' | 'tls' | 'disconnectTimeout'>;

const disconnectTimeoutMs = 2_000;

/** To one server. */
export class ServerConnector extends AbstractConnector {
  readonly #place: Place;

  constructor(options: unknown) {
    const place = options as Place;
    super(place.disconnectTimeout ?? disconnectTimeoutMs);
    this.#place = place;
  }

  connect(): Promise<Stream> {
    this.connecting = true;
    const { host = 'localhost', port = 6379, path, family = 0, tls: secured } = this.#place;
    const place = path === undefined || path === null ? { host, port, family } : { path };
    const stream = secured ? tls.connect({ ...place, ...secured }) : net.connect(place);
    stream.on('error', (error) => (this.firstError ??= error));
    this.stream = stream;
    return Promise.resolve(stream);
  }
}

/** To the primary that Sentinels name. */
export class PrimaryConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as RedisOptions);
  }

  override async connect(tell: (type: string, error: Error) => void): Promise<Stream> {
    const stream = await super.connect(tell);
    stream.on('error', () => undefined);
    return stream;
  }
}
