// The address of a client behind proxies. Only what a trusted proxy adds to X-Forwarded-For counts:
// the list is read from its end, over the proxies, to the first address that is none of them
// (invariants S11).
import { BlockList, isIP } from 'node:net';

export class TrustedProxies {
  readonly #proxies = new BlockList();
  readonly #any: boolean;

  /** `list`: addresses and networks, such as 10.0.0.0/8. Throws a sentence for anything else. */
  constructor(list: readonly string[]) {
    this.#any = list.length > 0;
    for (const entry of list) {
      const [address = '', prefix] = entry.split('/');
      const family = familyOf(address);
      if (family === undefined) throw new Error(`trusted-proxies: ${entry} is no address`);
      if (prefix === undefined) this.#proxies.addAddress(address, family);
      else this.#proxies.addSubnet(address, Number(prefix), family);
    }
  }

  /** `remote`: the peer of the connection; `forwardedFor`: the header as it came. */
  clientOf(remote: string, forwardedFor: string | undefined): string {
    if (!this.#any || forwardedFor === undefined || !this.isProxy(remote)) return remote;
    const hops = forwardedFor.split(',').map((hop) => hop.trim());
    for (let i = hops.length - 1; i >= 0; i--) {
      const hop = hops[i] as string;
      if (isIP(hop) === 0) return remote;
      if (!this.isProxy(hop)) return hop;
    }
    return remote;
  }

  isProxy(address: string): boolean {
    const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
    const family = familyOf(plain);
    return family !== undefined && this.#proxies.check(plain, family);
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}
