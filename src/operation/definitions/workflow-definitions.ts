// Operations on workflow definitions (contract-core 6.6): register, replace, check, read, list,
// delete. Audit fields are the server's: what a body says about times and persons does not count
// (invariants S15).
import type { Clock } from '../../std/clock.js';
import { KeyedChain } from '../../std/keyed-chain.js';
import { inSlices, mapInSteps } from '../../std/slices.js';
import type { AccessRules, Right } from '../../access/access-rules.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { present } from '../../model/record-reader.js';
import { classifierOf, type Classifier } from '../../model/summaries.js';
import { validationFailed } from '../../model/validation.js';
import { validatingWorkflowDef, type WorkflowRules } from '../../model/validate-workflow-def.js';
import type { Registration } from '../../model/name-registration.js';
import type { WorkflowDef, WorkflowDefSummary } from '../../model/workflow-def.js';
import { toWorkflowDefSummary } from '../../model/workflow-def-json.js';
import type { GivenTags } from '../../model/definition-tags.js';
import type { DefinitionOwnership } from '../ownership.js';
import { changedByOthers } from '../records/change-record.js';
import {
  newNameRoundsMax,
  nothingLeaves,
  permitted,
  readable,
  requireDeleteRight,
  requireStoreRight,
} from './definition-access.js';
import type { NameClaims } from './name-claims.js';
import type { TaskUse } from './task-use.js';
import type { WorkflowUse } from './workflow-use.js';
import type { DefinitionWarnings } from './definition-warnings.js';
import { DefinitionTags, type TagFilter, type TagStore } from './definition-tags.js';
import type { Definitions, StillMay } from './definitions.js';

export interface WorkflowDefinitionsParts {
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly rules: WorkflowRules;
  readonly access: AccessRules;
  readonly tags: TagStore;
  readonly ownership: DefinitionOwnership;
  readonly claims: Pick<NameClaims, 'workflow'>;
  readonly taskUse: Pick<TaskUse, 'require'>;
  readonly workflowUse: Pick<WorkflowUse, 'require'>;
  readonly warnings: DefinitionWarnings;
}

export interface RegisterOptions {
  /** Replace an existing (name, version) instead of refusing. */
  readonly overwrite: boolean;
  /** Store under the version after the highest one. */
  readonly newVersion: boolean;
  readonly caller: Caller;
  /** Tags that came with the definitions. */
  readonly tags?: readonly GivenTags[];
}

export interface WorkflowFilter {
  /** Absent or empty: any. */
  readonly classifiers?: readonly Classifier[];
  readonly name?: string;
  readonly tag?: TagFilter;
  /** Beside READ. */
  readonly rights?: readonly Right[];
}

/** Attempts at drawing a version number while other nodes take the same one. */
const newVersionAttemptsMax = 5;

/** A registration that begins, or the question that is asked again of a name that was known. */
interface Asked {
  readonly begun: Registration | undefined;
  readonly stillMay: StillMay;
}

export class WorkflowDefinitions {
  readonly tags: DefinitionTags;
  /** Of one name, one after the other. */
  readonly #nextVersions = new KeyedChain();

  constructor(private readonly parts: WorkflowDefinitionsParts) {
    this.tags = new DefinitionTags(parts.tags, 'WORKFLOW_DEF');
  }

  /**
   * POST of one definition. Throws AppError 'validation' with all violations, 'conflict' when it
   * exists and may not be overwritten.
   */
  async register(def: WorkflowDef, options: RegisterOptions): Promise<void> {
    const place = this.#replaces(def, options) ? 'updateWorkflowDef' : 'registerWorkflowDef';
    await this.#check(def, `${place}.arg0`);
    for (let round = 0; ; round++) {
      if (round === newNameRoundsMax) throw changedByOthers(def.name);
      const created = await this.#newNames([def], options.caller);
      this.#requireUse(options.caller, def);
      const stillMay = this.#stillMay(options.caller, created);
      const outcome = await this.#owning(created, options.caller, () =>
        this.#store(def, options, { begun: created.get(def.name), stillMay }),
      );
      if (outcome === 'exists') {
        throw new AppError('conflict', `Workflow with ${def.name}.${def.version} already exists!`);
      }
      if (outcome !== 'taken') break;
    }
    this.parts.warnings.tell(def);
    await this.tags.keep(options.caller, options.tags ?? []);
  }

  #replaces(def: WorkflowDef, { overwrite, newVersion }: RegisterOptions): boolean {
    const known = this.parts.definitions.table.exact(def.name, def.version);
    return overwrite && known !== undefined && !newVersion;
  }

  #store(
    def: WorkflowDef,
    options: RegisterOptions,
    { begun, stillMay }: Asked,
  ): Promise<'stored' | 'exists' | 'taken'> {
    if (options.newVersion) return this.#registerNext(def, options, { begun, stillMay });
    const made = this.#replaces(def, options)
      ? this.#updated(def, options)
      : this.#created(def, options);
    return this.parts.definitions.putWorkflow(made, !options.overwrite, begun, stillMay);
  }

  /**
   * PUT of a list: each is created or replaced, all or none. Returns the names, one per element.
   * Throws AppError 'validation' when the list is empty or any element breaks a rule.
   */
  async registerAll(
    defs: readonly WorkflowDef[],
    options: Omit<RegisterOptions, 'overwrite'>,
  ): Promise<string[]> {
    if (defs.length === 0) {
      throw validationFailed([
        { path: 'updateWorkflowDef.arg0', message: 'WorkflowDefList is empty' },
      ]);
    }
    const { rules } = this.parts;
    const found = await inSlices(
      mapInSteps(defs, (def, index) =>
        validatingWorkflowDef(def, `updateWorkflowDef.arg0[${index}]`, rules),
      ),
    );
    const violations = found.flat();
    if (violations.length > 0) throw validationFailed(violations);
    let left = defs;
    for (let round = 0; round < newNameRoundsMax && left.length > 0; round++) {
      left = left.slice(await this.#storeAll(left, options));
    }
    if (left[0] !== undefined) throw changedByOthers(left[0].name);
    for (const def of defs) this.parts.warnings.tell(def);
    await this.tags.keep(options.caller, options.tags ?? []);
    return defs.map((def) => def.name);
  }

  /** How many of them, the first ones; the others have names that others took meanwhile. */
  async #storeAll(
    defs: readonly WorkflowDef[],
    options: Omit<RegisterOptions, 'overwrite'>,
  ): Promise<number> {
    const created = await this.#newNames(defs, options.caller);
    for (const def of defs) this.#requireUse(options.caller, def);
    const stillMay = this.#stillMay(options.caller, created);
    return await this.#owning(created, options.caller, () =>
      options.newVersion
        ? this.#registerNextOfEach(defs, options, { created, stillMay })
        : this.parts.definitions.putWorkflows(
            defs.map((def) => this.#updated(def, options)),
            created,
            stillMay,
          ),
    );
  }

  async #registerNextOfEach(
    defs: readonly WorkflowDef[],
    by: { readonly caller: Caller },
    {
      created,
      stillMay,
    }: { readonly created: ReadonlyMap<string, Registration>; readonly stillMay: StillMay },
  ): Promise<number> {
    for (const [index, def] of defs.entries()) {
      const begun = created.get(def.name);
      const outcome = await this.#registerNext(def, by, { begun, stillMay });
      if (outcome === 'taken') return index;
    }
    return defs.length;
  }

  /**
   * Resolves with what is accepted and will not work here. Rejects with AppError 'validation' with
   * all violations; stores nothing.
   */
  async validate(def: WorkflowDef): Promise<string[]> {
    await this.#check(def, 'validateWorkflowDef.arg0');
    return this.parts.warnings.of(def);
  }

  /** Highest version when `version` is absent. Throws AppError 'not-found'. */
  get(name: string, version?: number): WorkflowDef {
    const { table } = this.parts.definitions;
    const def = version === undefined ? table.latest(name) : table.exact(name, version);
    if (def !== undefined) return def;
    throw new AppError(
      'not-found',
      `No such workflow found by name: ${name}, version: ${version ?? null}`,
    );
  }

  /** All versions of all names that the caller may see. */
  list(caller: Caller, filter: WorkflowFilter): WorkflowDef[] {
    const { definitions, access } = this.parts;
    const { table } = definitions;
    const { tag } = filter;
    const named = filter.name === undefined ? table.names() : [filter.name];
    const names = tag === undefined ? named : named.filter((name) => this.tags.has(name, tag));
    const all = names.flatMap((name) => table.versions(name));
    const { rights = [], classifiers = [] } = filter;
    const defs = permitted({ access, caller, type: 'WORKFLOW_DEF', rights }, all);
    return classifiers.length === 0
      ? defs
      : defs.filter((def) => classifiers.includes(classifierOf(def)));
  }

  /** Lowest version first; empty for an unknown name. */
  versions(name: string): WorkflowDefSummary[] {
    return this.parts.definitions.table.versions(name).map(toWorkflowDefSummary);
  }

  /** Those that the caller may see. */
  names(caller: Caller): string[] {
    const { definitions, access } = this.parts;
    const named = definitions.table.names().map((name) => ({ name }));
    return readable(access, caller, 'WORKFLOW_DEF', named).map(({ name }) => name);
  }

  /** By name, lowest version first. */
  namesAndVersions(caller: Caller): { [name: string]: WorkflowDefSummary[] } {
    const result = Object.create(null) as { [name: string]: WorkflowDefSummary[] };
    for (const name of this.names(caller)) result[name] = this.versions(name);
    return result;
  }

  /** The highest version of each name. */
  latestVersions(caller: Caller): WorkflowDef[] {
    const { table } = this.parts.definitions;
    return this.names(caller).flatMap((name) => table.latest(name) ?? []);
  }

  /** Executions keep what they started with. Throws AppError 'not-found', 'forbidden'. */
  async delete(caller: Caller, name: string, version: number): Promise<void> {
    const { definitions, ownership, access } = this.parts;
    let leave = nothingLeaves;
    const isGone = await definitions.deleteWorkflow(name, version, async () => {
      await ownership.refresh();
      requireDeleteRight(access, caller, 'WORKFLOW_DEF', name);
      leave = ownership.leaving('WORKFLOW_DEF', name);
      return true;
    });
    if (!isGone) {
      throw new AppError('not-found', `No such workflow definition: ${name} version: ${version}`);
    }
    if (definitions.table.latest(name) === undefined) await leave();
  }

  /** Whether the caller may still store under names that were known when he was asked. */
  #stillMay(caller: Caller, begun: ReadonlyMap<string, Registration>): StillMay {
    const { access, definitions, ownership } = this.parts;
    return async (asked) => {
      const known = asked.filter((name) => !begun.has(name));
      if (known.some((name) => definitions.table.latest(name) === undefined)) return false;
      if (known.length > 0) await ownership.refresh();
      for (const name of known) {
        requireStoreRight(access, caller, 'WORKFLOW_DEF', { name, exists: true });
      }
      return true;
    };
  }

  /**
   * Names that are not in use yet, with the registrations that begin; a new version of a known name
   * is an update. Throws AppError 'forbidden' unless the caller may store all.
   */
  async #newNames(
    defs: readonly WorkflowDef[],
    caller: Caller,
  ): Promise<Map<string, Registration>> {
    const { access, definitions } = this.parts;
    const isNew = (name: string): boolean => definitions.table.latest(name) === undefined;
    const names = [...new Set(defs.map(({ name }) => name))];
    // One of another node may not be known here yet, and is not the caller's to take over.
    if (!isAdministrator(caller) && names.some(isNew)) await definitions.refresh();
    for (const name of names) {
      requireStoreRight(access, caller, 'WORKFLOW_DEF', { name, exists: !isNew(name) });
    }
    const begun = new Map<string, Registration>();
    for (const name of names.filter(isNew)) {
      begun.set(name, await this.parts.claims.workflow(caller, name));
    }
    return begun;
  }

  /** Throws AppError 'forbidden' for a task or a workflow that the caller may not use. */
  #requireUse(caller: Caller, def: WorkflowDef): void {
    this.parts.taskUse.require(caller, def);
    this.parts.workflowUse.require(caller, def);
  }

  /** Makes the caller the owner of those of the registrations that begin by what is stored. */
  async #owning<T>(
    begun: ReadonlyMap<string, Registration>,
    caller: Caller,
    store: () => Promise<T>,
  ): Promise<T> {
    if (begun.size === 0) return await store();
    const { definitions, ownership } = this.parts;
    const marks = new Map([...begun].map(([name, { id }]) => [name, id]));
    const creation = await ownership.begin(caller, 'WORKFLOW_DEF', marks);
    const outcome = await store();
    await definitions.refresh();
    await creation.end((name) => definitions.table.registrationOf(name)?.id === marks.get(name));
    return outcome;
  }

  async #check(def: WorkflowDef, path: string): Promise<void> {
    const violations = await inSlices(validatingWorkflowDef(def, path, this.parts.rules));
    if (violations.length > 0) throw validationFailed(violations);
  }

  #registerNext(
    def: WorkflowDef,
    by: { readonly caller: Caller },
    asked: Asked,
  ): Promise<'stored' | 'taken'> {
    return this.#nextVersions.run(def.name, () => this.#registerNextInTurn(def, by, asked));
  }

  async #registerNextInTurn(
    def: WorkflowDef,
    by: { readonly caller: Caller },
    { begun, stillMay }: Asked,
  ): Promise<'stored' | 'taken'> {
    const { definitions } = this.parts;
    for (let attempt = 0; attempt < newVersionAttemptsMax; attempt++) {
      const latest = definitions.table.latest(def.name);
      const version = latest === undefined ? def.version : latest.version + 1;
      const next = this.#created({ ...def, version }, by);
      const outcome = await definitions.putWorkflow(next, true, begun, stillMay);
      if (outcome !== 'exists') return outcome;
    }
    throw changedByOthers(def.name);
  }

  #created(def: WorkflowDef, by: { readonly caller: Caller }): WorkflowDef {
    const { createdBy: _createdBy, updatedBy: _updatedBy, ...rest } = def;
    return {
      ...rest,
      createTime: this.parts.clock.now(),
      updateTime: 0,
      ...present({ createdBy: by.caller.id || undefined }),
    };
  }

  /** The author and the time of creation stay; a definition that is not there yet is made now. */
  #updated(def: WorkflowDef, by: { readonly caller: Caller }): WorkflowDef {
    const { createdBy: _createdBy, updatedBy: _updatedBy, ...rest } = def;
    const known = this.parts.definitions.table.exact(def.name, def.version);
    const now = this.parts.clock.now();
    const person = by.caller.id || undefined;
    return {
      ...rest,
      createTime: known?.createTime ?? now,
      updateTime: now,
      ...present({
        createdBy: known === undefined ? person : known.createdBy,
        updatedBy: person,
      }),
    };
  }
}
