// A resource whose names have versions (docs/add-a-resource.md is a tutorial): what all of them
// share, and the routes that most have. Rights, owners, tags and grants stand by name; the limit
// counts versions. The first version of a name is stored by one caller alone, also when two nodes
// create it in the same moment.
import { requireRight, type Right, type TargetType } from '../access/access-rules.js';
import {
  endpoint,
  nothing,
  query,
  type AccessRule,
  type Endpoint,
  type ListedResource,
  type Reply,
} from '../api/endpoint.js';
import { flag, integer, list, type Schema, type Shape } from '../model/schema.js';
import { tagRoutes } from '../api/tag-routes.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import { changedByOthers } from '../operation/records/change-record.js';
import type { Besides } from '../operation/records/record-table.js';
import { VersionedRecords, type Versioned } from '../operation/records/versioned-records.js';
import type { Tag } from '../model/tag.js';
import {
  endpointNoun,
  listedResource,
  boundOf,
  type AnyWritten,
  type ResourcePorts,
} from './resource.js';

/** The part of any resource with versions that callers write. */
interface AnyVersion extends AnyWritten {
  /** Absent or 0: the newest, or the one behind it. */
  readonly version?: number;
}

export interface VersionedDeclaration<Written extends AnyVersion, Stored, Shown> {
  /** The type by which grants and tags name it. */
  readonly type: TargetType;
  /** In sentences and in the names of its endpoints; its plural has an s. */
  readonly called: string;
  /** Pattern of all of them; one has `/:name` behind it. */
  readonly path: string;
  /** Pattern of one version, with `:name` and `:version`; absent: `/:name/versions/:version`. */
  readonly versionPath?: string;
  readonly noun: {
    readonly request: Shape<Written>;
    readonly shown: { readonly schema: Schema<Awaited<Shown>> };
  };
  /** Why there are such records, in a sentence for people; absent: nothing more is told. */
  readonly about?: string;
  /** Fields that stand in the table of its page; absent: its simple ones. */
  readonly columns?: readonly string[];
  /** How many versions of all names there may be, and the setting that says so. */
  readonly limit: { readonly max: number; readonly setting: string };
  /** How a refusal names one that is not there; absent: by its name, and its version. */
  readonly named?: (name: string, version: number | undefined) => string;
  /** Rules that need more than the fields; asked once the caller may save. Throws AppError. */
  readonly check?: (caller: Caller, fields: Written) => void | Promise<void>;
  /** The stored record; `known`: the version that it replaces. `now`: epoch ms. */
  readonly make: (
    fields: Omit<Written, 'tags'>,
    from: {
      readonly caller: Caller;
      readonly known: Stored | undefined;
      readonly now: number;
      readonly version: number;
    },
  ) => Stored;
  /** As a caller sees it. */
  readonly show: (stored: Stored, tags: Tag[]) => Shown;
}

/** The version that a save builds on is not there any more. */
class Gone extends Error {}

/** How often a save begins anew because others have removed or stored what it builds on. */
const newNameRoundsMax = 8;

/** Which version a save writes; `next`: one above all others. A name without any begins with 1. */
export type SavedVersion = number | 'next' | 'newest';

export class VersionedResource<Written extends AnyVersion, Stored extends Versioned, Shown> {
  readonly #records: VersionedRecords<Stored>;

  constructor(
    private readonly declared: VersionedDeclaration<Written, Stored, Shown>,
    private readonly ports: ResourcePorts<Stored>,
  ) {
    this.#records = new VersionedRecords(ports.table);
    ports.table.bound = boundOf(declared);
  }

  get #one(): Reply<Shown> {
    return { schema: this.declared.noun.shown.schema };
  }

  get #all(): Reply<Shown[]> {
    return { schema: list(this.declared.noun.shown.schema) };
  }

  shown(stored: Stored): Shown {
    const { type, show } = this.declared;
    return show(stored, [...this.ports.tags.of(type, stored.name)]);
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

  /** Every version of a name, newest first. Throws AppError 'not-found'. */
  versions(name: string): Stored[] {
    this.get(name);
    return this.#records.versions(name);
  }

  /** Every version that the caller may read, by name, newest first. */
  list(caller: Caller): Stored[] {
    return this.#readable(caller).flatMap((name) => this.#records.versions(name));
  }

  /** The newest versions that the caller may read, by name. */
  listNewest(caller: Caller): Stored[] {
    return this.#readable(caller).map((name) => this.get(name));
  }

  #readable(caller: Caller): string[] {
    return [...this.#records.names()].filter((name) => this.may(caller, 'READ', name)).sort();
  }

  may(caller: Caller, right: Right, name: string): boolean {
    return this.ports.access.may(caller, right, { type: this.declared.type, id: name });
  }

  /** Throws AppError 'forbidden'. */
  protected require(caller: Caller, right: Right, name: string | undefined): void {
    requireRight(this.ports.access, caller, right, { type: this.declared.type, id: name });
  }

  /** Throws AppError 'forbidden' to who may not save under this name. */
  requireSave(caller: Caller, name: string): void {
    if (this.has(name)) this.require(caller, 'UPDATE', name);
    else this.require(caller, 'CREATE', undefined);
  }

  /**
   * Stores a version. Unless `keepsAuthor`, one that is there is forgotten with who created it, and
   * when. Throws AppError 'forbidden', 'conflict' beyond the limit, and what the resource's own
   * check throws.
   */
  async save(
    caller: Caller,
    sent: Written,
    version: SavedVersion,
    { keepsAuthor }: { readonly keepsAuthor: boolean } = { keepsAuthor: true },
  ): Promise<Stored> {
    this.requireSave(caller, sent.name);
    await this.declared.check?.(caller, sent);
    const { tags, ...fields } = sent;
    const stored = await this.#store(caller, fields, version, keepsAuthor);
    if (tags !== undefined) {
      await this.ports.tags.replace(caller, { type: this.declared.type, id: sent.name }, tags);
    }
    return stored;
  }

  async #store(
    caller: Caller,
    fields: Omit<Written, 'tags'>,
    version: SavedVersion,
    keepsAuthor: boolean,
  ): Promise<Stored> {
    const { name } = fields;
    for (let round = 0; round < newNameRoundsMax; round++) {
      // Somebody else may have saved the name meanwhile: then this call came later.
      this.requireSave(caller, name);
      const stored = this.has(name)
        ? await this.#storeBeside(caller, fields, version, keepsAuthor)
        : await this.saveFirst(caller, fields, typeof version === 'number' ? version : 1);
      if (stored !== undefined) return stored;
    }
    throw changedByOthers(name);
  }

  /**
   * A version of a name that has some; undefined, and nothing is stored: the name is gone, or a
   * version of that number has come or gone. Rights are asked in the turn of the save: by then the
   * name may be another caller's.
   */
  async #storeBeside(
    caller: Caller,
    fields: Omit<Written, 'tags'>,
    version: SavedVersion,
    keepsAuthor: boolean,
  ): Promise<Stored | undefined> {
    const { name } = fields;
    const now = this.ports.clock.now();
    const made = (stored: number, known?: Stored): Stored => {
      if (!this.has(name)) throw new Gone();
      this.requireSave(caller, name);
      return this.declared.make(fields, { caller, known, now, version: stored });
    };
    const written = version === 'newest' ? this.find(name)?.version : version;
    if (written === undefined) return undefined;
    try {
      if (written === 'next' || this.find(name, written) === undefined) {
        return await this.#records.add(name, made, written === 'next' ? undefined : written);
      }
      return await this.#records.change(name, written, (there) => {
        if (there === undefined) throw new Gone();
        return made(written, keepsAuthor ? there : undefined);
      });
    } catch (error) {
      if (error instanceof Gone) return undefined;
      throw error;
    }
  }

  /** The first version of a name; undefined, and nothing is stored: another node was faster. */
  protected async saveFirst(
    caller: Caller,
    fields: Omit<Written, 'tags'>,
    version: number,
  ): Promise<Stored | undefined> {
    const { clock, ownership } = this.ports;
    const now = clock.now();
    const first = this.declared.make(fields, { caller, known: undefined, now, version });
    const besides = ownership.creating(caller, this.declared.type, fields.name);
    return (await this.#records.addFirst(first, besides)) ? first : undefined;
  }

  /** Changes the newest version of a name. Throws AppError 'not-found'. `now`: epoch ms. */
  protected async changeNewest(
    name: string,
    change: (known: Stored, now: number) => Stored,
  ): Promise<void> {
    const { version } = this.get(name);
    await this.#records.change(name, version, (known) => {
      if (known === undefined) throw this.#unknown(name, version);
      return change(known, this.ports.clock.now());
    });
  }

  /** Removes every version. Throws AppError 'not-found'. */
  async delete(name: string): Promise<void> {
    if (!(await this.#records.removeAll(name, () => this.#removing(name)))) {
      throw this.#unknown(name);
    }
  }

  /** Throws AppError 'not-found'. */
  async deleteVersion(name: string, version: number): Promise<void> {
    if (!(await this.#records.removeVersion(name, version, () => this.#removing(name)))) {
      throw this.#unknown(name, version);
    }
  }

  /** The end of what stands by the name. */
  #removing(name: string): Besides {
    return this.ports.ownership.removing(this.declared.type, name);
  }

  /** For the endpoint that lists the newest versions: its page comes from it. */
  get listed(): ListedResource {
    return listedResource(this.declared);
  }

  /** Its routes, unless the contract gives it others: then it takes those that fit. */
  endpoints(): Endpoint[] {
    return [this.saving(), ...this.reading(), ...this.deleting(), ...this.tagging()];
  }

  /** The route that stores one. */
  saving(): Endpoint {
    const { type, called, path, noun } = this.declared;
    return endpoint({
      method: 'POST',
      pattern: path,
      name: `save${this.#noun}`,
      summary: `Stores a ${called.toLowerCase()}.`,
      access: { rule: 'each', type, right: 'CREATE' },
      parameters: { newVersion: query(flag('Store as the version behind the newest')) },
      body: noun.request,
      reply: this.#one,
      errors: ['conflict'],
      handle: async (request, sent) => {
        request.noteObject(sent.name);
        const version = request.queryBoolean('newVersion') ? 'next' : 'newest';
        return this.shown(await this.save(request.caller, sent, sent.version || version));
      },
    });
  }

  /** The routes that list all names, show one version, and list the versions of a name. */
  reading(): Endpoint[] {
    const { type, called, path } = this.declared;
    const of = called.toLowerCase();
    const access: AccessRule = { rule: 'target', type, right: 'READ', id: 'name' };
    const shown = (found: Stored[]): Shown[] => found.map((stored) => this.shown(stored));
    return [
      endpoint({
        method: 'GET',
        pattern: path,
        name: `list${this.#noun}s`,
        summary: `Lists the newest version of every ${of}, by name.`,
        access: { rule: 'each', type, right: 'READ' },
        reply: this.#all,
        lists: this.listed,
        handle: ({ caller }) => shown(this.listNewest(caller)),
      }),
      endpoint({
        method: 'GET',
        pattern: `${path}/:name`,
        name: `get${this.#noun}`,
        summary: `Shows a version of a ${of}, the newest unless one is named.`,
        access,
        parameters: { version: query(integer()) },
        reply: this.#one,
        errors: ['not-found'],
        handle: (request) =>
          this.shown(this.get(request.param('name'), request.queryInteger('version'))),
      }),
      endpoint({
        method: 'GET',
        pattern: `${path}/:name/versions`,
        name: `list${this.#noun}Versions`,
        summary: `Lists the versions of a ${of}, newest first.`,
        access,
        reply: this.#all,
        errors: ['not-found'],
        handle: (request) => shown(this.versions(request.param('name'))),
      }),
    ];
  }

  /** The routes that delete: all of a name, and one version. */
  deleting(): Endpoint[] {
    const { type, called, path, versionPath = `${path}/:name/versions/:version` } = this.declared;
    const of = called.toLowerCase();
    const common = {
      method: 'DELETE',
      access: { rule: 'target', type, right: 'DELETE', id: 'name' },
      reply: nothing,
      errors: ['not-found'],
    } as const;
    return [
      endpoint({
        ...common,
        pattern: `${path}/:name`,
        name: `delete${this.#noun}`,
        summary: `Deletes a ${of} with all its versions.`,
        handle: (request) => this.delete(request.param('name')),
      }),
      endpoint({
        ...common,
        pattern: versionPath,
        name: `delete${this.#noun}Version`,
        summary: `Deletes one version of a ${of}.`,
        path: { version: integer() },
        handle: (request) =>
          this.deleteVersion(request.param('name'), request.paramInteger('version')),
      }),
    ];
  }

  /** The routes of the tags of a name. */
  tagging(): Endpoint[] {
    const { tags } = this.ports;
    const { type, path } = this.declared;
    return tagRoutes({
      ...{ tags, type, resource: `${path}/:name`, noun: this.#noun, variables: ['name'] },
      check: (name) => void this.get(name),
    });
  }

  get #noun(): string {
    return endpointNoun(this.declared);
  }

  #unknown(name: string, version?: number): AppError {
    const { called, named = quoted } = this.declared;
    return new AppError('not-found', `${called} ${named(name, version)} not found`);
  }
}

function quoted(name: string, version: number | undefined): string {
  return `'${name.slice(0, 255)}'${version === undefined ? '' : ` version ${version}`}`;
}
