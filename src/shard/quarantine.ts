// Sets executions aside on whose load nodes have died (invariants M13, I15), so that one of them
// does not take down every node that takes its shard over.
//
// A shard whose former owner did not give it back (placement says so) is on trial for a minute:
// each load in it is marked in the store before it is read, and the mark is cleared when the load
// and the first step after it are through. A mark that a new owner finds tells of a death. Most
// deaths have other causes and leave marks of many executions, so those that have a death are
// suspects: they are loaded one at a time, and after the last death but one not before the node has
// had its shard for some seconds. So an execution that loads well does not count three deaths, also
// where nodes are killed again and again. A load that goes well removes the mark and its deaths.
//
// After `deathsMax` deaths the execution is not loaded any more. Callers that ask for it get 503:
// all that is sent to it inside the cluster (ends of children, timers, results) is kept and
// repeated, and arrives once an administrator has released it. A load in a shard that was handed
// over in order costs nothing more.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../std/clock.js';
import type { ExecutionId } from '../std/ids.js';
import { Limiter } from '../std/limiter.js';
import { AppError } from '../model/errors.js';
import type { LoadMark, QuarantineStore } from '../store/quarantine-store.js';
import { Quarantined } from './refusals.js';

/** Nodes that may die on an execution before it is set aside. */
const deathsMax = 3;
/** How long loads are marked in a shard whose owner has died, ms. */
const trialMs = 60_000;
/** For so long after its taking the shard's last-chance suspects are not loaded, ms. */
const quietMs = 5000;

export interface QuarantineParts {
  readonly clock: Clock;
  readonly store: QuarantineStore;
  readonly shardOf: (id: ExecutionId) => number;
  readonly failed: (error: unknown) => void;
}

export class Quarantine {
  readonly #loader = randomBytes(6).toString('base64url');
  /** Deaths of the executions that have any, and of those that are loaded with care again. */
  readonly #deaths = new Map<ExecutionId, number>();
  /** Monotonic moment at which a shard on trial was taken. */
  readonly #trials = new Map<number, number>();
  /** Shards whose marks are being read. */
  readonly #reading = new Map<number, Promise<unknown>>();
  readonly #suspects = new Limiter(1);
  #cleared: ExecutionId[] = [];

  constructor(private readonly parts: QuarantineParts) {}

  /** Executions of this node's shards that are set aside. */
  get count(): number {
    let count = 0;
    for (const deaths of this.#deaths.values()) if (deaths >= deathsMax) count += 1;
    return count;
  }

  /**
   * The shards are this node's; `abandoned` are those of them that were not given back. Resolves
   * with the suspects, so that they are loaded and acquitted.
   */
  async take(
    shards: readonly number[],
    abandoned: readonly number[],
  ): Promise<readonly ExecutionId[]> {
    const now = this.parts.clock.monotonic();
    for (const shard of abandoned) this.#trials.set(shard, now);
    const reading = this.#read(shards);
    for (const shard of shards) this.#reading.set(shard, reading);
    try {
      return await reading;
    } finally {
      for (const shard of shards) {
        if (this.#reading.get(shard) === reading) this.#reading.delete(shard);
      }
    }
  }

  async #read(shards: readonly number[]): Promise<readonly ExecutionId[]> {
    const { store, failed } = this.parts;
    const found = (await store.marks(shards)).map((mark) => this.#judge(mark));
    if (found.length > 0) await store.set(found);
    for (const { id, deaths } of found) {
      this.#deaths.set(id, deaths);
      if (deaths >= deathsMax) failed(new Quarantined(id));
    }
    return found.flatMap(({ id, deaths }) => (deaths < deathsMax ? id : []));
  }

  /** A load that another process had begun did not end. */
  #judge({ id, deaths, loader }: LoadMark): LoadMark {
    const hasDied = loader !== '' && loader !== this.#loader;
    return { id, deaths: hasDied ? deaths + 1 : deaths, loader: '' };
  }

  /** They are not this node's any more. */
  drop(shards: ReadonlySet<number>): void {
    for (const shard of shards) {
      this.#trials.delete(shard);
      this.#reading.delete(shard);
    }
    if (this.#deaths.size === 0) return;
    for (const id of this.#deaths.keys()) {
      if (shards.has(this.parts.shardOf(id))) this.#deaths.delete(id);
    }
  }

  /**
   * Loads an execution with the care that it needs. Rejects with Quarantined when it is set aside,
   * with AppError 'unavailable' when its turn has not come yet.
   */
  load<T>(id: ExecutionId, shard: number, load: () => Promise<T>): Promise<T> {
    const isPlain = this.#trials.size === 0 && this.#reading.size === 0 && this.#deaths.size === 0;
    return isPlain ? load() : this.#loadWithCare(id, shard, load);
  }

  async #loadWithCare<T>(id: ExecutionId, shard: number, load: () => Promise<T>): Promise<T> {
    await this.#reading.get(shard);
    const deaths = this.#deaths.get(id);
    if (deaths === undefined) return this.#isOnTrial(shard) ? this.#marked(id, 0, load) : load();
    if (deaths >= deathsMax) throw new Quarantined(id);
    if (deaths === deathsMax - 1 && this.#hasJustBegun(shard)) throw loadedLater(id);
    return new Promise((resolve, reject) => {
      void this.#suspects.run(async () => {
        await this.#marked(id, deaths, load).then(resolve, reject);
        await firstStep();
      });
    });
  }

  /**
   * Reads an execution for an audit. That acquits nobody, so one that a node has died on is not
   * read: undefined. The read of another is marked like a load.
   */
  async inspect<T>(
    id: ExecutionId,
    shard: number,
    read: () => Promise<T>,
  ): Promise<{ seen: T } | undefined> {
    await this.#reading.get(shard);
    if (this.#deaths.has(id)) return undefined;
    return { seen: await this.load(id, shard, read) };
  }

  #isOnTrial(shard: number): boolean {
    const takenAt = this.#trials.get(shard);
    if (takenAt === undefined) return false;
    if (this.parts.clock.monotonic() - takenAt < trialMs) return true;
    this.#trials.delete(shard);
    return false;
  }

  #hasJustBegun(shard: number): boolean {
    const takenAt = this.#trials.get(shard);
    return takenAt !== undefined && this.parts.clock.monotonic() - takenAt < quietMs;
  }

  async #marked<T>(id: ExecutionId, deaths: number, load: () => Promise<T>): Promise<T> {
    const { store, failed } = this.parts;
    const marking = store.set([{ id, deaths, loader: this.#loader }]);
    try {
      const [loaded] = await Promise.all([load(), marking]);
      void firstStep().then(() => this.#clear(id));
      return loaded;
    } catch (error) {
      // The store was away, or the shard was lost: nothing is known, and nobody died.
      const unmarking = deaths === 0 ? store.clear([id]) : store.set([{ id, deaths, loader: '' }]);
      unmarking.catch(failed);
      throw error;
    }
  }

  /** The node has lived through the load. Clearings of one turn go out together. */
  #clear(id: ExecutionId): void {
    this.#deaths.delete(id);
    this.#cleared.push(id);
    if (this.#cleared.length > 1) return;
    setImmediate(() => {
      const ids = this.#cleared.splice(0);
      this.parts.store.clear(ids).catch(this.parts.failed);
    });
  }

  /** Lets an execution be loaded again, marked once more. False when it was not set aside. */
  async release(id: ExecutionId): Promise<boolean> {
    await this.#reading.get(this.parts.shardOf(id));
    if ((this.#deaths.get(id) ?? 0) < deathsMax) return false;
    await this.parts.store.clear([id]);
    this.#deaths.set(id, 0);
    return true;
  }
}

/** By what the store knows; one that is being loaded for the last time is not yet. */
export function isSetAside(mark: LoadMark | undefined): boolean {
  return mark !== undefined && mark.deaths >= deathsMax;
}

/** Why a node that does not own an execution may not read it; undefined: it may. */
export function refusalOf(id: ExecutionId, mark: LoadMark | undefined): AppError | undefined {
  if (isSetAside(mark)) return new Quarantined(id);
  return mark === undefined || mark.deaths === 0 ? undefined : loadedLater(id);
}

/** Resolves after the first step of what was loaded, and after its commit was encoded. */
function firstStep(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

function loadedLater(id: ExecutionId): AppError {
  const text = `Nodes died while they loaded execution ${id}: it is loaded in some seconds`;
  return new AppError('unavailable', text, { retryAfterSeconds: quietMs / 1000 });
}
