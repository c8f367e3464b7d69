// A resource: named records that callers create, read, replace and delete, each with an owner,
// rights and tags (docs/add-a-resource.md is a tutorial). A declaration says what is special about
// one; everything that all of them share is here, once: who may create and who may replace, how
// many there may be, what creating and deleting means for owners and tags, two nodes that create
// the same one, and the routes.
import { requireRight, type TargetType } from '../access/access-rules.js';
import {
  endpoint,
  nothing,
  query,
  type Endpoint,
  type ListedResource,
  type Parameter,
  type Reply,
} from '../api/endpoint.js';
import { list, text, type Schema, type Shape } from '../model/schema.js';
import type { RouteRequest } from '../api/route.js';
import { tagRoutes } from '../api/tag-routes.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { Tag } from '../model/tag.js';
import { changeRecord, removeWith, saveRecord } from '../operation/records/change-record.js';
import type { RecordsBound, RecordTable } from '../operation/records/record-table.js';
import type { Ports } from './ports.js';

/** The part of any resource that callers write. */
export interface AnyWritten {
  readonly name: string;
  /** Replace the tags of its name; absent: they stay. */
  readonly tags?: readonly Tag[];
}

/** A stored record is made from this and from its fields. `now`: epoch ms. */
export interface MadeFrom<Stored, Checked> {
  readonly caller: Caller;
  readonly id: string;
  /** The one that it replaces. */
  readonly known: Stored | undefined;
  readonly now: number;
  readonly checked: Checked;
}

export interface ResourceDeclaration<Written extends AnyWritten, Stored, Shown, Checked = void> {
  /** The type by which grants and tags name it. */
  readonly type: TargetType;
  /** In sentences and in the names of its endpoints; its plural has an s. */
  readonly called: string;
  /** Pattern of all of them; one has `/:name` behind it. */
  readonly path: string;
  readonly noun: {
    readonly request: Shape<Written>;
    readonly shown: { readonly schema: Schema<Awaited<Shown>> };
  };
  /** Why there are such records, in a sentence for people; absent: nothing more is told. */
  readonly about?: string;
  /** Fields that stand in the table of its page; absent: its simple ones. */
  readonly columns?: readonly string[];
  /** How many there may be, and the setting that says so. */
  readonly limit: { readonly max: number; readonly setting: string };
  /**
   * Rules that need more than the fields, and what takes time, such as sealing; `make` is given
   * what it returns. `known`: the record that is replaced. Throws or rejects with AppError.
   */
  readonly check?: (
    caller: Caller,
    fields: Omit<Written, 'tags'>,
    of: { readonly id: string; readonly known: Stored | undefined },
  ) => Checked | Promise<Checked>;
  /** How a refusal names one that is not there; absent: by what it is called, and its name. */
  readonly named?: (id: string) => string;
  readonly make: (fields: Omit<Written, 'tags'>, from: MadeFrom<Stored, Checked>) => Stored;
  /** As a caller sees it. */
  readonly show: (stored: Stored, tags: Tag[]) => Shown;
  /** Parameters that narrow a list, and what they say of one. */
  readonly filters?: Readonly<
    Record<string, { readonly parameter: Parameter; fits(stored: Stored, value: string): boolean }>
  >;
}

export type ResourcePorts<Stored> = Pick<Ports, 'clock' | 'access' | 'ownership' | 'tags'> & {
  readonly table: RecordTable<Stored>;
};

export class Resource<
  Written extends AnyWritten,
  Stored extends { readonly name: string },
  Shown,
  Checked = void,
> {
  constructor(
    protected readonly declared: ResourceDeclaration<Written, Stored, Shown, Checked>,
    protected readonly ports: ResourcePorts<Stored>,
  ) {
    ports.table.bound = boundOf(declared);
  }

  find(id: string): Stored | undefined {
    return this.ports.table.get(id);
  }

  /** Throws AppError 'not-found'. */
  get(id: string): Stored {
    const known = this.find(id);
    if (known === undefined) throw this.unknown(id);
    return known;
  }

  /** Those that the caller may read, by name. */
  list(caller: Caller): Stored[] {
    return [...this.ports.table.values()]
      .filter((stored) => this.mayRead(caller, this.idOf(stored)))
      .sort((a, b) => order(a.name, b.name) || order(this.idOf(a), this.idOf(b)));
  }

  mayRead(caller: Caller, id: string): boolean {
    return this.ports.access.may(caller, 'READ', { type: this.declared.type, id });
  }

  shown(stored: Stored): Shown {
    const { type, show } = this.declared;
    return show(stored, [...this.ports.tags.of(type, this.idOf(stored))]);
  }

  /** By which grants, tags and paths name it. */
  protected idOf(stored: Stored): string {
    return this.ports.table.codec.idOf(stored);
  }

  /**
   * Creates or replaces. Throws AppError 'forbidden', 'conflict' beyond the limit, and what the
   * resource's own check throws.
   */
  async save(caller: Caller, { tags, ...fields }: Written): Promise<Stored> {
    const { type, make } = this.declared;
    const { table, clock, ownership } = this.ports;
    const { name } = fields;
    const requireSave = (known: Stored | undefined): void => {
      this.#require(caller, known === undefined ? 'CREATE' : 'UPDATE', known && name);
    };
    requireSave(table.get(name));
    const record = await saveRecord(table, name, {
      require: requireSave,
      change: async (known) => {
        const checked = await this.checked(caller, fields, { id: name, known });
        return make(fields, { caller, id: name, known, now: clock.now(), checked });
      },
      owned: () => ownership.creating(caller, type, name),
    });
    if (tags !== undefined) await this.ports.tags.replace(caller, { type, id: name }, tags);
    return record;
  }

  /** Asks the resource's own check; undefined where there is none. */
  protected async checked(
    caller: Caller,
    fields: Omit<Written, 'tags'>,
    of: { readonly id: string; readonly known: Stored | undefined },
  ): Promise<Checked> {
    return (await this.declared.check?.(caller, fields, of)) as Checked;
  }

  /** Changes one that is there. Throws AppError 'not-found', 'forbidden'. `now`: epoch ms. */
  async change(
    caller: Caller,
    id: string,
    change: (known: Stored, now: number) => Stored,
  ): Promise<void> {
    this.get(id);
    this.requireUpdate(caller, id);
    await this.changeKnown(id, (known, now) => {
      this.requireUpdate(caller, id);
      return change(known, now);
    });
  }

  /** As `change`, for the server itself. Throws AppError 'not-found'. */
  protected changeKnown(
    id: string,
    change: (known: Stored, now: number) => Stored | Promise<Stored>,
  ): Promise<Stored> {
    return changeRecord(this.ports.table, id, (known) => {
      if (known === undefined) throw this.unknown(id);
      return change(known, this.ports.clock.now());
    });
  }

  /** Throws AppError 'forbidden'. */
  requireUpdate(caller: Caller, id: string): void {
    this.#require(caller, 'UPDATE', id);
  }

  /** Throws AppError 'forbidden'. */
  protected requireCreate(caller: Caller): void {
    this.#require(caller, 'CREATE', undefined);
  }

  /** Nothing happens when there is none. */
  async delete(id: string): Promise<void> {
    await this.remove(id);
  }

  /** False when there was none. */
  protected async remove(id: string): Promise<boolean> {
    const { table, ownership } = this.ports;
    return await removeWith(table, [id], ownership.removing(this.declared.type, id));
  }

  /** For the endpoint that lists them: its page comes from it. */
  get listed(): ListedResource {
    return listedResource(this.declared);
  }

  /** Its routes: save, list, show, delete, tags, and the list by tag. */
  endpoints(): Endpoint[] {
    const { type, called, path, noun, filters = {} } = this.declared;
    const many = `${called}s`;
    const of = called.toLowerCase();
    const { tags } = this.ports;
    const one: Reply<Shown> = { schema: noun.shown.schema };
    const all: Reply<Shown[]> = { schema: list(noun.shown.schema) };
    const shown = (found: Stored[]): Shown[] => found.map((stored) => this.shown(stored));
    const given = Object.entries(filters);
    return [
      endpoint({
        method: 'POST',
        pattern: path,
        name: `save${called}`,
        summary: `Creates or replaces a ${of}.`,
        access: { rule: 'each', type, right: 'CREATE' },
        body: noun.request,
        reply: one,
        errors: ['conflict'],
        handle: async (request, fields) => {
          request.noteObject(fields.name);
          return this.shown(await this.save(request.caller, fields));
        },
      }),
      endpoint({
        method: 'GET',
        pattern: path,
        name: `list${many}`,
        summary: `Lists ${of}s by name.`,
        access: { rule: 'each', type, right: 'READ' },
        parameters: Object.fromEntries(given.map(([name, { parameter }]) => [name, parameter])),
        reply: all,
        lists: this.listed,
        handle: (request) => shown(this.list(request.caller).filter(this.#filter(request))),
      }),
      endpoint({
        method: 'GET',
        pattern: `${path}/:name`,
        name: `get${called}`,
        summary: `Shows a ${of}.`,
        access: { rule: 'target', type, right: 'READ', id: 'name' },
        reply: one,
        errors: ['not-found'],
        handle: (request) => this.shown(this.get(request.param('name'))),
      }),
      endpoint({
        method: 'DELETE',
        pattern: `${path}/:name`,
        name: `delete${called}`,
        summary: `Deletes a ${of}; nothing happens when there is none.`,
        access: { rule: 'target', type, right: 'DELETE', id: 'name' },
        reply: nothing,
        handle: (request) => this.delete(request.param('name')),
      }),
      endpoint({
        method: 'GET',
        pattern: `${path}/tags`,
        name: `list${many}ByTag`,
        summary: `Lists the ${of}s that carry a tag.`,
        access: { rule: 'each', type, right: 'READ' },
        parameters: { tag: query(text('key:value'), { required: true }) },
        reply: all,
        handle: (request) => {
          const tag = request.queryRequired('tag');
          return shown(this.list(request.caller).filter(({ name }) => tags.has(type, name, tag)));
        },
      }),
      ...tagRoutes({
        ...{ tags, type, resource: `${path}/:name`, noun: called, variables: ['name'] },
        check: (name) => void this.get(name),
      }),
    ];
  }

  /** The filter that the parameters of a list ask for; an empty one asks for nothing. */
  #filter(request: RouteRequest): (stored: Stored) => boolean {
    const asked = Object.entries(this.declared.filters ?? {}).flatMap(([name, { fits }]) => {
      const value = request.query(name) ?? '';
      return value === '' ? [] : [(stored: Stored) => fits(stored, value)];
    });
    return (stored) => asked.every((fits) => fits(stored));
  }

  #require(caller: Caller, right: 'CREATE' | 'UPDATE', id: string | undefined): void {
    requireRight(this.ports.access, caller, right, { type: this.declared.type, id });
  }

  protected unknown(id: string): AppError {
    const { called, named } = this.declared;
    const message = named?.(id) ?? `${called} '${id.slice(0, 255)}' not found`;
    return new AppError('not-found', message);
  }
}

/** The resource of a list, as its page is made of. */
export function listedResource({
  noun,
  ...declared
}: Pick<ListedResource, 'called' | 'about' | 'columns'> & {
  readonly noun: {
    readonly request: { readonly schema: Schema };
    readonly shown: { readonly schema: Schema };
  };
}): ListedResource {
  const { called, about, columns } = declared;
  return {
    ...{ called, written: noun.request.schema, shown: noun.shown.schema },
    ...(about !== undefined && { about }),
    ...(columns !== undefined && { columns }),
  };
}

/** For the names of its endpoints. */
export function endpointNoun({ called }: { readonly called: string }): string {
  return called.replace(/ (.)/g, (_blank, letter: string) => letter.toUpperCase());
}

/** How many there may be, and the refusal of one more. */
export function boundOf({
  called,
  limit: { max, setting },
}: Pick<ResourceDeclaration<AnyWritten, unknown, unknown>, 'called' | 'limit'>): RecordsBound {
  const refusal = (size: number): AppError =>
    new AppError(
      'conflict',
      `There are ${size} ${called.toLowerCase()}s already (${setting}); delete some first`,
    );
  return { max, refusal };
}

function order(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
