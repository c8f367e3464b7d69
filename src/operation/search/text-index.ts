// A text index: what a search for words looks at, in the memory of this node. It is built from the
// store at the first search that needs it, follows the changes that commits note (ChangeFeed)
// before each search, so that a search sees what was committed before it, and is dropped when
// nobody has searched for a while. A deployment without searches for words pays nothing.
//
// Building one of 1,000,000 executions takes some 15 s, in batches between which others have their
// turn; the search that needs it waits. Beyond `bytesMax` there is no index, and searches for words
// are bounded by the number of executions that they read (request.ts).
import { Chain } from '../../std/chain.js';
import type { Clock } from '../../std/clock.js';
import { PeriodicLoop } from '../../std/periodic-loop.js';
import type { Service } from '../../std/service.js';
import type { ChangeFeed } from '../../store/change-feed.js';
import { IndexedDocuments, type IndexedFacts } from './indexed-documents.js';

export interface IndexedItem<Id, Status> {
  readonly id: Id;
  readonly facts: IndexedFacts<Status>;
  /** In lower case; undefined when it is too long to be kept. */
  readonly text: string | undefined;
}

export interface TextIndexParts<Id, Status> {
  readonly statuses: readonly Status[];
  /** Ids of everything, in batches. */
  readonly scan: () => AsyncGenerator<readonly Id[]>;
  /** In the order of the ids; undefined for what is not there. */
  readonly read: (ids: readonly Id[]) => Promise<(IndexedItem<Id, Status> | undefined)[]>;
  readonly feed: ChangeFeed<Id>;
  readonly clock: Clock;
  /** Bytes of all texts. */
  readonly bytesMax: number;
  readonly failed: (error: unknown) => void;
}

/** Items whose payloads are in memory at the same time while the index reads them. */
const readPerBatch = 160;
/** The store answers some while others are taken up. */
const batchesAtOnce = 4;
const followEveryMs = 1000;
const unusedMs = 10 * 60_000;

export class TextIndex<Id extends string, Status extends string> implements Service {
  #documents: IndexedDocuments<Id, Status> | undefined;
  /** Reads and writes, one after the other. */
  readonly #turns = new Chain();
  /** Runs while there is an index. */
  readonly #loop: PeriodicLoop;
  #usedAt = 0;
  /** Found too large; not built again before. */
  #tooLargeUntil = -Infinity;

  constructor(private readonly parts: TextIndexParts<Id, Status>) {
    const { clock, failed } = parts;
    this.#loop = new PeriodicLoop({
      name: 'TextIndex',
      ...{ clock, failed, everyMs: followEveryMs },
      runsOn: 'node',
      runOnce: () => this.#keepUp(),
    });
  }

  /** As of now; undefined when the texts are too many to be kept. */
  current(): Promise<IndexedDocuments<Id, Status> | undefined> {
    this.#usedAt = this.parts.clock.monotonic();
    return this.#turns.run(async () => {
      await this.#follow();
      if (this.#documents === undefined) await this.#build();
      return this.#documents;
    });
  }

  /** It is built when it is needed. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  /** Lets the memory go. */
  async stop(): Promise<void> {
    this.#drop();
    await this.#loop.stop();
  }

  async #build(): Promise<void> {
    const { scan, feed, clock, statuses } = this.parts;
    if (clock.monotonic() < this.#tooLargeUntil) return;
    await feed.begin();
    let followedAt = clock.monotonic();
    const documents = new IndexedDocuments<Id, Status>(statuses);
    for await (const ids of scan()) {
      await this.#readAll(documents, ids);
      if (this.#isTooLarge(documents)) return;
      // Changes are told for minutes only, and on a busy machine this may take longer.
      if (clock.monotonic() - followedAt < followEveryMs) continue;
      if (!(await this.#takeUp(documents))) return;
      followedAt = clock.monotonic();
    }
    this.#documents = documents;
    await this.#follow();
    if (this.#documents === documents) await this.#loop.start();
  }

  /** Takes up what has changed; drops the index where that cannot be told. */
  async #follow(): Promise<void> {
    const documents = this.#documents;
    if (documents === undefined) return;
    try {
      const isCurrent = await this.#takeUp(documents);
      if (!isCurrent || this.#isTooLarge(documents)) this.#drop();
    } catch (error) {
      // Changes may have been read and not taken up.
      this.#drop();
      throw error;
    }
  }

  /** False when what has changed cannot be told. */
  async #takeUp(documents: IndexedDocuments<Id, Status>): Promise<boolean> {
    const changed = await this.parts.feed.next();
    if (changed === undefined) return false;
    await this.#readAll(documents, [...changed]);
    return true;
  }

  async #readAll(documents: IndexedDocuments<Id, Status>, ids: readonly Id[]): Promise<void> {
    for (let first = 0; first < ids.length; first += batchesAtOnce * readPerBatch) {
      const batches = Array.from({ length: batchesAtOnce }, (_, i) => {
        const from = first + i * readPerBatch;
        return this.#read(documents, ids.slice(from, from + readPerBatch));
      });
      await Promise.all(batches);
    }
  }

  async #read(documents: IndexedDocuments<Id, Status>, ids: readonly Id[]): Promise<void> {
    const items = await this.parts.read(ids);
    for (const [i, item] of items.entries()) {
      if (item === undefined) documents.remove(ids[i] as Id);
      else documents.put(item.id, item.facts, item.text);
    }
  }

  #isTooLarge(documents: IndexedDocuments<Id, Status>): boolean {
    if (documents.corpus.bytes <= this.parts.bytesMax) return false;
    this.#tooLargeUntil = this.parts.clock.monotonic() + unusedMs;
    return true;
  }

  /** Follows what changes, unless nobody has asked for long. */
  async #keepUp(): Promise<void> {
    if (this.parts.clock.monotonic() - this.#usedAt > unusedMs) return this.#drop();
    await this.#turns.run(() => this.#follow());
  }

  #drop(): void {
    this.#documents = undefined;
    // Not awaited: this may be a turn of the loop.
    void this.#loop.stop();
  }
}
