// The definitions a node knows: all of them in memory, read without waiting, written through to the
// store.
//
// Order of a write: the store first, then memory, so nobody starts an execution from a definition
// that could still be lost. Every write raises the store's revision by one. After a write of ours
// the revision is compared with the one we had: one more means that nobody else wrote in between,
// anything else that the names which have changed are read, or everything where the store no longer
// tells which. The store announces changes of other nodes (`onChange`); notices may be lost, so the
// revision is also read every few seconds. Writes and reads take turns, so a read never puts back
// what a later write has replaced. If a check fails, memory stays as it is and the next check tries
// again.
//
// A new name is stored only if nothing of that name has changed in the store since the revision
// that memory shows: of nodes that register it in the same moment one does, and the others then
// know it (invariants S26). What others write of other names is no obstacle.
import { Chain } from '../../std/chain.js';
import { systemClock, type Clock } from '../../std/clock.js';
import { PeriodicLoop } from '../../std/periodic-loop.js';
import type { Service } from '../../std/service.js';
import { inSlices, mapInSteps } from '../../std/slices.js';
import type { DefinitionSnapshot } from '../../model/execution.js';
import { Snapshots } from '../../model/snapshot.js';
import type { TaskDef } from '../../model/task-def.js';
import type { JsonMap } from '../../model/json.js';
import {
  adHocRegistration,
  type NameOwner,
  type Registration,
} from '../../model/name-registration.js';
import { withPlainIds } from '../../model/subject.js';
import type { WorkflowDef, WorkflowTask } from '../../model/workflow-def.js';
import { writingWorkflowDefJson } from '../../model/workflow-def-json.js';
import type { BesideDef, DefinitionStore, Registrations } from '../../store/definition-store.js';
import type { KnownDefinitions } from '../context.js';
import { whileOthersWrite } from '../records/change-record.js';
import { DefinitionTable } from './definition-table.js';

export interface DefinitionsParts {
  readonly store: DefinitionStore;
  readonly clock?: Clock;
  /** Input parameters that the type of a configuration adds to it in every snapshot. */
  readonly shownInput: (task: WorkflowTask) => JsonMap | undefined;
  /**
   * Called after each write; resolves once the other nodes know it, and never rejects. Absent:
   * there are none.
   */
  readonly tellOthers?: () => Promise<void>;
  /** Called when a check for changes of other nodes failed. */
  readonly onLookFailed: (error: unknown) => void;
}

/** How often the revision is read without a notice. */
const lookMs = 5000;

/**
 * Asked of the names of a write when its turn has come: by then a known one may be another
 * caller's. False: one is gone. May reject with AppError 'forbidden'.
 */
export type StillMay = (names: readonly string[]) => Promise<boolean>;

const always: StillMay = () => Promise.resolve(true);

/** Definitions whose names are the caller's to write. */
interface Names<T> {
  /** Whether somebody else has registered the name, or removed it, since the caller asked. */
  readonly isTaken: (def: T) => boolean;
  readonly stillMay: StillMay;
  /** Stores them, or the first ones, if the names have not changed since this revision. */
  readonly put: (
    defs: readonly T[],
    since: number,
  ) => Promise<{ readonly stored: number; readonly apply: (table: DefinitionTable) => void }>;
}

export class Definitions implements KnownDefinitions, Service {
  #table = new DefinitionTable();
  /** The store's revision that memory shows. */
  #storeRevision = -1;
  /** The process of the store that memory was loaded from. */
  #process: string | undefined;
  /** Changes whenever an answer may have changed. */
  #revision = 0;
  /** Reads and writes, one after the other. */
  readonly #turns = new Chain();
  #lookQueued = false;
  readonly #loop: PeriodicLoop;
  readonly #clock: Clock;
  #stopped = false;
  readonly #snapshots: Snapshots;

  constructor(private readonly parts: DefinitionsParts) {
    this.#clock = parts.clock ?? systemClock;
    this.#loop = new PeriodicLoop({
      name: 'Definitions',
      ...{ clock: this.#clock, everyMs: lookMs, failed: parts.onLookFailed },
      runsOn: 'node',
      runOnce: () => this.#turns.run(() => this.#look()),
    });
    this.#snapshots = new Snapshots(this);
  }

  /** Loads everything; resolves once all questions can be answered. */
  async start(): Promise<void> {
    await this.parts.store.onChange(() => this.#queueLook());
    await this.#turns.run(() => this.#load());
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop.stop();
    await this.#turns.settled();
  }

  get revision(): number {
    return this.#revision;
  }

  shownInput(task: WorkflowTask): JsonMap | undefined {
    return this.parts.shownInput(task);
  }

  /** As executions keep it: they show its author, and ask nothing of him. */
  taskDef(name: string): TaskDef | undefined {
    const def = this.#table.taskDef(name);
    return def && withPlainIds(def);
  }

  /** Latest version when `version` is absent or 0. */
  workflowDef(name: string, version?: number): WorkflowDef | undefined {
    return version === undefined || version === 0
      ? this.#table.latest(name)
      : this.#table.exact(name, version);
  }

  /** The very version, 0 too; the latest when `version` is absent. */
  exactDef(name: string, version?: number): WorkflowDef | undefined {
    return version === undefined ? this.#table.latest(name) : this.#table.exact(name, version);
  }

  snapshot(def: WorkflowDef): DefinitionSnapshot {
    return this.#snapshots.of(def);
  }

  prepareSnapshot(def: WorkflowDef): Promise<unknown> | undefined {
    return this.#snapshots.prepare(def);
  }

  nameOwner(name: string, starter: string, isInline: boolean): NameOwner {
    const owner = this.#table.ownerOf(name) ?? { registration: adHocRegistration, owner: starter };
    return isInline ? { ...owner, isInline } : owner;
  }

  /** Everything, for lists. Not to be changed. */
  get table(): DefinitionTable {
    return this.#table;
  }

  /**
   * Stores one definition; `exists` and nothing stored when `onlyIfAbsent` and its (name, version)
   * is there. `begun`: the registration that begins because the name is new; `taken` and nothing
   * stored when somebody else has registered it meanwhile, or it is gone. Rejects with AppError
   * 'unavailable' when other nodes keep writing, and as `stillMay` throws.
   */
  putWorkflow(
    def: WorkflowDef,
    onlyIfAbsent: boolean,
    begun?: Registration,
    stillMay = always,
  ): Promise<'stored' | 'exists' | 'taken'> {
    const { name, version } = def;
    const isThere = (): boolean => onlyIfAbsent && this.#table.exact(name, version) !== undefined;
    const names = new Map(begun === undefined ? [] : [[name, begun]]);
    return this.#write(async () => {
      await inSlices(writingWorkflowDefJson(def));
      const stored = await this.#put([def], names, async (asked) => !isThere() && stillMay(asked));
      if (stored > 0) return 'stored';
      return isThere() ? 'exists' : 'taken';
    });
  }

  /**
   * Stores all of them; returns how many. `begun`: the registrations that begin where names are
   * new. Fewer are stored where somebody else has registered one of those meanwhile, or removed one
   * of the others: none, or of a list that the store takes in parts the first ones. Rejects as
   * `putWorkflow` does.
   */
  putWorkflows(
    defs: readonly WorkflowDef[],
    begun: Registrations = new Map(),
    stillMay = always,
  ): Promise<number> {
    return this.#write(async () => {
      await inSlices(mapInSteps(defs, writingWorkflowDefJson));
      return await this.#put(defs, begun, stillMay);
    });
  }

  async #put(
    defs: readonly WorkflowDef[],
    begun: Registrations,
    stillMay: StillMay,
  ): Promise<number> {
    const { store } = this.parts;
    const names = [...new Set(defs.map(({ name }) => name))];
    return await this.#whileOwn(defs, {
      isTaken: ({ name }) => {
        const { id } = begun.get(name) ?? {};
        if (id === undefined || this.#table.latest(name) === undefined) return false;
        return this.#table.registrationOf(name)?.id !== id;
      },
      stillMay,
      put: async (some, since) => {
        const all = some.map((def) => ({ def, ...this.#besideOf(def, begun.get(def.name)) }));
        const stored = await store.putWorkflows(all, { since, names });
        return {
          stored,
          apply: (table) =>
            all.slice(0, stored).forEach(({ def, ...beside }) => table.putWorkflow(def, beside)),
        };
      },
    });
  }

  /** Writes definitions as long as none of those left has a name that was taken; how many. */
  async #whileOwn<T extends { readonly name: string }>(
    defs: readonly T[],
    { isTaken, stillMay, put }: Names<T>,
  ): Promise<number> {
    let stored = 0;
    const attempt = async (): Promise<number | undefined> => {
      const left = defs.slice(stored);
      const names = [...new Set(left.map(({ name }) => name))];
      if (left.some(isTaken) || !(await stillMay(names))) return stored;
      const done = await put(left, this.#storeRevision);
      if (done.stored > 0) await this.#apply(done.apply);
      stored += done.stored;
      if (stored === defs.length) return stored;
      await this.#look();
      return undefined;
    };
    return await whileOthersWrite(() => defs[stored]?.name ?? '', attempt, this.#clock);
  }

  #besideOf(def: WorkflowDef, begun: Registration | undefined): BesideDef {
    const isNew = this.#table.latest(def.name) === undefined;
    const registration = isNew ? begun : this.#table.registrationOf(def.name);
    return { registration, named: this.#table.namedBefore(def) };
  }

  /** False when there is none. Rejects as `putWorkflow` does. */
  deleteWorkflow(name: string, version: number, stillMay = always): Promise<boolean> {
    const { store } = this.parts;
    return this.#write(async () => {
      const removed = await this.#whileOwn([{ name }], {
        isTaken: () => this.#table.exact(name, version) === undefined,
        stillMay,
        put: async (_one, since) => {
          const existed = await store.deleteWorkflow(name, version, { since, names: [name] });
          return {
            stored: existed ? 1 : 0,
            apply: (table) => table.deleteWorkflow(name, version),
          };
        },
      });
      return removed > 0;
    });
  }

  /**
   * Stores all of them; returns how many. `created`: the names that are new. Fewer are stored as
   * with `putWorkflows`.
   */
  putTasks(
    defs: readonly TaskDef[],
    created: readonly string[] = [],
    stillMay = always,
  ): Promise<number> {
    const { store } = this.parts;
    const names = defs.map(({ name }) => name);
    return this.#write(async () => {
      const fresh = new Set(created);
      return await this.#whileOwn(defs, {
        isTaken: ({ name }) => fresh.has(name) && this.#table.taskDef(name) !== undefined,
        stillMay: (asked) => stillMay(asked.filter((name) => !fresh.has(name))),
        put: async (some, since) => {
          const stored = await store.putTasks(some, { since, names });
          const ours = some.slice(0, stored);
          for (const { name } of ours) fresh.delete(name);
          return { stored, apply: (table) => ours.forEach((def) => table.putTask(def)) };
        },
      });
    });
  }

  /** False when there is none of that name. Rejects as `putWorkflow` does. */
  async replaceTask(def: TaskDef, stillMay = always): Promise<boolean> {
    const isThere = (): boolean => this.#table.taskDef(def.name) !== undefined;
    return (await this.putTasks([def], [], async (names) => isThere() && stillMay(names))) > 0;
  }

  /** False when there is none of that name. Rejects as `putWorkflow` does. */
  deleteTask(name: string, stillMay = always): Promise<boolean> {
    const { store } = this.parts;
    return this.#write(async () => {
      const removed = await this.#whileOwn([{ name }], {
        isTaken: () => this.#table.taskDef(name) === undefined,
        stillMay,
        put: async (_one, since) => {
          const existed = await store.deleteTask(name, { since, names: [name] });
          return { stored: existed ? 1 : 0, apply: (table) => table.deleteTask(name) };
        },
      });
      return removed > 0;
    });
  }

  /** In a turn of its own; the other nodes are told behind it, as they may be writing as well. */
  async #write<T>(inTurn: () => Promise<T>): Promise<T> {
    const result = await this.#turns.run(inTurn);
    await this.parts.tellOthers?.();
    return result;
  }

  /** Reads changes of other nodes now; resolves once memory shows them. */
  refresh(): Promise<void> {
    return this.#turns.run(() => this.#look());
  }

  /** Memory follows a write that the store has taken. */
  async #apply(change: (table: DefinitionTable) => void): Promise<void> {
    change(this.#table);
    this.#revision++;
    let revision: number;
    try {
      revision = await this.parts.store.revision();
    } catch (error) {
      // The write itself is stored; the next check finds out whether others wrote too.
      this.parts.onLookFailed(error);
      return;
    }
    if (revision === this.#storeRevision + 1) this.#storeRevision = revision;
    else this.#queueLook();
  }

  /** Another process, after a failover, may count other changes by the same revisions. */
  async #look(): Promise<void> {
    const { store } = this.parts;
    if ((await store.process()) !== this.#process) return await this.#load();
    if ((await store.revision()) === this.#storeRevision) return;
    const versionsOf = (name: string): number[] =>
      this.#table.versions(name).map(({ version }) => version);
    const changed = await store.changes(this.#storeRevision, versionsOf);
    if (changed === undefined) return await this.#load();
    this.#table.replace(changed);
    this.#storeRevision = changed.revision;
    this.#revision++;
  }

  async #load(): Promise<void> {
    const process = await this.parts.store.process();
    const loaded = await this.parts.store.loadAll();
    this.#table = new DefinitionTable(loaded);
    this.#process = process;
    this.#storeRevision = loaded.revision;
    this.#revision++;
  }

  #queueLook(): void {
    if (this.#lookQueued || this.#stopped) return;
    this.#lookQueued = true;
    void this.#turns
      .run(() => {
        this.#lookQueued = false;
        return this.#look();
      })
      .catch(this.parts.onLookFailed);
  }
}
