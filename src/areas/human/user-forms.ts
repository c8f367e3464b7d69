// User forms with their versions (contract-admin 11.2). Tags and rights belong to the name.
import { requireRight, type AccessRules } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { Json, JsonMap } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import { present } from '../../model/record-reader.js';
import { toTagJson } from '../../model/tag.js';
import type { UserForm, UserFormRequest } from './user-form.js';
import type { Clock } from '../../std/clock.js';
import type { Ownership } from '../../operation/identity/ownership.js';
import { storeFirst } from '../../operation/records/change-record.js';
import type { RecordForm, RecordTable } from '../../operation/records/record-table.js';
import type { DescribedResource, Tags } from '../../operation/tags/tags.js';
import type { FormValidation } from './form-validation.js';

export const userFormForm: RecordForm<UserForm> = {
  kind: 'user-form',
  idOf: ({ name, version }) => idOf(name, version),
  write: (form) => toJsonText(form as unknown as Json),
  read: (text) => parseJson(text) as unknown as UserForm,
};

export interface UserFormsParts {
  readonly table: RecordTable<UserForm>;
  readonly clock: Clock;
  readonly access: AccessRules;
  readonly ownership: Ownership;
  readonly tags: Tags;
  readonly validation: FormValidation;
  readonly formsMax: number;
}

export class UserForms {
  constructor(private readonly parts: UserFormsParts) {}

  /** The newest version for 0 or undefined. */
  find(name: string, version?: number): UserForm | undefined {
    if (version !== undefined && version !== 0) return this.parts.table.get(idOf(name, version));
    return this.#versions(name)[0];
  }

  /** Throws AppError 'not-found'. */
  get(name: string, version: number): UserForm {
    const form = this.find(name, version);
    if (form === undefined) throw unknownForm(`${name}, version ${version}`);
    return form;
  }

  /** By name, newest version first. */
  list(caller: Caller, name?: string, version?: number): UserForm[] {
    const { table, access } = this.parts;
    return [...table.values()]
      .filter((form) => name === undefined || form.name === name)
      .filter((form) => version === undefined || version === 0 || form.version === version)
      .filter((form) => access.may(caller, 'READ', targetOf(form.name)))
      .sort((a, b) => (a.name === b.name ? b.version - a.version : a.name < b.name ? -1 : 1));
  }

  /** Throws AppError 'bad-request', 'forbidden', 'conflict'. */
  async save(caller: Caller, request: UserFormRequest, newVersion: boolean): Promise<UserForm> {
    const { table, access, ownership, validation } = this.parts;
    const requireSave = (): void => {
      const isNew = this.find(request.name) === undefined;
      const target = isNew ? everyForm : targetOf(request.name);
      requireRight(access, caller, isNew ? 'CREATE' : 'UPDATE', target);
    };
    requireSave();
    validation.checkSchema(request.jsonSchema);
    if (this.find(request.name) === undefined) {
      const first = this.#made(caller, request, newVersion);
      const isTaken = (): boolean => this.find(request.name) !== undefined;
      if (await storeFirst(table, first, isTaken)) {
        await ownership.created(caller, 'USER_FORM_TEMPLATE', request.name);
        return await this.#tagged(caller, first, request);
      }
      // Another node was faster: from here on as if this call had come later.
      requireSave();
    }
    const form = this.#made(caller, request, newVersion);
    await table.put(form);
    return await this.#tagged(caller, form, request);
  }

  /** Throws AppError 'conflict' where there is no room for it. */
  #made(caller: Caller, request: UserFormRequest, newVersion: boolean): UserForm {
    const { table, clock, formsMax } = this.parts;
    const newest = this.find(request.name);
    const next = (newest?.version ?? 0) + (newVersion || newest === undefined ? 1 : 0);
    const version = request.version ?? next;
    const known = this.find(request.name, version);
    if (known === undefined && table.size >= formsMax) {
      throw new AppError('conflict', `There are ${table.size} user forms already (userFormsMax)`);
    }
    const now = clock.now();
    const { name, jsonSchema, templateUI, ownerApp } = request;
    return {
      ...{ name, version, jsonSchema, templateUI },
      createTime: known?.createTime ?? now,
      updateTime: now,
      createdBy: known?.createdBy ?? authorOf(caller),
      updatedBy: authorOf(caller),
      ...present({ ownerApp }),
    };
  }

  async #tagged(caller: Caller, form: UserForm, request: UserFormRequest): Promise<UserForm> {
    const { tags } = this.parts;
    if (request.tags !== undefined) {
      await tags.replace(caller, targetOf(form.name), request.tags);
    }
    return form;
  }

  /** All versions, or one. Throws AppError 'not-found'. */
  async delete(name: string, version?: number): Promise<void> {
    const { table, ownership } = this.parts;
    const doomed = version === undefined ? this.#versions(name) : [this.find(name, version)];
    let removed = 0;
    for (const form of doomed) {
      if (form !== undefined && (await table.remove(idOf(name, form.version)))) removed += 1;
    }
    if (removed === 0)
      throw unknownForm(version === undefined ? name : `${name}, version ${version}`);
    if (this.find(name) === undefined) await ownership.removed('USER_FORM_TEMPLATE', name);
  }

  /** As lists of tagged resources show the versions of a form (contract-admin 9.5). */
  described(name: string): DescribedResource[] {
    const versions = this.#versions(name);
    return versions.map(({ version }) => ({ id: `${name}/${version}`, displayName: name }));
  }

  shown(form: UserForm): JsonMap {
    const tags = this.parts.tags.of('USER_FORM_TEMPLATE', form.name);
    return {
      ...(form as unknown as JsonMap),
      ...(tags.length === 0 ? {} : { tags: tags.map(toTagJson) }),
    };
  }

  /** Newest first. */
  #versions(name: string): UserForm[] {
    return [...this.parts.table.values()]
      .filter((form) => form.name === name)
      .sort((a, b) => b.version - a.version);
  }
}

function idOf(name: string, version: number): string {
  return `${version}:${name}`;
}

const everyForm = { type: 'USER_FORM_TEMPLATE', id: undefined } as const;

function targetOf(name: string): { type: 'USER_FORM_TEMPLATE'; id: string } {
  return { type: 'USER_FORM_TEMPLATE', id: name };
}

/** Contract-admin 1.5: forms show their authors in this way. */
function authorOf({ id }: Caller): string {
  return id === '' ? '' : `USER:${id}`;
}

function unknownForm(what: string): AppError {
  return new AppError('not-found', `User form ${what.slice(0, 300)} not found`);
}
