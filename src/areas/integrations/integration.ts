// Integrations (contract-admin 14.1): providers, and the models or other interfaces that each
// offers (`apis`). Parsing and checking.
import { wrongField } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import { parseList, present, RecordReader } from '../../model/record-reader.js';
import { parseTags, type Tag } from '../../model/tag.js';
import {
  checkBytes,
  checkName,
  nameOf,
  textOf,
  type Authorship,
} from '../../model/registry/fields.js';
import { categories, type Category } from '../../model/provider-category.js';

const configurationBytesMax = 64 * 1024;
/** Elements of one list in a request. */
export const listedMax = 1000;

/** What a caller writes of a provider; what is absent stays as it was. */
export interface ProviderFields {
  readonly type?: string;
  readonly category?: Category;
  readonly description?: string;
  readonly enabled?: boolean;
  readonly configuration?: JsonMap;
  readonly tags?: readonly Tag[];
}

/** A configuration at rest. */
export interface SealedConfiguration {
  /** What of it is no secret. */
  readonly configuration: JsonMap;
  /** The secrets as JSON text, encrypted; absent without any. */
  readonly sealed?: string;
}

export interface Provider extends SealedConfiguration, Authorship {
  readonly name: string;
  readonly type?: string;
  readonly category: Category;
  readonly description?: string;
  readonly enabled: boolean;
}

export const limitPeriods = ['DAY', 'WEEK', 'MONTH'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

/** Tokens that a model may use in a period of UTC days. */
export interface TokenLimit {
  readonly maxTokens: number;
  readonly tokenLimitPeriod: LimitPeriod;
}

export interface ApiFields {
  readonly description?: string;
  readonly enabled?: boolean;
  readonly configuration?: JsonMap;
  readonly limit?: TokenLimit;
  readonly tags?: readonly Tag[];
}

export interface IntegrationApi extends SealedConfiguration, Authorship {
  readonly integrationName: string;
  readonly api: string;
  readonly description?: string;
  readonly enabled: boolean;
}

/** A colon would hide where the provider's name ends in `provider:api`. */
export function checkProviderName(name: string, path: string): string {
  if (name.includes(':')) throw wrongField(path, 'may not hold a colon');
  return checkName(name, path);
}

/** Throws AppError 'bad-request'. */
export function parseProvider(input: unknown, path: string): ProviderFields {
  const reader = new RecordReader(input, path);
  const type = textOf(reader, 'type', 255) || undefined;
  const tags = reader.record('tags', parseTags);
  const category = reader.choice('category', categories);
  return present({ ...commonOf(reader), type, category, tags });
}

/** Throws AppError 'bad-request'. */
export function parseApi(input: unknown, path: string): ApiFields {
  const reader = new RecordReader(input, path);
  const tags = reader.record('tags', parseTags);
  return present({ ...commonOf(reader), limit: limitOf(reader), tags });
}

export interface SavedProvider {
  readonly name: string;
  readonly fields: ProviderFields;
  readonly apis: readonly { readonly api: string; readonly fields: ApiFields }[];
}

/** Providers with their apis (POST /api/integrations/). Throws AppError 'bad-request'. */
export function parseProviders(input: unknown): SavedProvider[] {
  if (Array.isArray(input) && input.length > listedMax) {
    throw wrongField('the body', `may have ${listedMax} integrations at most`);
  }
  return parseList(input, '', (item, path) => {
    const reader = new RecordReader(item, path);
    const name = checkProviderName(nameOf(reader), reader.pathOf('name'));
    const apis = reader.list('apis', (each, at) => {
      const api = nameOf(new RecordReader(each, at), 'api');
      return { api, fields: parseApi(each, at) };
    });
    if (apis.length > listedMax) {
      throw wrongField(reader.pathOf('apis'), `may have ${listedMax} entries at most`);
    }
    return { name, fields: parseProvider(item, path), apis };
  });
}

function commonOf(reader: RecordReader): {
  description: string | undefined;
  enabled: boolean | undefined;
  configuration: JsonMap | undefined;
} {
  const configuration = reader.optionalMap('configuration');
  checkBytes(configuration, reader.pathOf('configuration'), configurationBytesMax);
  return {
    description: textOf(reader, 'description'),
    enabled: reader.optionalFlag('enabled'),
    configuration,
  };
}

const frequencies: Readonly<Record<string, LimitPeriod>> = {
  daily: 'DAY',
  weekly: 'WEEK',
  monthly: 'MONTH',
};

/** maxTokens and frequency; 0 or absent: no limit. */
function limitOf(reader: RecordReader): TokenLimit | undefined {
  const maxTokens = reader.long('maxTokens', 0);
  if (maxTokens < 0) throw wrongField(reader.pathOf('maxTokens'), 'must be 0 or more');
  const frequency = reader.text('frequency') || 'daily';
  const tokenLimitPeriod = frequencies[frequency.toLowerCase()];
  if (tokenLimitPeriod === undefined) {
    throw wrongField(reader.pathOf('frequency'), 'must be one of daily, weekly, monthly');
  }
  return maxTokens === 0 ? undefined : { maxTokens, tokenLimitPeriod };
}

/** TokenLimit of a request (contract-admin 14.2). Throws AppError 'bad-request'. */
export function parseTokenLimit(input: unknown): TokenLimit & { readonly api: string } {
  const reader = new RecordReader(input, '');
  const maxTokens = reader.long('maxTokens', 0);
  if (maxTokens < 0) throw wrongField('maxTokens', 'must be 0 or more');
  const tokenLimitPeriod = reader.choice('tokenLimitPeriod', limitPeriods) ?? 'DAY';
  return { api: nameOf(reader, 'api'), maxTokens, tokenLimitPeriod };
}
