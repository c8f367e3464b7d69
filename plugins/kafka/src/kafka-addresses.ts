// Where connections of the Kafka library go (invariants S1). The library connects by itself to the
// names that brokers tell, and resolves them as it connects. So each connection is told the address
// that was checked: over plain TCP in place of the name, with TLS, whose certificate is for the
// name, through the function that resolves it. The library announces each connection that it makes
// on a diagnostics channel, with the context of its client.
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { CallbackWithPromise, Connection, instancesChannel } from '@platformatic/kafka';
import { type ConnectionGuard, reachableAddress } from '@downbeat/plugin';

interface Library {
  readonly instancesChannel: typeof instancesChannel;
}

/** The context of a client: the addresses that its connections go to. */
export class KafkaAddresses {
  /** The address of each name, as it was checked last; a name that may be anywhere is its own. */
  readonly #addresses = new Map<string, string>();

  constructor(
    private readonly guard: ConnectionGuard,
    private readonly usesTls: boolean,
  ) {}

  /** For `tls`: answers what was checked, since a name may answer anew by now. */
  readonly lookup: LookupFunction = (host, options, answer) => {
    const address = this.#addresses.get(host);
    if (address === undefined) answer(new Error(`${host} has not been checked`), '', 0);
    else if (isIP(address) === 0) systemLookup(host, options, answer as never);
    else if (options.all === true) answer(null, [{ address, family: isIP(address) }]);
    else answer(null, address, isIP(address));
  };

  /**
   * The address to give to the library so that it connects to a checked one. Rejects if refused.
   */
  async of(host: string, port: number): Promise<string> {
    const address = await reachableAddress(this.guard, { host, port });
    this.#addresses.set(host, address);
    return this.usesTls ? host : address;
  }
}

/** From now on connections of clients whose context is a KafkaAddresses ask it first. */
export function guardConnections({ instancesChannel: made }: Library): void {
  made.unsubscribe(guardOne);
  made.subscribe(guardOne);
}

function guardOne(message: unknown): void {
  const { type, instance } = message as { type: string; instance: unknown };
  if (type !== 'connection') return;
  const connection = instance as Connection;
  const addresses = connection.context;
  if (!(addresses instanceof KafkaAddresses)) return;
  const connect = connection.connect.bind(connection);
  // The pool, the library's only caller of `connect`, always brings a callback.
  connection.connect = ((host: string, port: number, callback: CallbackWithPromise<void>) => {
    addresses.of(host, port).then(
      (address) => connect(address, port, callback),
      (error: Error) => {
        // Others may wait for the same connection.
        if (connection.listenerCount('error') > 0) connection.emit('error', error);
        callback(error);
      },
    );
  }) as Connection['connect'];
}
