// Which attempts to sign in are made at all (docs/access.md, Attempts to sign in). An attempt is
// counted before the password is looked at, and given back when it was right, so that of many at
// the same moment no more are made than of many in a row.
//
// Three counts: of an account from one address, of an account from all addresses that it is not
// known at, and of an address. An address is known to an account once it has signed in there; so
// strangers who try passwords elsewhere take nothing from the owner. The counts of a node are in
// its memory.
import { isIPv6 } from 'node:net';
import { TextTable } from '../../../std/text-table.js';
import { RequestRates } from '../../../std/request-rates.js';

/** Failed attempts come back one by one after this time. */
const refillMs = 30_000;
/**
 * Failures that all accounts of an address, or all addresses of an account, may have, as a multiple
 * of one pair's.
 */
const widerFactor = 10;
/** Pairs of account and address that are remembered. */
const knownMax = 100_000;

export interface Attempt {
  /** Whether this account has signed in from this address before. */
  readonly isKnown: boolean;
  /** The credentials were right. */
  succeeded(): void;
  /** The credentials were not looked at after all. */
  untried(): void;
}

export class SignInAttempts {
  readonly #pairs: RequestRates;
  readonly #accounts: RequestRates;
  readonly #addresses: RequestRates;
  readonly #known = new TextTable<true>({ entriesMax: knownMax });

  /** `failuresMax`: of one account from one address. */
  constructor(failuresMax: number) {
    const wider = { burst: failuresMax * widerFactor, refillMs: refillMs / widerFactor };
    this.#pairs = new RequestRates({ burst: failuresMax, refillMs });
    this.#accounts = new RequestRates(wider);
    this.#addresses = new RequestRates(wider);
  }

  /** Counts an attempt at `now` (ms, monotonic), or gives the ms to wait for the next one. */
  begin(account: string, address: string, now: number): Attempt | number {
    const network = networkOf(address);
    const pair = `${network} ${account}`;
    const isKnown = this.#known.get(pair) === true;
    const counts: [RequestRates, string][] = [
      [this.#addresses, network],
      [this.#pairs, pair],
      ...(isKnown ? [] : [[this.#accounts, account] as [RequestRates, string]]),
    ];
    const waits = counts.map(([rates, name]) => rates.waitMs(name, now) ?? 0);
    if (waits.some((ms) => ms > 0)) return Math.max(...waits);
    for (const [rates, name] of counts) rates.take(name, now);
    const untried = (): void => {
      for (const [rates, name] of counts) rates.give(name);
    };
    return {
      isKnown,
      untried,
      succeeded: () => {
        untried();
        this.#known.set(pair, true);
      },
    };
  }
}

/** The address, of IPv6 the network of 64 bits that one customer has. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [left = '', right] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = right === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(Math.max(0, zeros)).fill('0'), ...tail];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
