// Seals and opens values that rest encrypted, with the keys that the server has now.
import { AppError } from '../model/errors.js';
import { keyIdOf, seal, unseal } from './sealed-value.js';
import type { SealingKey, SealingKeys } from './sealing-keys.js';

export interface SecretBox {
  /** `owner` says what the value belongs to. Rejects with AppError 'unavailable' without a key. */
  seal(plain: string, owner: string): Promise<string>;
  /** Rejects with AppError 'unavailable' when this node does not have the key. */
  open(sealed: string, owner: string): Promise<string>;
  /** As `open`, with the keys that are read already. Throws AppError 'unavailable'. */
  openNow(sealed: string, owner: string): string;
}

export class KeyedSecretBox implements SecretBox {
  constructor(
    private readonly keys: SealingKeys,
    /** Resolves once the keyspace knows that values are sealed with this key. */
    private readonly sealsWith: (key: SealingKey) => Promise<void>,
  ) {}

  async seal(plain: string, owner: string): Promise<string> {
    const key = await this.keys.sealing();
    await this.sealsWith(key);
    return seal(plain, owner, key);
  }

  async open(sealed: string, owner: string): Promise<string> {
    const keyId = keyIdOf(sealed);
    if (this.keys.byId(keyId) === undefined) await this.keys.readAgain();
    return this.openNow(sealed, owner);
  }

  /** The value sealed with the key that seals now; undefined where it is that already. */
  async sealedAnew(sealed: string, owner: string): Promise<string | undefined> {
    if (keyIdOf(sealed) === this.keys.sealingId) return undefined;
    return await this.seal(await this.open(sealed, owner), owner);
  }

  openNow(sealed: string, owner: string): string {
    const keyId = keyIdOf(sealed);
    const key = this.keys.byId(keyId);
    if (key !== undefined) return unseal(sealed, owner, key);
    throw new AppError('unavailable', `This node does not have the key ${keyId} of a sealed value`);
  }
}
