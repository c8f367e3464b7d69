// Prompts (contract-admin 13): versions by name, each naming models that the writer must be allowed
// to read.
import { requireRight, type AccessRules, type Right } from '../../access/access-rules.js';
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { authorship } from '../../model/registry/fields.js';
import { apiId } from '../../model/registry/integration.js';
import {
  toPromptJson,
  type Prompt,
  type PromptFields,
  type SavedPrompt,
} from '../../model/registry/prompt.js';
import { toTagJson } from '../../model/tag.js';
import type { Clock } from '../../std/clock.js';
import type { Ownership } from '../identity/ownership.js';
import type { Integrations } from '../integrations/integrations.js';
import { VersionedRecords, versionedForm } from '../records/versioned-records.js';
import type { RecordTable } from '../records/record-table.js';
import type { Tags } from '../tags/tags.js';

export const promptForm = versionedForm<Prompt>('prompt');

export interface PromptsParts {
  readonly table: RecordTable<Prompt>;
  readonly integrations: Integrations;
  readonly clock: Clock;
  readonly access: AccessRules;
  readonly ownership: Ownership;
  readonly tags: Tags;
  /** Versions of all prompts that there may be. */
  readonly promptsMax: number;
}

/** Which version a save writes; `next`: the newest + 1. */
export type PromptVersion = number | 'next' | 'newest';

export class Prompts {
  readonly #records: VersionedRecords<Prompt>;

  constructor(private readonly parts: PromptsParts) {
    this.#records = new VersionedRecords(parts.table);
  }

  /** The newest version unless one is named. Throws AppError 'not-found'. */
  get(name: string, version?: number): Prompt {
    const found =
      version === undefined ? this.#records.newest(name) : this.#records.version(name, version);
    if (found === undefined) throw unknownPrompt(name, version);
    return found;
  }

  /** The same for a caller who needs the right to read it. Throws AppError 'forbidden' too. */
  readable(caller: Caller, name: string, version?: number): Prompt {
    const found = this.get(name, version);
    requireRight(this.parts.access, caller, 'READ', { type: 'PROMPT', id: name });
    return found;
  }

  /** Whether there is a prompt of this name. */
  has(name: string): boolean {
    return this.#records.has(name);
  }

  /** Newest first. Throws AppError 'not-found'. */
  versions(name: string): Prompt[] {
    this.get(name);
    return this.#records.versions(name);
  }

  /** The newest versions that the caller may read, by name. */
  list(caller: Caller): Prompt[] {
    return [...this.#records.names()]
      .filter((name) => this.#may(caller, 'READ', name))
      .sort()
      .map((name) => this.get(name));
  }

  /** The newest versions that name a model, of those that the caller may read. */
  withModel(caller: Caller, provider: string, api: string): Prompt[] {
    const id = apiId(provider, api);
    return this.list(caller).filter(({ integrations }) => integrations.includes(id));
  }

  /**
   * Writes a version. With `keepsAuthor` an existing one keeps who created it, and when. Throws
   * AppError 'forbidden', 'not-found' for an unknown provider, 'conflict'.
   */
  async save(
    caller: Caller,
    name: string,
    fields: PromptFields,
    options: { readonly version: PromptVersion; readonly keepsAuthor: boolean },
  ): Promise<void> {
    const { access, ownership, clock } = this.parts;
    const requireSave = (): void => {
      const isNew = !this.#records.has(name);
      requireRight(access, caller, isNew ? 'CREATE' : 'UPDATE', {
        type: 'PROMPT',
        id: isNew ? undefined : name,
      });
    };
    requireSave();
    for (const model of fields.integrations) this.#requireModel(caller, model);
    const now = clock.now();
    const { keepsAuthor } = options;
    if (!this.#records.has(name)) {
      this.#checkRoom();
      const version = typeof options.version === 'number' ? options.version : 1;
      const first = { name, version, ...fields, ...authorship(undefined, caller.id, now) };
      if (await this.#records.addFirst(first)) {
        await ownership.created(caller, 'PROMPT', name);
        return;
      }
      // Another node was faster: from here on as if this call had come later.
      requireSave();
    }
    if (options.version === 'next') {
      this.#checkRoom();
      await this.#records.add(name, (version) => ({
        ...{ name, version, ...fields },
        ...authorship(undefined, caller.id, now),
      }));
    } else {
      const newest = this.#records.newest(name)?.version ?? 1;
      const version = options.version === 'newest' ? newest : options.version;
      if (this.#records.version(name, version) === undefined) this.#checkRoom();
      await this.#records.change(name, version, (known) => ({
        ...{ name, version, ...fields },
        ...authorship(keepsAuthor ? known : undefined, caller.id, now),
      }));
    }
  }

  /**
   * Saves in order; a prompt that the caller may not change is passed over, and the first that
   * names an unknown provider ends the call (contract-admin 13.2, rule 4).
   */
  async saveAll(caller: Caller, prompts: readonly SavedPrompt[]): Promise<void> {
    for (const { name, version, fields } of prompts) {
      if (this.#records.has(name) && !this.#may(caller, 'UPDATE', name)) continue;
      const options = { version: version ?? ('newest' as const), keepsAuthor: true };
      await this.save(caller, name, fields, options);
    }
  }

  /** Adds a model to the newest version. Throws AppError 'not-found'. */
  async attach(caller: Caller, name: string, provider: string, api: string): Promise<void> {
    const { integrations, access, clock } = this.parts;
    integrations.api(provider, api);
    integrations.require(caller, 'READ', provider, api);
    const { version } = this.get(name);
    requireRight(access, caller, 'READ', { type: 'PROMPT', id: name });
    requireRight(access, caller, 'UPDATE', { type: 'PROMPT', id: name });
    const id = apiId(provider, api);
    await this.#records.change(name, version, (known) => {
      if (known === undefined) throw unknownPrompt(name, version);
      return {
        ...known,
        integrations: [...new Set([...known.integrations, id])],
        ...authorship(known, caller.id, clock.now()),
      };
    });
  }

  /** With its versions, tags and grants. Throws AppError 'not-found'. */
  async delete(name: string): Promise<void> {
    if (!(await this.#records.removeAll(name))) throw unknownPrompt(name);
    await this.parts.ownership.removed('PROMPT', name);
  }

  /** Throws AppError 'not-found'. */
  async deleteVersion(name: string, version: number): Promise<void> {
    if (!(await this.#records.removeVersion(name, version))) throw unknownPrompt(name, version);
    if (!this.#records.has(name)) await this.parts.ownership.removed('PROMPT', name);
  }

  shown(prompt: Prompt): JsonMap {
    return toPromptJson(prompt, this.parts.tags.of('PROMPT', prompt.name).map(toTagJson));
  }

  /** The model itself may come later; a text without a colon is taken as it is. */
  #requireModel(caller: Caller, model: string): void {
    const colon = model.indexOf(':');
    if (colon < 0) return;
    const provider = model.slice(0, colon);
    this.parts.integrations.provider(provider);
    this.parts.integrations.require(caller, 'READ', provider, model.slice(colon + 1));
  }

  #may(caller: Caller, right: Right, name: string): boolean {
    return this.parts.access.may(caller, right, { type: 'PROMPT', id: name });
  }

  #checkRoom(): void {
    const count = this.#records.size;
    if (count < this.parts.promptsMax) return;
    throw new AppError('conflict', `There are ${count} prompts already (promptsMax)`);
  }
}

function unknownPrompt(name: string, version?: number): AppError {
  const which = version === undefined ? '' : ` version ${version}`;
  return new AppError('not-found', `Prompt '${name.slice(0, 255)}'${which} not found`);
}
