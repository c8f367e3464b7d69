// Prompts (contract-admin 13): versions by name, each naming models that the writer must be allowed
// to read.
import { withKnownAuthors } from '../../declare/authorship.js';
import type { Caller } from '../../model/caller.js';
import { variablesOf } from '../../model/placeholders.js';
import { authorship } from '../../model/registry/fields.js';
import { apiId } from '../integrations/port.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { Ports } from '../ports.js';
import { VersionedResource, type SavedVersion } from '../versioned-resource.js';
import { prompt, type Prompt, type PromptFields, type ShownPrompt } from './prompt.js';

export interface PromptsParts extends Pick<
  Ports,
  'clock' | 'access' | 'ownership' | 'tags' | 'integrations'
> {
  readonly table: RecordTable<Prompt>;
  /** Versions of all prompts that there may be. */
  readonly promptsMax: number;
}

export class Prompts extends VersionedResource<PromptFields, Prompt, ShownPrompt> {
  constructor(private readonly parts: PromptsParts) {
    super(
      {
        type: 'PROMPT',
        called: 'Prompt',
        path: '/api/prompts',
        noun: prompt,
        about: 'A prompt is a text with placeholders that tasks send to a language model.',
        columns: ['name', 'version', 'description', 'variables', 'integrations'],
        limit: { max: parts.promptsMax, setting: 'promptsMax' },
        check: (caller, { integrations }) => this.#requireModels(caller, integrations),
        make: (fields, { caller, known, now, version }) => ({
          ...{ ...fields, version, integrations: [...new Set(fields.integrations)] },
          ...authorship(known, caller.id, now),
        }),
        show: (stored, tags) =>
          withKnownAuthors(
            prompt.toJson(stored, { variables: variablesOf(stored.template), tags }),
          ),
      },
      parts,
    );
  }

  /** The newest version unless one is named. Throws AppError 'not-found', 'forbidden'. */
  readable(caller: Caller, name: string, version?: number): Prompt {
    const found = this.get(name, version);
    this.require(caller, 'READ', name);
    return found;
  }

  /** The newest versions that name a model, of those that the caller may read. */
  withModel(caller: Caller, provider: string, api: string): Prompt[] {
    const id = apiId(provider, api);
    return this.listNewest(caller).filter(({ integrations }) => integrations.includes(id));
  }

  /**
   * Saves in order; a prompt that the caller may not change is passed over, and the first that
   * names an unknown provider ends the call (contract-admin 13.2, rule 4).
   */
  async saveAll(
    caller: Caller,
    prompts: readonly PromptFields[],
    unnamed: SavedVersion,
  ): Promise<void> {
    for (const fields of prompts) {
      const { name, version = unnamed } = fields;
      if (this.has(name) && !this.may(caller, 'UPDATE', name)) continue;
      await this.save(caller, fields, version);
    }
  }

  /** Adds a model to the newest version. Throws AppError 'not-found', 'forbidden'. */
  async attach(caller: Caller, name: string, provider: string, api: string): Promise<void> {
    const { integrations } = this.parts;
    integrations.api(provider, api);
    integrations.require(caller, 'READ', provider, api);
    this.readable(caller, name);
    this.require(caller, 'UPDATE', name);
    const id = apiId(provider, api);
    await this.changeNewest(name, (known, now) => {
      this.require(caller, 'UPDATE', name);
      return {
        ...{ ...known, integrations: [...new Set([...known.integrations, id])] },
        ...authorship(known, caller.id, now),
      };
    });
  }

  /** The model itself may come later; a text without a colon is taken as it is. */
  #requireModels(caller: Caller, models: readonly string[]): void {
    for (const model of models) {
      const colon = model.indexOf(':');
      if (colon < 0) continue;
      const provider = model.slice(0, colon);
      this.parts.integrations.get(provider);
      this.parts.integrations.require(caller, 'READ', provider, model.slice(colon + 1));
    }
  }
}
