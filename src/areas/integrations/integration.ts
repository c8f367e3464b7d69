// Integrations (contract-admin 14.1): providers, and the models or other interfaces that each
// offers (`apis`).
import {
  integer as integerSchema,
  list as listSchema,
  oneOf,
  text as textSchema,
} from '../../model/schema.js';
import { authorshipFields } from '../../declare/authorship.js';
import {
  anyMap,
  choice,
  filledText,
  flag,
  keptUnless,
  list,
  long,
  text,
  told,
} from '../../model/field.js';
import { noun, type ShownOf, type StoredOf, type WrittenOf } from '../../declare/noun.js';
import { record, sentList } from '../../model/record.js';
import { resourceName, tagged } from '../../declare/resource-fields.js';
import { wrongField } from '../../model/errors.js';
import { categories } from '../../model/provider-category.js';
import { checkBytes, checkName, descriptionCharsMax } from '../../model/registry/fields.js';
import { apiId } from './api-id.js';

const configurationBytesMax = 64 * 1024;
/** Elements of one list in a request. */
export const listedMax = 1000;

/** Tokens that a model may use in a period of UTC days. */
export interface TokenLimit {
  readonly maxTokens: number;
  readonly tokenLimitPeriod: LimitPeriod;
}

const periodOf = { daily: 'DAY', weekly: 'WEEK', monthly: 'MONTH' } as const;
export type LimitPeriod = (typeof periodOf)[keyof typeof periodOf];
export const frequencyOf = { DAY: 'daily', WEEK: 'weekly', MONTH: 'monthly' } as const;

const about = 'Secrets are answered as ***; *** keeps one';
const commonFields = {
  description: keptUnless('', text({ charsMax: descriptionCharsMax })),
  enabled: flag(),
  configuration: keptUnless(
    {},
    anyMap({ about, check: (map, path) => checkBytes(map, path, configurationBytesMax) }),
  ),
};
/** The server adds them; nobody sees the secrets, which are JSON text, encrypted. */
const kept = {
  enabled: flag({ default: true }),
  configuration: anyMap({ about, default: {} }),
  ...authorshipFields,
};
const hidden = { sealed: told<string>(textSchema()) };

const limitFields = {
  maxTokens: keptUnless(
    0,
    long({
      about: 'Tokens that the model may use in a period; 0: any number',
      check: requireCount,
    }),
  ),
  frequency: {
    ...filledText({ check: checkFrequency }),
    schema: oneOf(Object.values(frequencyOf), 'Absent: daily'),
  },
};

/** A model of a provider; what a save leaves out stays as it was. */
export const model = noun({
  title: 'IntegrationApi',
  labels: {
    ...{ integrationName: 'Integration', api: 'Model' },
    ...{ maxTokens: 'Most tokens', frequency: 'In a period' },
  },
  written: commonFields,
  beside: { ...tagged, ...limitFields },
  kept: {
    integrationName: text({ required: true }),
    api: text({ about: 'As the provider calls it', required: true }),
    ...kept,
  },
  hidden,
  stored: {
    kind: 'integration-api',
    idOf: ({ integrationName, api }) => apiId(integrationName, api),
    sealedFor: ({ integrationName, api }) => ownerOf(apiId(integrationName, api)),
  },
});
export type ModelFields = WrittenOf<typeof model>;
export type IntegrationApi = StoredOf<typeof model>;
export type ShownModel = ShownOf<typeof model>;

const providerFields = {
  type: filledText({ about: 'Such as openai, anthropic, pgvectordb, postgres', charsMax: 255 }),
  category: choice(categories),
  ...commonFields,
};
const providerName = text({
  required: true,
  check: (name, path) => void checkProviderName(name, path),
});

/** A provider; what a save leaves out stays as it was. */
export const provider = noun({
  title: 'Integration',
  labels: { modelsCount: 'Models' },
  written: { name: providerName, ...providerFields },
  beside: tagged,
  kept: { category: choice(categories, { required: true }), ...kept },
  hidden,
  derived: {
    modelsCount: told<number>(integerSchema('Models that the caller may read')),
    apis: told<readonly ShownModel[]>(listSchema(model.shown.schema)),
  },
  stored: {
    kind: 'integration-provider',
    idOf: ({ name }) => name,
    sealedFor: ({ name }) => ownerOf(name),
  },
});
export type Provider = StoredOf<typeof provider>;
export type ShownProvider = ShownOf<typeof provider>;

/** A provider by the name in the path. */
export const sentProvider = record('IntegrationUpdate', { ...providerFields, ...tagged });
export type ProviderFields = ReturnType<typeof sentProvider.parse>;

/** Providers with their models (POST /api/integrations/). */
export const sentProviders = sentList(
  record('SentIntegration', {
    name: providerName,
    ...{ ...providerFields, ...tagged },
    apis: list(
      record('SentIntegrationApi', {
        api: resourceName,
        ...{ ...commonFields, ...tagged, ...limitFields },
      }),
      { itemsMax: listedMax },
    ),
  }),
  'integrations',
  listedMax,
);

export const tokenLimit = record('TokenLimit', {
  integrationName: told<string>(textSchema()),
  api: resourceName,
  maxTokens: long({ about: '0: any number', default: 0, check: requireCount }),
  tokenLimitPeriod: choice(['DAY', 'WEEK', 'MONTH'], { default: 'DAY' }),
  createTime: told<number>(authorshipFields.createTime.schema),
  updateTime: told<number>(authorshipFields.updateTime.schema),
  createdBy: told<string>(authorshipFields.createdBy.schema),
  updatedBy: told<string>(authorshipFields.updatedBy.schema),
});
export type ShownTokenLimit = Partial<ReturnType<typeof tokenLimit.parse>>;

/** The owner of the secrets of a provider or a model. */
export function ownerOf(id: string): string {
  return `integration:${id}`;
}

/** A colon would hide where the provider's name ends in `provider:api`. */
export function checkProviderName(name: string, path: string): string {
  if (name.includes(':')) throw wrongField(path, 'may not hold a colon');
  return checkName(name, path);
}

/** Of a model's fields; undefined: any number of tokens. */
export function limitOf({
  maxTokens = 0,
  frequency = 'daily',
}: ModelFields): TokenLimit | undefined {
  if (maxTokens === 0) return undefined;
  const tokenLimitPeriod = periodOf[frequency.toLowerCase() as keyof typeof periodOf];
  return { maxTokens, tokenLimitPeriod };
}

function requireCount(count: number, path: string): void {
  if (count < 0) throw wrongField(path, 'must be 0 or more');
}

function checkFrequency(frequency: string, path: string): void {
  if (Object.hasOwn(periodOf, frequency.toLowerCase())) return;
  throw wrongField(path, 'must be one of daily, weekly, monthly');
}
