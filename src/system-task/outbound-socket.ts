// Connections that are not HTTP, such as those to databases, under the same rules as the outbound
// client (invariants S1): the address is checked as it is connected to.
import net from 'node:net';
import { AccessRules, type OutboundAccess } from './outbound-access.js';

export class OutboundSockets {
  readonly #rules: AccessRules;

  constructor(access: OutboundAccess) {
    this.#rules = new AccessRules(access);
  }

  /** A socket that connects; an address that is refused arrives as its error. */
  open(host: string, port: number): net.Socket {
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
