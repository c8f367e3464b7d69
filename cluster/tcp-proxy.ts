// A TCP proxy in front of one address: lets everything through, cuts the link (also for new
// connections), or delays each piece of data in both directions, in order.
import net, { type Server, type Socket } from 'node:net';
import { pause } from '../testkit/until.js';

export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isCut = false;
  #port = 0;
  #delayMs = 0;
  #delayedInAll = 0;

  /** `target`: asked for at each connection, so that it may move. */
  constructor(private readonly target: () => { host: string; port: number }) {
    this.#server = net.createServer((inner) => this.#accept(inner));
  }

  /** Resolves with the port on 127.0.0.1, the same one each time. */
  async listen(): Promise<number> {
    if (this.#server.listening) return this.#port;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as net.AddressInfo).port;
    return this.#port;
  }

  /** Refuses connections, as the machine does when the process behind has gone; until `listen`. */
  async refuse(): Promise<void> {
    this.#endAll();
    if (!this.#server.listening) return;
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  get state(): string {
    if (this.#isCut) return 'cut';
    return this.#delayMs > 0 ? `slow ${this.#delayMs} ms` : 'open';
  }

  /** Pieces of data that were held up so far. */
  get delayedInAll(): number {
    return this.#delayedInAll;
  }

  /**
   * Nothing goes through any more, and nobody is told: connections stay open in silence, as with a
   * cable that was pulled.
   */
  cut(): void {
    this.#isCut = true;
    for (const [inner, outer] of this.#pairs) {
      inner.pause();
      outer.pause();
    }
  }

  /** Everything goes through again; connections that were cut are ended. */
  heal(): void {
    if (this.#isCut) this.#endAll();
    this.#isCut = false;
    this.#delayMs = 0;
  }

  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  async close(): Promise<void> {
    await this.refuse();
  }

  #endAll(): void {
    for (const [inner, outer] of this.#pairs) {
      inner.destroy();
      outer.destroy();
    }
    this.#pairs.clear();
  }

  #accept(inner: Socket): void {
    const { host, port } = this.target();
    const outer = net.connect({ host, port });
    const pair = [inner, outer] as const;
    this.#pairs.add(pair);
    const end = (): void => {
      this.#pairs.delete(pair);
      inner.destroy();
      outer.destroy();
    };
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
      if (this.#isCut) socket.pause();
    }
    this.#carry(inner, outer);
    this.#carry(outer, inner);
  }

  /** In order, also when the delay changes: what was delayed longer holds up what follows. */
  #carry(from: Socket, to: Socket): void {
    let delayed = 0;
    const write = (bytes: Buffer): void => {
      if (to.destroyed || this.#isCut) return;
      if (to.write(bytes)) return;
      from.pause();
      to.once('drain', () => {
        if (!this.#isCut) from.resume();
      });
    };
    let earlier = Promise.resolve();
    from.on('data', (bytes) => {
      if (this.#delayMs === 0 && delayed === 0) return write(bytes);
      delayed += 1;
      this.#delayedInAll += 1;
      const due = pause(this.#delayMs);
      earlier = Promise.all([earlier, due]).then(() => {
        delayed -= 1;
        write(bytes);
      });
    });
  }
}
