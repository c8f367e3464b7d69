// Addresses of brokers: parsed, and checked before a connection is made (invariants S1).
import { isIP } from 'node:net';
import { BrokerError } from './broker-error.js';
import type { ConnectionGuard } from './broker-kind.js';

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** `host:port,host` with an optional `scheme://` before each. Throws BrokerError. */
export function parseHosts(text: string, portByDefault: number): HostAndPort[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => {
      const address = each.includes('://') ? each : `tcp://${each}`;
      if (!URL.canParse(address)) throw new BrokerError(`${each} is not an address of a broker`);
      const { hostname, port } = new URL(address);
      if (hostname === '') throw new BrokerError(`${each} is not an address of a broker`);
      return { host: bare(hostname), port: port === '' ? portByDefault : Number(port) };
    });
}

/**
 * The address to connect to: checked, and resolved unless the host is allowed wherever it is.
 * Rejects with an error whose message says why not.
 */
export async function reachableAddress(
  guard: ConnectionGuard,
  { host, port }: HostAndPort,
): Promise<string> {
  if (guard.isAllowedHost(host, String(port))) return host;
  guard.checkLiteral(host);
  if (isIP(host) !== 0) return host;
  return await new Promise((resolve, reject) => {
    guard.lookup(host, {}, (error, address) => {
      if (error !== null) reject(error);
      else resolve(typeof address === 'string' ? address : (address[0]?.address ?? host));
    });
  });
}

/** Without the brackets of an IPv6 address. */
function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}
