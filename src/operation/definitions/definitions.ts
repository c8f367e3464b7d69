// The definitions a node knows: all of them in memory, read without waiting, written through to the
// store.
//
// Order of a write: the store first, then memory, so nobody starts an execution from a definition
// that could still be lost. Every write raises the store's revision by one. After a write of ours
// the revision is compared with the one we had: one more means that nobody else wrote in between,
// anything else that everything is loaded again. The store announces changes of other nodes
// (`onChange`); notices may be lost, so the revision is also read every few seconds. Writes and
// loads take turns, so a load never puts back what a later write has replaced. If a check fails,
// memory stays as it is and the next check tries again.
import { Chain } from '../../std/chain.js';
import { systemClock, type Clock, type TimerHandle } from '../../std/clock.js';
import type { Service } from '../../std/service.js';
import { inSlices, mapInSteps } from '../../std/slices.js';
import { AppError } from '../../model/errors.js';
import type { DefinitionSnapshot } from '../../model/execution.js';
import { Snapshots } from '../../model/snapshot.js';
import type { TaskDef } from '../../model/task-def.js';
import type { JsonMap } from '../../model/json.js';
import {
  adHocRegistration,
  type NameOwner,
  type Registration,
} from '../../model/name-registration.js';
import type { WorkflowDef, WorkflowTask } from '../../model/workflow-def.js';
import { writingWorkflowDefJson } from '../../model/workflow-def-json.js';
import type { DefinitionStore, Registrations } from '../../store/definition-store.js';
import type { KnownDefinitions } from '../context.js';
import { DefinitionTable } from './definition-table.js';

export interface DefinitionsParts {
  readonly store: DefinitionStore;
  readonly clock?: Clock;
  /** Input parameters that the type of a configuration adds to it in every snapshot. */
  readonly shownInput: (task: WorkflowTask) => JsonMap | undefined;
  /** Called when a check for changes of other nodes failed. */
  readonly onLookFailed: (error: unknown) => void;
}

/** How often the revision is read without a notice. */
const lookMs = 5000;

export class Definitions implements KnownDefinitions, Service {
  #table = new DefinitionTable();
  /** The store's revision that memory shows. */
  #storeRevision = -1;
  /** Changes whenever an answer may have changed. */
  #revision = 0;
  /** Reads and writes, one after the other. */
  readonly #turns = new Chain();
  #lookQueued = false;
  #timer: TimerHandle | undefined;
  #stopped = false;
  readonly #clock: Clock;
  readonly #snapshots: Snapshots;

  constructor(private readonly parts: DefinitionsParts) {
    this.#clock = parts.clock ?? systemClock;
    this.#snapshots = new Snapshots(this);
  }

  /** Loads everything; resolves once all questions can be answered. */
  async start(): Promise<void> {
    await this.parts.store.onChange(() => this.#queueLook());
    await this.#turns.run(() => this.#load());
    this.#armTimer();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#turns.settled();
  }

  get revision(): number {
    return this.#revision;
  }

  shownInput(task: WorkflowTask): JsonMap | undefined {
    return this.parts.shownInput(task);
  }

  taskDef(name: string): TaskDef | undefined {
    return this.#table.taskDef(name);
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
   * is there. `begun`: the registration that begins if the name is new.
   */
  putWorkflow(
    def: WorkflowDef,
    onlyIfAbsent: boolean,
    begun?: Registration,
  ): Promise<'stored' | 'exists'> {
    return this.#turns.run(async () => {
      await inSlices(writingWorkflowDefJson(def));
      if (begun !== undefined) await this.#requireNew(new Map([[def.name, begun]]));
      const registration = this.#registrationOf(def.name, begun);
      const outcome = await this.parts.store.putWorkflow(def, onlyIfAbsent, registration);
      // Somebody else has stored it: from now on we know it too.
      if (outcome === 'exists') await this.#look();
      else await this.#apply((table) => table.putWorkflow(def, registration));
      return outcome;
    });
  }

  /** Stores all of them or none. `begun`: the registrations that begin where names are new. */
  putWorkflows(defs: readonly WorkflowDef[], begun?: Registrations): Promise<void> {
    return this.#turns.run(async () => {
      await inSlices(mapInSteps(defs, writingWorkflowDefJson));
      if (begun !== undefined) await this.#requireNew(begun);
      const registrations = new Map<string, Registration>();
      for (const { name } of defs) {
        const registration = this.#registrationOf(name, begun?.get(name));
        if (registration !== undefined) registrations.set(name, registration);
      }
      await this.parts.store.putWorkflows(defs, registrations);
      await this.#apply((table) => {
        for (const def of defs) table.putWorkflow(def, registrations.get(def.name));
      });
    });
  }

  /**
   * A name that was new when the caller asked may have been registered since: then it is not the
   * caller's to change. Rejects with AppError 'conflict'.
   */
  async #requireNew(begun: ReadonlyMap<string, Registration>): Promise<void> {
    if (begun.size > 0) await this.#look();
    for (const [name, { by }] of begun) {
      const known = this.#table.registrationOf(name);
      if (this.#table.latest(name) === undefined || known?.by === by) continue;
      throw new AppError('conflict', `Somebody else has just registered the name ${name}`);
    }
  }

  #registrationOf(name: string, begun: Registration | undefined): Registration | undefined {
    return this.#table.latest(name) === undefined ? begun : this.#table.registrationOf(name);
  }

  /** False when there is none. */
  deleteWorkflow(name: string, version: number): Promise<boolean> {
    return this.#turns.run(async () => {
      const existed = await this.parts.store.deleteWorkflow(name, version);
      if (existed) await this.#apply((table) => table.deleteWorkflow(name, version));
      return existed;
    });
  }

  /** Stores all of them or none. */
  putTasks(defs: readonly TaskDef[]): Promise<void> {
    return this.#turns.run(async () => {
      await this.parts.store.putTasks(defs);
      await this.#apply((table) => defs.forEach((def) => table.putTask(def)));
    });
  }

  /** False when there is none of that name. */
  replaceTask(def: TaskDef): Promise<boolean> {
    return this.#turns.run(async () => {
      const existed = await this.parts.store.replaceTask(def);
      if (existed) await this.#apply((table) => table.putTask(def));
      return existed;
    });
  }

  /** False when there is none of that name. */
  deleteTask(name: string): Promise<boolean> {
    return this.#turns.run(async () => {
      const existed = await this.parts.store.deleteTask(name);
      if (existed) await this.#apply((table) => table.deleteTask(name));
      return existed;
    });
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

  async #look(): Promise<void> {
    if ((await this.parts.store.revision()) !== this.#storeRevision) await this.#load();
  }

  async #load(): Promise<void> {
    const { workflows, registrations, tasks, revision } = await this.parts.store.loadAll();
    this.#table = new DefinitionTable(workflows, tasks, registrations);
    this.#storeRevision = revision;
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

  #armTimer(): void {
    if (this.#stopped) return;
    this.#timer = this.#clock.after(lookMs, () => {
      this.#queueLook();
      this.#armTimer();
    });
  }
}
