// Moves all connections of a node as soon as a Sentinel says that another server is the primary.
// After an ordered failover the former one goes on as a primary without replicas for some ten
// seconds, until Sentinel makes it a replica. Writes there are lost meanwhile: acknowledged work
// where no replica has to confirm a write; where one has to, nothing is acknowledged for that time.
// If the message does not arrive, that is the cost: the former primary closes the connections only
// when it becomes a replica.
import net from 'node:net';
import type { Redis } from 'ioredis';

/** A Sentinel tells it when its failover is over: name, former host and port, new host and port. */
const channel = '+switch-master';

export class FailoverWatch {
  /** `sentinels`: a client for each, for subscriptions alone; `clients`: connections to move. */
  constructor(
    private readonly group: string,
    private readonly sentinels: readonly Redis[],
    private readonly clients: readonly Redis[],
  ) {
    for (const sentinel of sentinels) {
      // A Sentinel that is away is tried again; the others tell as well.
      sentinel.on('error', () => undefined);
      sentinel.on('ready', () => void sentinel.subscribe(channel).catch(() => undefined));
      sentinel.on('message', (_channel: string, text: string) => this.#heard(text));
    }
  }

  start(): void {
    for (const sentinel of this.sentinels) sentinel.connect().catch(() => undefined);
  }

  stop(): void {
    for (const sentinel of this.sentinels) sentinel.disconnect();
  }

  #heard(text: string): void {
    const [group, , , host = '', port = ''] = text.split(' ');
    if (group !== this.group) return;
    for (const client of this.clients) {
      const isOpen = client.status === 'ready' || client.status === 'connect';
      if (isOpen && !isAt(client, host, Number(port))) client.disconnect(true);
    }
  }
}

/** False for a host by its name: what it stands for may have changed. */
function isAt({ stream }: Redis, host: string, port: number): boolean {
  const { remoteAddress, remotePort } = stream as net.Socket;
  return net.isIP(host) !== 0 && remoteAddress === host && remotePort === port;
}
