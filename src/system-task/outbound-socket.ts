// Connections that are not HTTP, such as those to databases, under the same rules as the outbound
// client (invariants S1): the address is checked as it is connected to, and what the other side may
// send is bounded, because the libraries that read it collect whole rows first.
import net from 'node:net';
import { AccessRules, type OutboundAccess, type ResolveName } from './outbound-access.js';

export interface SocketSettings extends OutboundAccess {
  /** Bytes that one connection receives in all. */
  readonly responseBytesMax: number;
}

/** Some megabytes arrive in that time at most. */
const sizeCheckMs = 10;

export class OutboundSockets {
  readonly #rules: AccessRules;

  constructor(
    private readonly settings: SocketSettings,
    resolve?: ResolveName,
  ) {
    this.#rules = new AccessRules(settings, resolve);
  }

  /** A socket that connects; a refused address and too long an answer arrive as its error. */
  open(host: string, port: number): net.Socket {
    const socket = this.#connected(host, port);
    const { responseBytesMax } = this.settings;
    // Looked at from outside: under TLS the socket itself shows no data.
    const watch = setInterval(() => {
      if (socket.bytesRead <= responseBytesMax) return;
      socket.destroy(new Error(`The answer is longer than ${responseBytesMax} bytes`));
    }, sizeCheckMs);
    socket.once('close', () => clearInterval(watch));
    return socket;
  }

  #connected(host: string, port: number): net.Socket {
    if (this.#rules.isAllowedHost(host, String(port))) return net.connect({ host, port });
    try {
      this.#rules.checkLiteral(host);
    } catch (error) {
      const socket = new net.Socket();
      process.nextTick(() => socket.destroy(error as Error));
      return socket;
    }
    return net.connect({ host, port, lookup: this.#rules.lookup });
  }
}
