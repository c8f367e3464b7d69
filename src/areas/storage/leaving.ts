// Prepares an execution that is about to be removed from Redis: it is archived, where that is on,
// and the contents of its files are removed.
import { shardOf, type ExecutionId } from '../../std/ids.js';
import { Limiter } from '../../std/limiter.js';
import type { Clock } from '../../std/clock.js';
import { openExecution } from '../../engine/load-execution.js';
import type { ExecutionStore } from '../../store/execution-store.js';
import type { FileStore } from './file-store.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { Leaver } from '../../store/retention-store.js';
import type { Archive } from './archive.js';
import { fileKey } from './files.js';

export interface LeavingParts {
  readonly clock: Clock;
  readonly shards: number;
  readonly store: Pick<ExecutionStore, 'load'>;
  readonly files: FileStore;
  readonly objects: ObjectStore;
  /** Absent: nothing is archived. */
  readonly archive: Archive | undefined;
}

/** Objects written or removed at the same time. */
const objectsAtOnceMax = 8;

export class Leaving {
  readonly #limiter = new Limiter(objectsAtOnceMax);

  constructor(private readonly parts: LeavingParts) {}

  /**
   * Resolves with those that may go: what has changed since it was found stays. Rejects when the
   * object store fails; nothing may go then.
   */
  async leave(leavers: readonly Leaver[]): Promise<ReadonlySet<ExecutionId>> {
    const archived = await Promise.all(
      leavers.map((leaver) => this.#limiter.run(() => this.#archive(leaver))),
    );
    const going = leavers.filter((_, i) => archived[i]).map(({ id }) => id);
    await this.removeFiles(going);
    return new Set(going);
  }

  /** Contents of all files of these executions. */
  async removeFiles(owners: readonly ExecutionId[]): Promise<void> {
    const { files, objects } = this.parts;
    const lists = await files.ids(owners);
    const keys = owners.flatMap((owner, i) => (lists[i] ?? []).map((id) => fileKey(owner, id)));
    await Promise.all(keys.map((key) => this.#limiter.run(() => objects.remove(key))));
  }

  /** False for one that is not as it was found. */
  async #archive({ id, head }: Leaver): Promise<boolean> {
    const { archive, store, shards, clock } = this.parts;
    if (archive === undefined) return true;
    const stored = await store.load(shardOf(id, shards), id);
    if (stored === undefined || stored.head !== head) return false;
    await archive.put(openExecution(stored.execution), clock.now());
    return true;
  }
}
