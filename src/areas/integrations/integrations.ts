// Providers and their models (contract-admin 14): who may save, see and delete them. A model is the
// target INTEGRATION `provider:model`, and a right on the provider reaches all its models.
import type { SecretBox } from '../../access/secret-box.js';
import { requireRight, type AccessRules, type Right } from '../../access/access-rules.js';
import { settingTrouble } from '../../broker/broker-settings.js';
import type { Caller } from '../../model/caller.js';
import { AppError, wrongField } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { present } from '../../model/record-reader.js';
import { authorship, toAuthorshipJson } from '../../model/registry/fields.js';
import {
  type ApiFields,
  type IntegrationApi,
  type Provider,
  type ProviderFields,
  type SealedConfiguration,
} from './integration.js';
import type { Category } from '../../model/provider-category.js';
import { toTagJson } from '../../model/tag.js';
import type { Clock } from '../../std/clock.js';
import type { VectorStore } from '../../store/vector-store.js';
import type { Ownership } from '../../operation/identity/ownership.js';
import { changeRecord, saveRecord } from '../../operation/records/change-record.js';
import { jsonForm, sealedField, type RecordTable } from '../../operation/records/record-table.js';
import type { Tags } from '../../operation/tags/tags.js';
import { checkModelSecrets, checkProviderSecrets, type ModelFields } from './kept-configuration.js';
import {
  configurationFields,
  maskedConfiguration,
  openConfiguration,
  sealConfiguration,
  secretNames,
} from './sealed-configuration.js';
import { apiId, type IntegrationLookup } from './port.js';
import type { TokenUsage } from './token-usage.js';

export const providerForm = jsonForm<Provider>(
  'integration-provider',
  ({ name }) => name,
  sealedField(({ name }) => ownerOf(name)),
);
export const apiForm = jsonForm<IntegrationApi>(
  'integration-api',
  ({ integrationName, api }) => apiId(integrationName, api),
  sealedField(({ integrationName, api }) => ownerOf(apiId(integrationName, api))),
);

export interface IntegrationsParts {
  readonly providers: RecordTable<Provider>;
  readonly apis: RecordTable<IntegrationApi>;
  readonly usage: TokenUsage;
  readonly box: SecretBox;
  readonly clock: Clock;
  readonly access: AccessRules;
  readonly ownership: Ownership;
  readonly tags: Tags;
  readonly vectors: Pick<VectorStore, 'forget'>;
  /** Of the providers of a type; undefined for an unknown type. */
  readonly categoryOf: (type: string) => Category | undefined;
  /** Providers, and models, that there may be. */
  readonly integrationsMax: number;
}

interface ProviderKind {
  readonly type?: string;
  readonly category: Category;
}

/** Which integrations a list shows. */
export interface IntegrationFilter {
  readonly category?: string;
  readonly activeOnly: boolean;
}

export class Integrations implements IntegrationLookup {
  constructor(private readonly parts: IntegrationsParts) {}

  /** Throws AppError 'not-found'. */
  provider(name: string): Provider {
    const provider = this.parts.providers.get(name);
    if (provider === undefined) {
      throw new AppError('not-found', `No such integration provider: ${name.slice(0, 255)}`);
    }
    return provider;
  }

  findProvider(name: string): Provider | undefined {
    return this.parts.providers.get(name);
  }

  /** Throws AppError 'not-found'. */
  api(provider: string, api: string): IntegrationApi {
    this.provider(provider);
    const found = this.parts.apis.get(apiId(provider, api));
    if (found !== undefined) return found;
    const id = apiId(provider, api).slice(0, 600);
    throw new AppError('not-found', `No such integration: ${id}`);
  }

  may(caller: Caller, right: Right, provider: string, api?: string): boolean {
    return this.parts.access.may(caller, right, targetOf(provider, api));
  }

  require(caller: Caller, right: Right, provider: string, api?: string): void {
    requireRight(this.parts.access, caller, right, targetOf(provider, api));
  }

  /** Those that the caller may read, by name. */
  providers(caller: Caller, { category, activeOnly }: IntegrationFilter): Provider[] {
    return [...this.parts.providers.values()]
      .filter(
        (each) =>
          (category === undefined || each.category === category) &&
          (!activeOnly || each.enabled) &&
          this.may(caller, 'READ', each.name),
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The models of a provider that the caller may read, by name. */
  apis(caller: Caller, provider: string, activeOnly: boolean): IntegrationApi[] {
    return this.#apisOf(provider)
      .filter(
        ({ api, enabled }) => (!activeOnly || enabled) && this.may(caller, 'READ', provider, api),
      )
      .sort((a, b) => (a.api < b.api ? -1 : 1));
  }

  /** What kind of provider it is. Throws AppError for one that cannot be saved. */
  checkKind(name: string, fields: ProviderFields): ProviderKind {
    const kind = kindOf(this.findProvider(name), fields, this.parts.categoryOf);
    if (kind.category !== 'MESSAGE_BROKER') return kind;
    const trouble = settingTrouble(fields.configuration ?? {});
    if (trouble !== undefined) throw new AppError('bad-request', `configuration.${trouble}`);
    return kind;
  }

  /** Creates or changes a provider; what `fields` leaves out stays. */
  async saveProvider(caller: Caller, name: string, fields: ProviderFields): Promise<Provider> {
    const { providers, clock, ownership, tags } = this.parts;
    const known = providers.get(name);
    const requireSave = (there: Provider | undefined): void => {
      requireRight(this.parts.access, caller, there === undefined ? 'CREATE' : 'UPDATE', {
        type: 'INTEGRATION_PROVIDER',
        id: there === undefined ? undefined : name,
      });
    };
    requireSave(known);
    const kind = this.checkKind(name, fields);
    if (known === undefined) this.#checkRoom(providers.size);
    const sealed = await this.#sealedProvider(name, kind, fields, known);
    const saved = await saveRecord(providers, name, {
      require: requireSave,
      change: (newest) => ({
        name,
        ...kind,
        ...present({ description: fields.description ?? newest?.description }),
        enabled: fields.enabled ?? newest?.enabled ?? true,
        ...sealed,
        ...authorship(newest, caller.id, clock.now()),
      }),
      owned: () => ownership.creating(caller, 'INTEGRATION_PROVIDER', name),
    });
    if (fields.tags !== undefined) {
      await tags.replace(caller, { type: 'INTEGRATION_PROVIDER', id: name }, fields.tags);
    }
    return saved;
  }

  /** Creates or changes a model of a provider. Throws AppError 'not-found' without the provider. */
  async saveApi(caller: Caller, provider: string, api: string, fields: ApiFields): Promise<void> {
    const { apis, clock, tags, usage } = this.parts;
    const owner = this.provider(provider);
    this.require(caller, 'UPDATE', provider);
    const id = apiId(provider, api);
    const known = apis.get(id);
    if (known === undefined) this.#checkRoom(apis.size);
    const sealed = await this.#sealedApi(owner, api, fields, known);
    await changeRecord(apis, id, (newest) => ({
      integrationName: provider,
      api,
      ...present({ description: fields.description ?? newest?.description }),
      enabled: fields.enabled ?? newest?.enabled ?? true,
      ...sealed,
      ...authorship(newest, caller.id, clock.now()),
    }));
    if (fields.limit !== undefined) await usage.setLimit(caller, provider, api, fields.limit);
    if (fields.tags !== undefined) {
      await tags.replace(caller, { type: 'INTEGRATION', id }, fields.tags);
    }
  }

  /** With its models, and the vectors that it keeps. Throws AppError 'not-found'. */
  async deleteProvider(name: string): Promise<void> {
    this.provider(name);
    for (const { api } of this.#apisOf(name)) await this.#removeApi(name, api);
    await this.parts.providers.remove(name);
    await this.parts.ownership.removed('INTEGRATION_PROVIDER', name);
    await this.parts.vectors.forget(name);
  }

  /** Throws AppError 'not-found'. */
  async deleteApi(provider: string, api: string): Promise<void> {
    this.api(provider, api);
    await this.#removeApi(provider, api);
  }

  /** What the calls and connections to a provider are made with. */
  async openProvider(provider: Provider): Promise<JsonMap> {
    return await openConfiguration(this.parts.box, ownerOf(provider.name), provider);
  }

  /** What the calls to a provider and one of its models are made with. */
  async openConfigurations(
    provider: Provider,
    api: IntegrationApi,
  ): Promise<{ readonly provider: JsonMap; readonly api: JsonMap }> {
    const id = apiId(provider.name, api.api);
    return {
      provider: await this.openProvider(provider),
      api: await openConfiguration(this.parts.box, ownerOf(id), api),
    };
  }

  async shownProvider(caller: Caller, provider: Provider): Promise<JsonMap> {
    const { name, type, category, description, enabled } = provider;
    const configuration = await maskedConfiguration(this.parts.box, ownerOf(name), provider);
    return {
      name,
      ...present({ type, description }),
      category,
      configuration,
      enabled,
      modelsCount: this.apis(caller, name, false).length,
      tags: this.parts.tags.of('INTEGRATION_PROVIDER', name).map(toTagJson),
      ...toAuthorshipJson(provider),
    };
  }

  async shownApi(model: IntegrationApi): Promise<JsonMap> {
    const { integrationName, api, description, enabled } = model;
    const id = apiId(integrationName, api);
    const limit = this.parts.usage.limitOf(integrationName, api);
    return {
      integrationName,
      api,
      ...present({ description }),
      configuration: await maskedConfiguration(this.parts.box, ownerOf(id), model),
      enabled,
      ...(limit === undefined
        ? {}
        : { maxTokens: limit.maxTokens, frequency: frequencyOf[limit.tokenLimitPeriod] }),
      tags: this.parts.tags.of('INTEGRATION', id).map(toTagJson),
      ...toAuthorshipJson(model),
    };
  }

  #apisOf(provider: string): IntegrationApi[] {
    return [...this.parts.apis.values()].filter((each) => each.integrationName === provider);
  }

  async #removeApi(provider: string, api: string): Promise<void> {
    const id = apiId(provider, api);
    if (!(await this.parts.apis.remove(id))) return;
    await this.parts.ownership.removed('INTEGRATION', id);
    await this.parts.usage.forget(provider, api);
  }

  /** What is stored of the configuration. Throws AppError 'bad-request' for a kept secret. */
  async #sealedProvider(
    name: string,
    kind: ProviderKind,
    { configuration }: ProviderFields,
    known: Provider | undefined,
  ): Promise<SealedConfiguration> {
    const { box } = this.parts;
    const owner = ownerOf(name);
    const { stored, fields, kept } = await sealConfiguration(box, owner, configuration, known);
    if (known === undefined) return stored;
    const before = await configurationFields(box, owner, known);
    const secretsBefore = await secretNames(box, owner, known);
    const secretsAfter = await secretNames(box, owner, stored);
    const others = (['type', 'category'] as const).filter((each) => kind[each] !== known[each]);
    const models = await Promise.all(this.#apisOf(name).map((each) => this.#fieldsOf(each)));
    const change = { before, after: fields, kept, secretsBefore, secretsAfter };
    checkProviderSecrets(change, others, models);
    return stored;
  }

  async #sealedApi(
    provider: Provider,
    api: string,
    { configuration }: ApiFields,
    known: IntegrationApi | undefined,
  ): Promise<SealedConfiguration> {
    const { box } = this.parts;
    const id = apiId(provider.name, api);
    const change = await sealConfiguration(box, ownerOf(id), configuration, known);
    const before = known === undefined ? {} : (await this.#fieldsOf(known)).fields;
    checkModelSecrets(
      { api, before, after: change.fields, kept: change.kept },
      {
        fields: await configurationFields(box, ownerOf(provider.name), provider),
        secrets: await secretNames(box, ownerOf(provider.name), provider),
      },
    );
    return change.stored;
  }

  async #fieldsOf(model: IntegrationApi): Promise<ModelFields> {
    const { box } = this.parts;
    const owner = ownerOf(apiId(model.integrationName, model.api));
    return {
      api: model.api,
      fields: await configurationFields(box, owner, model),
      secrets: await secretNames(box, owner, model),
    };
  }

  #checkRoom(count: number): void {
    if (count < this.parts.integrationsMax) return;
    throw new AppError('conflict', `There are ${count} integrations already (integrationsMax)`);
  }
}

const frequencyOf = { DAY: 'daily', WEEK: 'weekly', MONTH: 'monthly' } as const;

/** Throws AppError 'bad-request' for another type than before, 'not-found' for an unknown one. */
function kindOf(
  known: Provider | undefined,
  fields: ProviderFields,
  categoryOf: IntegrationsParts['categoryOf'],
): ProviderKind {
  const { type = known?.type } = fields;
  if (known?.type !== undefined && type !== known.type) {
    throw wrongField('type', `is ${known.type} and cannot change`);
  }
  const ofType = type === undefined ? undefined : categoryOf(type);
  const category = fields.category ?? known?.category ?? ofType;
  if (category !== undefined) return { category, ...present({ type }) };
  if (type === undefined) throw wrongField('type', 'is required, or category');
  throw new AppError('not-found', `No such integration type: ${type}`);
}

function targetOf(
  provider: string,
  api: string | undefined,
): { readonly type: 'INTEGRATION' | 'INTEGRATION_PROVIDER'; readonly id: string } {
  return api === undefined
    ? { type: 'INTEGRATION_PROVIDER', id: provider }
    : { type: 'INTEGRATION', id: apiId(provider, api) };
}

function ownerOf(id: string): string {
  return `integration:${id}`;
}
