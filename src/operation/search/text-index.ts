// The text index of executions: what a search for words looks at, in the memory of this node. It is
// built from the store at the first search that needs it, follows the changes that commits note
// (SearchFeed) before each search, so that a search sees what was committed before it, and is
// dropped when nobody has searched for a while. Who does not search for words among many executions
// pays nothing but the note.
//
// Building one of 1,000,000 executions takes some 15 s, in batches between which others have their
// turn; the search that needs it waits. Beyond `bytesMax` there is no index, and searches for words
// are bounded by the number of executions that they read (request.ts).
import type { ExecutionId } from '../../std/ids.js';
import type { Clock, TimerHandle } from '../../std/clock.js';
import type { Service } from '../../std/service.js';
import type { ExecutionSummary, SearchFeed, SearchStore } from '../../store/search-store.js';
import { searchedWorkflows } from './fields.js';
import { IndexedDocuments, textsEnd } from './indexed-documents.js';

export interface TextIndexParts {
  readonly store: Pick<SearchStore, 'scan' | 'summaries'>;
  readonly feed: SearchFeed;
  readonly clock: Clock;
  /** Bytes of all texts. */
  readonly bytesMax: number;
  readonly failed: (error: unknown) => void;
}

/** Executions whose payloads are in memory at the same time while the index reads them. */
const summariesPerBatch = 320;
/** Characters of one execution; a search reads what has more. */
const charsMax = 16 * 1024;
const followEveryMs = 1000;
const unusedMs = 10 * 60_000;

export class TextIndex implements Service {
  #documents: IndexedDocuments | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #timer: TimerHandle | undefined;
  #usedAt = 0;
  /** Found too large; not built again before. */
  #tooLargeUntil = -Infinity;

  constructor(private readonly parts: TextIndexParts) {}

  /** As of now; undefined when the texts are too many to be kept. */
  current(): Promise<IndexedDocuments | undefined> {
    this.#usedAt = this.parts.clock.monotonic();
    return this.#inTurn(async () => {
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
  stop(): Promise<void> {
    this.#drop();
    return Promise.resolve();
  }

  async #build(): Promise<void> {
    const { store, feed, clock } = this.parts;
    if (clock.monotonic() < this.#tooLargeUntil) return;
    await feed.begin();
    const documents = new IndexedDocuments();
    for await (const ids of store.scan()) {
      for (let first = 0; first < ids.length; first += summariesPerBatch) {
        await this.#read(documents, ids.slice(first, first + summariesPerBatch));
        if (this.#isTooLarge(documents)) return;
      }
    }
    this.#documents = documents;
    await this.#follow();
    this.#arm();
  }

  /** Takes up what has changed; drops the index where that cannot be told. */
  async #follow(): Promise<void> {
    const documents = this.#documents;
    if (documents === undefined) return;
    try {
      const changed = await this.parts.feed.next();
      if (changed === undefined) return this.#drop();
      const ids = [...changed];
      for (let first = 0; first < ids.length; first += summariesPerBatch) {
        await this.#read(documents, ids.slice(first, first + summariesPerBatch));
      }
      if (this.#isTooLarge(documents)) this.#drop();
    } catch (error) {
      // Changes may have been read and not taken up.
      this.#drop();
      throw error;
    }
  }

  async #read(documents: IndexedDocuments, ids: readonly ExecutionId[]): Promise<void> {
    const summaries = await this.parts.store.summaries(ids);
    for (const [i, summary] of summaries.entries()) {
      if (summary === undefined) documents.remove(ids[i] as ExecutionId);
      else put(documents, summary);
    }
  }

  #isTooLarge(documents: IndexedDocuments): boolean {
    if (documents.corpus.bytes <= this.parts.bytesMax) return false;
    this.#tooLargeUntil = this.parts.clock.monotonic() + unusedMs;
    return true;
  }

  #arm(): void {
    const { clock, failed } = this.parts;
    this.#timer?.cancel();
    this.#timer = clock.after(followEveryMs, () => {
      if (clock.monotonic() - this.#usedAt > unusedMs) return this.#drop();
      void this.#inTurn(() => this.#follow())
        .catch(failed)
        .finally(() => {
          if (this.#documents !== undefined) this.#arm();
        });
    });
  }

  #drop(): void {
    this.#timer?.cancel();
    this.#documents = undefined;
  }

  /** One after the other. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function put(documents: IndexedDocuments, summary: ExecutionSummary): void {
  const { snapshot, state, id } = summary;
  const facts = {
    name: snapshot.def.name,
    status: state.status,
    startedAt: state.createTime,
  };
  documents.put(id, facts, textOf(summary));
}

/** undefined when it is too long. */
function textOf(summary: ExecutionSummary): string | undefined {
  if (summary.input.size + summary.output.size > charsMax) return undefined;
  const [, ...texts] = searchedWorkflows.texts(summary);
  const all = texts.filter((text) => typeof text === 'string').join(textsEnd);
  return all.length > charsMax ? undefined : all.toLowerCase();
}
