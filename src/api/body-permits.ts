// Permits for request bodies that have begun and not ended. A body that comes in one piece with its
// header asks for none, so ordinary requests cost nothing here.
//
// Three bounds: bytes in all, bytes of one address, and how many bodies strangers may have begun,
// in all and from one address. Strangers are those whose endpoint asks for no token; of everybody
// else the token was checked before the body was taken. One address has a quarter of each bound, so
// that it does not use up the bounds of all others; where a proxy is in front, `trustedProxies`
// tells addresses apart (docs/access.md, Requests of strangers).

export interface BodyPermitSettings {
  /** Bytes of all unfinished bodies. */
  readonly bytesMax: number;
  /** Unfinished bodies of strangers. */
  readonly strangersMax: number;
}

interface Share {
  bytes: number;
  strangers: number;
  bodies: number;
}

/** The part of each bound that one address may use. */
const shareOfAddress = 1 / 4;

export class BodyPermits {
  readonly #addresses = new Map<string, Share>();
  #bytes = 0;
  #strangers = 0;

  constructor(private readonly settings: BodyPermitSettings) {}

  /** Addresses with unfinished bodies. */
  get size(): number {
    return this.#addresses.size;
  }

  /** Bytes of all unfinished bodies. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A place for one body; undefined: there is none. */
  enter(address: string, isStranger: boolean): BodyPermit | undefined {
    const { strangersMax } = this.settings;
    const share = this.#addresses.get(address) ?? { bytes: 0, strangers: 0, bodies: 0 };
    if (isStranger) {
      const ofAddress = Math.max(1, Math.floor(strangersMax * shareOfAddress));
      if (this.#strangers >= strangersMax || share.strangers >= ofAddress) return undefined;
      this.#strangers++;
      share.strangers++;
    }
    share.bodies++;
    this.#addresses.set(address, share);
    let held = 0;
    let left = false;
    return {
      grow: (bytes) => {
        const { bytesMax } = this.settings;
        if (this.#bytes + bytes > bytesMax) return false;
        if (share.bytes + bytes > bytesMax * shareOfAddress) return false;
        held += bytes;
        share.bytes += bytes;
        this.#bytes += bytes;
        return true;
      },
      leave: () => {
        if (left) return;
        left = true;
        this.#bytes -= held;
        share.bytes -= held;
        if (isStranger) {
          this.#strangers--;
          share.strangers--;
        }
        if (--share.bodies === 0) this.#addresses.delete(address);
      },
    };
  }
}

/** For servers without bounds: tests of other things. */
export const unboundedBodies = new BodyPermits({
  bytesMax: Number.MAX_SAFE_INTEGER,
  strangersMax: Number.MAX_SAFE_INTEGER,
});

/** One body's place. */
export interface BodyPermit {
  /** Counts further bytes; false: there is no room for them. */
  grow(bytes: number): boolean;
  /** Gives everything back; may be called again. */
  leave(): void;
}
