// Keeps all record tables of a node up to date: at a notice at once, and by reading the revisions
// (one command for all kinds) once in `lookEveryMs`, because notices may be lost. So a change of
// another node is in force here within a second (a revoked key, a paused schedule).
//
// After a failover the store may lack what memory shows, and gives revisions again that memory has
// passed. So everything is loaded anew where another process answers (invariants M2).
import type { TargetType } from '../../access/access-rules.js';
import { Chain } from '../../std/chain.js';
import type { Clock } from '../../std/clock.js';
import { PeriodicLoop } from '../../std/periodic-loop.js';
import type { Service } from '../../std/service.js';
import type { RecordStore } from '../../store/record-store.js';
import { targetTypeOf } from './record-names.js';
import { RecordTable, type RecordCodec } from './record-table.js';

export type RecordCodecs = Readonly<Record<string, Pick<RecordCodec<unknown>, 'kind'>>>;
/** The tables of the kinds, by the same names. */
export type TablesOf<R> = {
  readonly [K in keyof R]: R[K] extends RecordCodec<infer T> ? RecordTable<T> : never;
};

export const lookEveryMs = 700;

type Follower = Pick<
  RecordTable<unknown>,
  'load' | 'follow' | 'hasNamedEvery' | 'sealedParts' | 'sealAnew'
> & {
  readonly codec: { readonly kind: string };
};

export class RecordTables implements Service {
  readonly #tables = new Map<string, Follower>();
  /** The process of the store that memory was loaded from. */
  #process: string | undefined;
  /** Tables of the resources that grants of a type name. */
  readonly #byTarget = new Map<TargetType, Follower[]>();
  readonly #loop: PeriodicLoop;
  /** Reads of changes that were asked for, one after the other. */
  readonly #refreshes = new Chain();
  /** One that has not begun yet. */
  #nextRefresh: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;

  constructor(
    private readonly store: RecordStore,
    clock: Clock,
    /** Called when the store did not answer; the next check tries again. */
    private readonly failed: (error: unknown) => void,
    /** Called after each write; resolves once the other nodes know it, and never rejects. */
    private readonly tellOthers: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#loop = new PeriodicLoop({
      name: 'RecordTables',
      ...{ clock, failed, everyMs: lookEveryMs },
      runsOn: 'node',
      runOnce: () => this.#lookOrReject(),
    });
  }

  /** Creates the table of a kind; before `start`, once per kind. */
  open<T>(codec: RecordCodec<T>): RecordTable<T> {
    if (this.#tables.has(codec.kind)) throw new Error(`Two tables of ${codec.kind}`);
    const table = new RecordTable(this.store, codec, {
      refresh: () => this.refresh(),
      tellOthers: this.tellOthers,
    });
    this.#tables.set(codec.kind, table);
    const target = targetTypeOf(codec.kind);
    if (target !== undefined) {
      this.#byTarget.set(target, [...(this.#byTarget.get(target) ?? []), table]);
    }
    return table;
  }

  /** Creates the tables of several kinds. */
  openAll<R extends RecordCodecs>(codecs: R): TablesOf<R> {
    const opened = Object.entries(codecs).map(([name, codec]) => [
      name,
      this.open(codec as RecordCodec<unknown>),
    ]);
    return Object.fromEntries(opened) as TablesOf<R>;
  }

  /** Whether a resource of the type has the name that means all of them in a grant. */
  hasNamedEvery(type: TargetType): boolean {
    return this.#byTarget.get(type)?.some((table) => table.hasNamedEvery) === true;
  }

  /** The sealed values in records of all kinds. */
  *sealedParts(): IterableIterator<string> {
    for (const table of this.#tables.values()) yield* table.sealedParts();
  }

  /** As `RecordTable.sealAnew`, for all kinds. */
  async sealAnew(seal: Parameters<Follower['sealAnew']>[0]): Promise<void> {
    for (const table of this.#tables.values()) await table.sealAnew(seal);
  }

  /** Loads all tables. */
  async start(): Promise<void> {
    await this.store.onChange(() => void this.look());
    await this.#loadAll(await this.store.process());
    await this.#loop.start();
  }

  async #loadAll(process: string | undefined): Promise<void> {
    await Promise.all([...this.#tables.values()].map((table) => table.load()));
    this.#process = process;
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#looking?.catch(() => undefined);
  }

  /** Compares the revisions now; resolves once memory shows what was stored before the call. */
  async look(): Promise<void> {
    await this.#lookOrReject().catch(this.failed);
  }

  /**
   * Resolves once memory shows what was stored before the call, however much is stored meanwhile.
   * Those that ask before a read begins share it.
   */
  async refresh(): Promise<void> {
    this.#nextRefresh ??= this.#refreshes.run(() => {
      this.#nextRefresh = undefined;
      return this.#followAll();
    });
    await this.#nextRefresh;
  }

  async #followAll(): Promise<void> {
    const process = await this.store.process();
    if (process !== this.#process) return await this.#loadAll(process);
    for (const [kind, revision] of await this.store.revisions()) {
      await this.#tables.get(kind)?.follow(revision);
    }
  }

  async #lookOrReject(): Promise<void> {
    if (this.#looking !== undefined) {
      this.#lookAgain = true;
      await this.#looking;
      return;
    }
    this.#looking = this.#lookUntilQuiet().finally(() => (this.#looking = undefined));
    await this.#looking;
  }

  async #lookUntilQuiet(): Promise<void> {
    do {
      this.#lookAgain = false;
      try {
        await this.#followAll();
      } catch (error) {
        if (!this.#lookAgain || this.#loop.isStopped) throw error;
        this.failed(error);
      }
    } while (this.#lookAgain && !this.#loop.isStopped);
  }
}
