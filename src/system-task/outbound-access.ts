// Where the outbound client may connect to (invariants S1): public addresses, and inside ones only
// when a setting allows it. A name is resolved once, every address it has is checked, and the
// connection goes to one of these addresses: a name that changes its address between check and
// connection gains nothing.
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isInsideAddress } from './inside-addresses.js';

export interface OutboundAccess {
  /** Connect to inside addresses too (setting `outboundAllowInside`). */
  readonly allowInside: boolean;
  /**
   * Hosts that are allowed wherever they are (setting `outboundAllowedHosts`): a name,
   * `name:port`, `*.domain`, an address, or a network such as `10.1.0.0/16`.
   */
  readonly allowedHosts: readonly string[];
}

/** Resolves a name to all its addresses. */
export type ResolveName = (
  name: string,
  answer: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/**
 * The target is inside and nothing allows it. Says the host as the caller gave it, and nothing of
 * what its name stands for here: that would map the inside network.
 */
export class RefusedAddressError extends Error {
  constructor(host: string) {
    super(
      `${host} is inside the server's own network; the setting outboundAllowInside=true or an entry ` +
        'in outboundAllowedHosts allows it',
    );
    this.name = 'RefusedAddressError';
  }
}

const resolveBySystem: ResolveName = (name, answer) =>
  systemLookup(name, { all: true, verbatim: true }, answer);

export class AccessRules {
  readonly #names = new Set<string>();
  readonly #suffixes: string[] = [];
  readonly #networks = new BlockList();

  constructor(
    private readonly access: OutboundAccess,
    private readonly resolve: ResolveName = resolveBySystem,
  ) {
    for (const entry of access.allowedHosts) this.#add(entry.trim().toLowerCase());
  }

  /**
   * Throws RefusedAddressError when the host is an address that must not be reached. Names are
   * checked by `lookup`.
   */
  checkLiteral(host: string): void {
    if (isIP(host) !== 0 && !this.#isAllowedAddress(host)) throw new RefusedAddressError(host);
  }

  /** Whether a host may be connected to wherever it is. `host` without brackets, `port` as text. */
  isAllowedHost(host: string, port: string): boolean {
    const name = host.toLowerCase().replace(/\.$/, '');
    return (
      this.access.allowInside ||
      this.#names.has(name) ||
      this.#names.has(`${name}:${port}`) ||
      this.#suffixes.some((suffix) => name.endsWith(suffix))
    );
  }

  /**
   * For connections: resolves a name and gives only addresses that have been checked; one bad
   * address refuses the name.
   */
  readonly lookup: LookupFunction = (host, options, answer) => {
    this.resolve(host, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) {
        answer(error ?? new Error(`${host} has no address`), '', 0);
        return;
      }
      const isRefused = addresses.some(({ address }) => !this.#isAllowedAddress(address));
      if (isRefused) answer(new RefusedAddressError(host), '', 0);
      else if (options.all === true) answer(null, [...addresses]);
      else answer(null, first.address, first.family);
    });
  };

  #isAllowedAddress(address: string): boolean {
    if (this.access.allowInside || !isInsideAddress(address)) return true;
    return this.#networks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }

  #add(entry: string): void {
    if (entry === '') return;
    const [net = '', prefix] = entry.split('/');
    const family = isIP(net) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(net) !== 0 && prefix !== undefined) {
      this.#networks.addSubnet(net, Number(prefix), family);
    } else if (isIP(entry) !== 0) this.#networks.addAddress(entry, family);
    else if (entry.startsWith('*.')) this.#suffixes.push(entry.slice(1));
    else this.#names.add(entry);
  }
}
