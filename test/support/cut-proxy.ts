// A connection to Redis that breaks where a test says: passes bytes on until a client sends a
// certain text, then passes nothing more, so that what the text belongs to never reaches Redis.
import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

export class CutProxy {
  readonly #sockets = new Set<Socket>();
  /** Resolves once the text came and nothing passes any more. */
  readonly cut: Promise<void>;
  #isCut = false;
  #tellCut: () => void = () => undefined;

  private constructor(
    private readonly server: Server,
    /** Given to `connect`. */
    private readonly target:
      { readonly path: string } | { readonly host: string; readonly port: number },
    private readonly text: string,
  ) {
    this.cut = new Promise((resolve) => (this.#tellCut = resolve));
    server.on('connection', (client) => this.#join(client));
  }

  static async start(targetUrl: string, text: string): Promise<CutProxy> {
    const { protocol, hostname, port, pathname } = new URL(targetUrl);
    const target =
      protocol === 'unix:' ? { path: pathname } : { host: hostname, port: Number(port) };
    const server = createServer();
    const proxy = new CutProxy(server, target, text);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** As the address of a Redis. */
  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has ended');
    return `redis://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  #join(client: Socket): void {
    const redis = connect(this.target);
    let tail = '';
    client.on('data', (chunk) => {
      const sent = tail + chunk.toString('latin1');
      tail = sent.slice(-this.text.length);
      if (sent.includes(this.text)) this.#cutNow();
      if (!this.#isCut) redis.write(chunk);
    });
    redis.on('data', (chunk) => {
      if (!this.#isCut) client.write(chunk);
    });
    for (const [one, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }

  #cutNow(): void {
    this.#isCut = true;
    this.#tellCut();
  }
}
