// Definition snapshots of this process: equal snapshots are one object, found by their content
// hash. The newest ones are held; older ones live as long as an execution in memory uses them.
import type { DefinitionSnapshot } from '../model/execution.js';

const heldMax = 1000;

export class SnapshotCache {
  readonly #weak = new Map<string, WeakRef<DefinitionSnapshot>>();
  readonly #held = new Map<string, DefinitionSnapshot>();
  readonly #gone = new FinalizationRegistry<string>((hash) => {
    if (this.#weak.get(hash)?.deref() === undefined) this.#weak.delete(hash);
  });

  get(hash: string): DefinitionSnapshot | undefined {
    const held = this.#held.get(hash);
    if (held) return held;
    const found = this.#weak.get(hash)?.deref();
    if (found) this.#hold(found);
    return found;
  }

  /** The one object for this content: an earlier one if there is any, else the given one. */
  intern(snapshot: DefinitionSnapshot): DefinitionSnapshot {
    const known = this.get(snapshot.hash);
    if (known) return known;
    this.#weak.set(snapshot.hash, new WeakRef(snapshot));
    this.#gone.register(snapshot, snapshot.hash);
    this.#hold(snapshot);
    return snapshot;
  }

  #hold(snapshot: DefinitionSnapshot): void {
    this.#held.set(snapshot.hash, snapshot);
    if (this.#held.size <= heldMax) return;
    for (const oldest of this.#held.keys()) {
      this.#held.delete(oldest);
      break;
    }
  }
}
