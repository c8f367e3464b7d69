// When access keys were last used, so that one that nobody needs is found. It is stored at most
// once an hour for each key and costs a request nothing.
import { Lru } from '../../../std/lru.js';
import type { IdentityTables } from '../identity-tables.js';

const storedEveryMs = 3_600_000;
const keysKnownMax = 10_000;

export class KeyUses {
  /** When this node stored a use last, by key. */
  readonly #storedAt = new Lru<string, number>(keysKnownMax);

  constructor(
    private readonly identities: IdentityTables,
    /** Told when a use was not stored. */
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Somebody uses the key now. */
  used(id: string, now: number): void {
    const { keyUses } = this.identities;
    const storedAt = Math.max(keyUses.get(id)?.usedAt ?? 0, this.#storedAt.get(id) ?? 0);
    if (now - storedAt < storedEveryMs) return;
    this.#storedAt.set(id, now);
    keyUses.put({ id, usedAt: now }).catch(this.failed);
  }
}
