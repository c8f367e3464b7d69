// Finds the server of a Redis Cluster that serves a key, and follows what servers answer while
// slots move: MOVED (the slot has gone elsewhere for good), ASK (this key has), TRYAGAIN (some of
// the keys have, so the call is repeated shortly). Each of them proves that nothing ran. All calls
// with a key come this way. The client library follows the first two as well, but takes all of them
// for failures of one kind, gives up after a few, and cannot send a command and the WAIT for it on
// one connection.
import type { Cluster, Redis } from 'ioredis';
import { sleep, systemClock } from '../std/clock.js';

/** How often a call is sent on; more means that the servers do not agree. */
const redirectionsMax = 8;
/** A slot that moves answers TRYAGAIN until all keys of the call are on one side. */
const tryAgainEveryMs = 10;
const tryAgainMsMax = 2_000;

const slots = 16_384;

/** The part of a key that decides its slot: the text between its first braces, or all of it. */
export function tagOf(key: string): string {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

/** Slot of a key: CRC16 (XMODEM) of its tag. */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tagOf(key))) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    }
    crc &= 0xffff;
  }
  return crc % slots;
}

/** As the slots of the client library name a server. */
function addressOf({ host = '', port = 0 }: Redis['options']): string {
  return `${host}:${port}`;
}

/** Sends at once; `asks`: the slot still moves there, so that each command follows ASKING. */
type SendTo = (server: Redis, asks: boolean) => unknown;

export class ClusterRoute {
  constructor(private readonly cluster: Cluster) {}

  /**
   * `send`: sends at once, to the server of the key; it may be called several times, the first time
   * before this returns, so that calls keep their order.
   */
  async send(key: string, send: SendTo): Promise<unknown> {
    const slot = slotOf(key);
    const primary = (): string | undefined => this.cluster.slots[slot]?.[0];
    let server = this.#find(primary()) ?? (await this.#refreshed(primary));
    let asks = false;
    const giveUpAt = systemClock.monotonic() + tryAgainMsMax;
    for (let redirections = 0; ; redirections++) {
      try {
        // Rejected together with the call.
        if (asks) server.asking().catch(() => undefined);
        return await send(server, asks);
      } catch (error) {
        const [kind, , address] = error instanceof Error ? error.message.split(' ') : [];
        if (kind === 'TRYAGAIN' && systemClock.monotonic() < giveUpAt) {
          await sleep(systemClock, tryAgainEveryMs);
          redirections -= 1;
          continue;
        }
        if ((kind !== 'MOVED' && kind !== 'ASK') || redirections >= redirectionsMax) throw error;
        asks = kind === 'ASK';
        server = this.#find(address) ?? (await this.#refreshed(() => address));
        if (kind === 'MOVED') this.#learn(slot, address as string);
      }
    }
  }

  /** Tags of keys that the server holds as far as is known, each in another slot. */
  *tagsAt({ options }: Redis): Generator<string> {
    const address = addressOf(options);
    const seen = new Set<number>();
    for (let i = 0; i < slots; i++) {
      const slot = slotOf(String(i));
      if (this.cluster.slots[slot]?.[0] !== address || seen.has(slot)) continue;
      seen.add(slot);
      yield String(i);
    }
  }

  /** The server, after the slots have been read anew; `wanted` is asked after that. */
  async #refreshed(wanted: () => string | undefined): Promise<Redis> {
    await new Promise<void>((resolve) => this.cluster.refreshSlotsCache(() => resolve()));
    const address = wanted();
    const found = this.#find(address);
    if (found !== undefined) return found;
    throw new Error(
      `CLUSTERDOWN No connection to the server of the slot (${address ?? 'unknown'})`,
    );
  }

  #find(address: string | undefined): Redis | undefined {
    return this.cluster.nodes('all').find(({ options }) => addressOf(options) === address);
  }

  #learn(slot: number, address: string): void {
    this.cluster.slots[slot] = [address];
    this.cluster.refreshSlotsCache();
  }
}
