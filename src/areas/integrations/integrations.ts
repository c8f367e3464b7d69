// Providers and their models (contract-admin 14): who may save, see and delete them. A model is the
// target INTEGRATION `provider:model`, and a right on the provider reaches all its models.
import { requireRight, type Right } from '../../access/access-rules.js';
import type { SecretBox } from '../../access/secret-box.js';
import { settingTrouble } from '../../broker/broker-settings.js';
import { withKnownAuthors } from '../../declare/authorship.js';
import type { Caller } from '../../model/caller.js';
import { AppError, wrongField } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import type { Category } from '../../model/provider-category.js';
import { present } from '../../model/record-reader.js';
import { authorship } from '../../model/registry/fields.js';
import type { Tag } from '../../model/tag.js';
import { changeRecord, removeWith } from '../../operation/records/change-record.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { Ports } from '../ports.js';
import { boundOf, Resource } from '../resource.js';
import {
  frequencyOf,
  limitOf,
  model,
  ownerOf,
  provider,
  type IntegrationApi,
  type ModelFields,
  type Provider,
  type ProviderFields,
  type ShownModel,
  type ShownProvider,
} from './integration.js';
import {
  checkModelSecrets,
  checkProviderSecrets,
  type ModelSecrets,
} from './kept-configuration.js';
import { apiId, type IntegrationLookup } from './port.js';
import {
  configurationFields,
  maskedConfiguration,
  openConfiguration,
  sealConfiguration,
  secretNames,
  type SealedConfiguration,
} from './sealed-configuration.js';
import type { TokenUsage } from './token-usage.js';

export interface IntegrationsParts extends Pick<
  Ports,
  'clock' | 'access' | 'ownership' | 'tags' | 'vectors'
> {
  readonly table: RecordTable<Provider>;
  readonly apis: RecordTable<IntegrationApi>;
  readonly usage: TokenUsage;
  readonly box: SecretBox;
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

type NamedFields = ProviderFields & { readonly name: string };

export class Integrations
  extends Resource<
    NamedFields,
    Provider,
    Promise<ShownProvider>,
    ProviderKind & SealedConfiguration
  >
  implements IntegrationLookup
{
  constructor(private readonly parts: IntegrationsParts) {
    super(
      {
        type: 'INTEGRATION_PROVIDER',
        called: 'Integration',
        path: '/api/integrations/provider',
        noun: provider,
        about:
          'An integration is an account at a model provider, a database, a broker or a mail server.',
        columns: ['name', 'type', 'category', 'enabled', 'modelsCount'],
        named: (name) => `No such integration provider: ${name.slice(0, 255)}`,
        limit: { max: parts.integrationsMax, setting: 'integrationsMax' },
        check: async (_caller, fields, { known }) => {
          const kind = this.checkKind(fields.name, fields);
          return { ...kind, ...(await this.#sealedProvider(fields.name, kind, fields, known)) };
        },
        make: ({ name, description, enabled }, { caller, known, now, checked }) => ({
          name,
          ...present({ description: description ?? known?.description }),
          enabled: enabled ?? known?.enabled ?? true,
          ...checked,
          ...authorship(known, caller.id, now),
        }),
        show: async (stored, tags) =>
          withKnownAuthors(
            provider.toJson(
              { ...stored, configuration: await this.#masked(stored.name, stored) },
              {
                tags,
              },
            ),
          ),
      },
      parts,
    );
    parts.apis.bound = boundOf(this.declared);
  }

  /** Throws AppError 'not-found'. */
  api(provider: string, api: string): IntegrationApi {
    this.get(provider);
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
    return this.list(caller).filter(
      (each) =>
        (category === undefined || each.category === category) && (!activeOnly || each.enabled),
    );
  }

  /** The models of a provider that the caller may read, by name. */
  apis(caller: Caller, provider: string, activeOnly: boolean): IntegrationApi[] {
    return this.#apisOf(provider)
      .filter(
        ({ api, enabled }) => (!activeOnly || enabled) && this.may(caller, 'READ', provider, api),
      )
      .sort((a, b) => (a.api < b.api ? -1 : 1));
  }

  /** The kind of a provider. Throws AppError for one that cannot be saved. */
  checkKind(name: string, fields: ProviderFields): ProviderKind {
    const kind = kindOf(this.find(name), fields, this.parts.categoryOf);
    if (kind.category !== 'MESSAGE_BROKER') return kind;
    const trouble = settingTrouble(fields.configuration ?? {});
    if (trouble !== undefined) throw new AppError('bad-request', `configuration.${trouble}`);
    return kind;
  }

  /** Creates or changes a model of a provider. Throws AppError 'not-found' without the provider. */
  async saveApi(caller: Caller, provider: string, api: string, fields: ModelFields): Promise<void> {
    const { apis, clock, tags, usage } = this.parts;
    const id = apiId(provider, api);
    const requireOwner = (): Provider => {
      const owner = this.get(provider);
      this.require(caller, 'UPDATE', provider);
      return owner;
    };
    requireOwner();
    await changeRecord(apis, id, async (known) => {
      const owner = requireOwner();
      const sealed = await this.#sealedApi(owner, api, fields, known);
      requireOwner();
      return {
        integrationName: provider,
        api,
        ...present({ description: fields.description ?? known?.description }),
        enabled: fields.enabled ?? known?.enabled ?? true,
        ...sealed,
        ...authorship(known, caller.id, clock.now()),
      };
    });
    const limit = limitOf(fields);
    if (limit !== undefined) await usage.setLimit(caller, provider, api, limit);
    else if (fields.maxTokens === 0) await usage.removeLimit(provider, api);
    if (fields.tags !== undefined) {
      await tags.replace(caller, { type: 'INTEGRATION', id }, fields.tags);
    }
  }

  /** With its models, and the vectors that it keeps. Throws AppError 'not-found'. */
  override async delete(name: string): Promise<void> {
    this.get(name);
    for (const { api } of this.#apisOf(name)) await this.#removeApi(name, api);
    await super.delete(name);
    await this.parts.vectors.forget(name);
  }

  /** Throws AppError 'not-found'. */
  async deleteApi(provider: string, api: string): Promise<void> {
    this.api(provider, api);
    await this.#removeApi(provider, api);
  }

  /** The configuration for the calls and connections to a provider. */
  async openProvider(provider: Provider): Promise<JsonMap> {
    return await openConfiguration(this.parts.box, ownerOf(provider.name), provider);
  }

  /** The configurations for the calls to a provider and one of its models. */
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

  async shownProvider(caller: Caller, found: Provider): Promise<ShownProvider> {
    return {
      ...(await this.shown(found)),
      modelsCount: this.apis(caller, found.name, false).length,
    };
  }

  async shownApi(found: IntegrationApi): Promise<ShownModel> {
    const { integrationName, api } = found;
    const id = apiId(integrationName, api);
    const limit = this.parts.usage.limitOf(integrationName, api);
    const configuration = await this.#masked(id, found);
    const tags: Tag[] = [...this.parts.tags.of('INTEGRATION', id)];
    return withKnownAuthors(
      model.toJson(
        { ...found, configuration },
        {
          tags,
          ...(limit && {
            maxTokens: limit.maxTokens,
            frequency: frequencyOf[limit.tokenLimitPeriod],
          }),
        },
      ),
    );
  }

  #masked(id: string, sealed: SealedConfiguration): Promise<JsonMap> {
    return maskedConfiguration(this.parts.box, ownerOf(id), sealed);
  }

  #apisOf(provider: string): IntegrationApi[] {
    return [...this.parts.apis.values()].filter((each) => each.integrationName === provider);
  }

  async #removeApi(provider: string, api: string): Promise<void> {
    const id = apiId(provider, api);
    const { apis, ownership } = this.parts;
    if (!(await removeWith(apis, [id], ownership.removing('INTEGRATION', id)))) return;
    await this.parts.usage.forget(provider, api);
  }

  /** The configuration as it is stored. Throws AppError 'bad-request' for a kept secret. */
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
    { configuration }: ModelFields,
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

  async #fieldsOf(model: IntegrationApi): Promise<ModelSecrets> {
    const { box } = this.parts;
    const owner = ownerOf(apiId(model.integrationName, model.api));
    return {
      api: model.api,
      fields: await configurationFields(box, owner, model),
      secrets: await secretNames(box, owner, model),
    };
  }
}

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
