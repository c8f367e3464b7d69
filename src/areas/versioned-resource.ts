// A resource whose names have versions: what all of them share beside the routes that the contract
// gives each. Rights, owners and grants stand by name; the limit counts versions. The first version
// of a name is stored by one caller alone, also when two nodes create it in the same moment.
import { requireRight, type TargetType } from '../access/access-rules.js';
import { deletionRoutes } from '../api/deletion-routes.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { RecordTable } from '../operation/records/record-table.js';
import { VersionedRecords, type Versioned } from '../operation/records/versioned-records.js';
import type { Ports } from './ports.js';

export interface VersionedDeclaration<Written extends Versioned, Stored> {
  /** What grants and tags name it by. */
  readonly type: TargetType;
  /** In sentences and in the names of its endpoints; its plural has an s. */
  readonly called: string;
  /** How many versions of all names there may be, and the setting that says so. */
  readonly limit: { readonly max: number; readonly setting: string };
  /** What is stored; `known`: the version that it replaces. `now`: epoch ms. */
  readonly make: (
    fields: Written,
    from: { readonly caller: Caller; readonly known: Stored | undefined; readonly now: number },
  ) => Stored;
}

type VersionedPorts<Stored> = Pick<Ports, 'clock' | 'access' | 'ownership'> & {
  readonly table: RecordTable<Stored>;
};

export class VersionedResource<Written extends Versioned, Stored extends Versioned> {
  readonly #records: VersionedRecords<Stored>;

  constructor(
    private readonly declared: VersionedDeclaration<Written, Stored>,
    private readonly ports: VersionedPorts<Stored>,
  ) {
    this.#records = new VersionedRecords(ports.table);
  }

  has(name: string): boolean {
    return this.#records.has(name);
  }

  /** The newest version unless one is named. */
  find(name: string, version?: number): Stored | undefined {
    return version === undefined
      ? this.#records.newest(name)
      : this.#records.version(name, version);
  }

  /** As `find`. Throws AppError 'not-found'. */
  get(name: string, version?: number): Stored {
    const found = this.find(name, version);
    if (found === undefined) throw this.#unknown(name, version);
    return found;
  }

  /** Every version that the caller may read, by name, newest first. */
  list(caller: Caller): Stored[] {
    const { type } = this.declared;
    return [...this.#records.names()]
      .filter((id) => this.ports.access.may(caller, 'READ', { type, id }))
      .sort()
      .flatMap((name) => this.#records.versions(name));
  }

  /** Throws AppError 'forbidden' to who may not save under this name. */
  requireSave(caller: Caller, name: string): void {
    const isNew = !this.has(name);
    requireRight(this.ports.access, caller, isNew ? 'CREATE' : 'UPDATE', {
      type: this.declared.type,
      id: isNew ? undefined : name,
    });
  }

  /**
   * Stores the version that `fields` say, or with `isNext` one above all others. Throws AppError
   * 'forbidden', and 'conflict' beyond the limit.
   */
  async save(caller: Caller, fields: Written, isNext: boolean): Promise<void> {
    const { name, version } = fields;
    this.requireSave(caller, name);
    if (!this.has(name)) {
      if (await this.saveFirst(caller, isNext ? { ...fields, version: 1 } : fields)) return;
      // Another node was faster: from here on as if this call had come later.
      this.requireSave(caller, name);
    }
    if (isNext || this.find(name, version) === undefined) this.#requireSpace();
    const now = this.ports.clock.now();
    const made = (known: Stored | undefined, stored: Written): Stored =>
      this.declared.make(stored, { caller, known, now });
    if (isNext) {
      await this.#records.add(name, (next) => made(undefined, { ...fields, version: next }));
    } else {
      await this.#records.change(name, version, (known) => made(known, fields));
    }
  }

  /** The first version of a name; false, and nothing is stored, when another node was faster. */
  protected async saveFirst(caller: Caller, fields: Written): Promise<boolean> {
    this.#requireSpace();
    const { clock, ownership } = this.ports;
    const first = this.declared.make(fields, { caller, known: undefined, now: clock.now() });
    const isStored = await this.#records.addFirst(first);
    if (isStored) await ownership.created(caller, this.declared.type, fields.name);
    return isStored;
  }

  /** Removes every version. Throws AppError 'not-found'. */
  async delete(name: string): Promise<void> {
    if (!(await this.#records.removeAll(name))) throw this.#unknown(name);
    await this.ports.ownership.removed(this.declared.type, name);
  }

  /** Throws AppError 'not-found'. */
  async deleteVersion(name: string, version: number): Promise<void> {
    if (!(await this.#records.removeVersion(name, version))) throw this.#unknown(name, version);
    if (!this.has(name)) await this.ports.ownership.removed(this.declared.type, name);
  }

  /** The routes that delete: all of a name, and one version. */
  deletions(paths: { readonly resource: string; readonly version: string }): Endpoint[] {
    const { type, called } = this.declared;
    return deletionRoutes({
      ...{ type, ...paths, noun: called, called: called.toLowerCase() },
      deleteAll: (name) => this.delete(name),
      deleteVersion: (name, version) => this.deleteVersion(name, version),
    });
  }

  #requireSpace(): void {
    const { called, limit } = this.declared;
    const { size } = this.#records;
    if (size < limit.max) return;
    const many = `${called.toLowerCase()}s`;
    throw new AppError('conflict', `There are ${size} ${many} already (${limit.setting})`);
  }

  #unknown(name: string, version?: number): AppError {
    const which = version === undefined ? '' : ` version ${version}`;
    const { called } = this.declared;
    return new AppError('not-found', `${called} '${name.slice(0, 255)}'${which} not found`);
  }
}
