// A resource that one call creates and another replaces, beside `Resource`, where one call does
// both. Its records have an id, which a caller chooses or the server draws; grants, tags and paths
// name them by it. What is special about its routes stands in the declaration, because the contract
// fixes their paths and what they answer.
import {
  endpoint,
  listOf,
  nothing,
  one,
  orNothing,
  type AccessRule,
  type AuditRule,
  type Endpoint,
  type Reply,
} from '../api/endpoint.js';
import { tagRoutes } from '../api/tag-routes.js';
import type { Caller } from '../model/caller.js';
import { AppError } from '../model/errors.js';
import type { Tag } from '../model/tag.js';
import { writesMax } from '../store/record-store.js';
import {
  endpointNoun,
  Resource,
  type AnyWritten,
  type ResourceDeclaration,
  type ResourcePorts,
} from './resource.js';

/** The terms of one route; absent: as such routes have them. */
interface RouteTerms {
  readonly pattern?: string;
  readonly summary: string;
  readonly audit?: AuditRule;
}

export interface CreatedDeclaration<
  Written extends AnyWritten,
  Stored,
  Shown,
  Checked,
> extends ResourceDeclaration<Written, Stored, Shown, Checked> {
  /** The variable of its paths. */
  readonly variable: 'id' | 'name';
  readonly newId: (fields: Omit<Written, 'tags'>) => string;
  /** How a refusal names ids that are taken. */
  readonly taken: (ids: string) => string;
  /** Adds to the answer of the creation; absent: it shows no more than others do. */
  readonly showCreated?: (
    shown: Awaited<Shown>,
    of: { readonly fields: Omit<Written, 'tags'>; readonly checked: Checked },
  ) => Awaited<Shown>;
  /** False: none has tags. */
  readonly isTagged?: false;
  readonly routes: {
    /** Absent, of these two: the area has its own. */
    readonly create?: RouteTerms;
    readonly replace?: RouteTerms;
    readonly list?: Omit<RouteTerms, 'summary'>;
    /** `unknown`: what is answered when there is none; absent: 404. */
    readonly show: RouteTerms & { readonly unknown?: 'nothing' };
    readonly delete: RouteTerms;
  };
}

interface Created<Written, Stored, Checked> {
  readonly stored: Stored;
  readonly fields: Omit<Written, 'tags'>;
  readonly checked: Checked;
}

export class CreatedResource<
  Written extends AnyWritten,
  Stored extends { readonly name: string },
  Shown,
  Checked = void,
> extends Resource<Written, Stored, Shown, Checked> {
  constructor(
    protected override readonly declared: CreatedDeclaration<Written, Stored, Shown, Checked>,
    ports: ResourcePorts<Stored>,
  ) {
    super(declared, ports);
  }

  /**
   * Stores a new one, and answers as its route does; `note` is told its id. Throws AppError
   * 'forbidden', 'conflict' for an id that is taken and beyond the limit, and what the resource's
   * own check throws.
   */
  async create(
    caller: Caller,
    written: Written,
    note: (id: string) => void = () => undefined,
  ): Promise<Awaited<Shown>> {
    const [created] = await this.createAll(caller, [written]);
    const { stored, ...of } = created as Created<Written, Stored, Checked>;
    note(this.idOf(stored));
    const shown = await this.#answer(stored);
    return this.declared.showCreated?.(shown, of) ?? shown;
  }

  /** As `create` for several: all are stored, or none. */
  async createAll(
    caller: Caller,
    all: readonly Written[],
  ): Promise<Created<Written, Stored, Checked>[]> {
    this.requireCreate(caller);
    const { taken } = this.declared;
    const many = `${this.declared.called.toLowerCase()}s`;
    if (all.length > writesMax) {
      throw new AppError('bad-request', `The body may have ${writesMax} ${many} at most`);
    }
    const made = new Map<string, Created<Written, Stored, Checked>>();
    for (const { tags: _beside, ...fields } of all) {
      const id = this.declared.newId(fields);
      const created = await this.#make(caller, id, fields);
      if (made.has(id) || this.find(id) !== undefined) throw new AppError('conflict', taken(id));
      made.set(id, created);
    }
    if (made.size === 0) return [];
    const created = [...made.values()];
    if (!(await this.#store(caller, created))) {
      throw new AppError('conflict', taken([...made.keys()].join(', ')));
    }
    for (const [index, id] of [...made.keys()].entries()) {
      await this.#replaceTags(caller, id, (all[index] as Written).tags);
    }
    return created;
  }

  /**
   * Replaces one, and answers as its route does. Throws AppError 'not-found', 'forbidden', and what
   * the resource's own check throws.
   */
  async replace(caller: Caller, id: string, { tags, ...fields }: Written): Promise<Awaited<Shown>> {
    this.get(id);
    this.requireUpdate(caller, id);
    const stored = await this.changeKnown(id, async (known, now) => {
      this.requireUpdate(caller, id);
      const checked = await this.checked(caller, fields, { id, known });
      this.requireUpdate(caller, id);
      return this.declared.make(fields, { caller, id, known, now, checked });
    });
    await this.#replaceTags(caller, id, tags);
    return await this.#answer(stored);
  }

  /** Throws AppError 'not-found'. */
  override async delete(id: string): Promise<void> {
    if (!(await this.remove(id))) throw this.unknown(id);
  }

  /** All of some, as callers see them. */
  protected shownAll(found: readonly Stored[]): Promise<Awaited<Shown>[]> {
    return Promise.all(found.map((stored) => this.shown(stored)));
  }

  override endpoints(): Endpoint[] {
    const { create, replace } = this.declared.routes;
    return [
      ...(create ? [this.#creating(create)] : []),
      ...(replace ? [this.#replacing(replace)] : []),
      ...[this.#listing(), this.#showing(), this.#deleting()],
      ...this.#tagging(),
    ];
  }

  #creating(terms: RouteTerms): Endpoint {
    const { type, path, noun } = this.declared;
    return endpoint({
      ...{ method: 'POST', pattern: path, name: `create${this.#noun}`, ...terms },
      access: { rule: 'each', type, right: 'CREATE' },
      body: noun.request,
      reply: this.#one,
      errors: ['conflict'],
      handle: (request, fields) =>
        this.create(request.caller, fields, (id) => request.noteObject(id)),
    });
  }

  #replacing(terms: RouteTerms): Endpoint {
    const { noun, variable } = this.declared;
    return endpoint({
      ...{ method: 'PUT', pattern: this.#onePath, name: `update${this.#noun}`, ...terms },
      access: this.#access('UPDATE'),
      body: noun.request,
      reply: this.#one,
      errors: ['not-found'],
      handle: (request, fields) => this.replace(request.caller, request.param(variable), fields),
    });
  }

  #listing(): Endpoint {
    const { type, called, path, noun, routes } = this.declared;
    return endpoint({
      ...{ method: 'GET', pattern: path, name: `list${this.#noun}s`, ...routes.list },
      summary: `Lists ${called.toLowerCase()}s by name.`,
      access: { rule: 'each', type, right: 'READ' },
      reply: listOf<Awaited<Shown>>(noun.shown),
      lists: this.listed,
      handle: ({ caller }) => this.shownAll(this.list(caller)),
    });
  }

  #showing(): Endpoint {
    const { variable, routes } = this.declared;
    const { unknown, ...terms } = routes.show;
    const isRefused = unknown === undefined;
    return endpoint({
      ...{ method: 'GET', pattern: this.#onePath, name: `get${this.#noun}`, ...terms },
      access: this.#access('READ'),
      reply: isRefused ? this.#one : orNothing(this.#one),
      errors: isRefused ? ['not-found'] : [],
      handle: (request) => {
        const id = request.param(variable);
        const found = isRefused ? this.get(id) : this.find(id);
        return found && this.#answer(found);
      },
    });
  }

  #deleting(): Endpoint {
    const { variable, routes } = this.declared;
    return endpoint({
      ...{ method: 'DELETE', pattern: this.#onePath, name: `delete${this.#noun}` },
      ...routes.delete,
      access: this.#access('DELETE'),
      reply: nothing,
      errors: ['not-found'],
      handle: (request) => this.delete(request.param(variable)),
    });
  }

  #tagging(): Endpoint[] {
    const { type, variable, isTagged = true } = this.declared;
    if (!isTagged) return [];
    return tagRoutes({
      ...{ tags: this.ports.tags, type, resource: this.#onePath, noun: this.#noun },
      variables: [variable],
      check: (id) => void this.get(id),
    });
  }

  #access(right: 'READ' | 'UPDATE' | 'DELETE'): AccessRule {
    const { type, variable: id } = this.declared;
    return { rule: 'target', type, right, id };
  }

  get #onePath(): string {
    return `${this.declared.path}/:${this.declared.variable}`;
  }

  get #one(): Reply<Awaited<Shown>> {
    return one<Awaited<Shown>>(this.declared.noun.shown);
  }

  async #answer(stored: Stored): Promise<Awaited<Shown>> {
    return await this.shown(stored);
  }

  get #noun(): string {
    return endpointNoun(this.declared);
  }

  async #make(
    caller: Caller,
    id: string,
    fields: Omit<Written, 'tags'>,
  ): Promise<Created<Written, Stored, Checked>> {
    const checked = await this.checked(caller, fields, { id, known: undefined });
    const from = { caller, id, known: undefined, now: this.ports.clock.now(), checked };
    return { stored: this.declared.make(fields, from), fields, checked };
  }

  /**
   * Stores new ones with who owns them, all or none. False: one is there. Throws AppError
   * 'bad-request' for more than one write takes.
   */
  #store(caller: Caller, created: readonly Created<Written, Stored, Checked>[]): Promise<boolean> {
    const { type, called } = this.declared;
    const { table, ownership } = this.ports;
    const owned = created.map(({ stored }) => ownership.creating(caller, type, this.idOf(stored)));
    const writes = [
      ...created.map(({ stored }) => table.writeOf(stored, 'absent')),
      ...owned.flatMap((besides) => besides.writes),
    ];
    if (writes.length > writesMax) {
      throw new AppError(
        'bad-request',
        `The body may have so many ${called.toLowerCase()}s that they and who may use them are ${writesMax} records at most, not ${writes.length}`,
      );
    }
    return table.write(writes, [...new Set(owned.flatMap((besides) => besides.tables))]);
  }

  async #replaceTags(caller: Caller, id: string, tags: readonly Tag[] | undefined): Promise<void> {
    if (tags === undefined) return;
    await this.ports.tags.replace(caller, { type: this.declared.type, id }, tags);
  }
}
