// How a broker is reached: the configuration of an integration provider (contract-admin 14.1) or of
// a queue (contract-admin 17.2). Clients write queue configurations with the names of their
// libraries, below `consumer` and `producer`; these mean the names of providers here.
import { isMap, type Json, type JsonMap } from '../model/json.js';
import { holdsExpression } from '../model/holds-expression.js';
import { BrokerError } from './broker-error.js';

/** Other spellings of a setting, by the spelling used here. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  endpoint: ['bootstrap.servers', 'bootstrapServers', 'brokers', 'servers', 'url', 'hosts'],
  groupId: ['group.id'],
  protocol: ['security.protocol'],
  mechanism: ['sasl.mechanism'],
  user: ['sasl.username', 'username'],
  password: ['sasl.password'],
  startFrom: ['auto.offset.reset'],
  namespace: ['virtualHost', 'vhost'],
  prefetch: ['max.poll.records', 'batchSize'],
  api_key: ['secretKey'],
};
const ownNames = new Map(
  Object.entries(spellings).flatMap(([name, others]) => others.map((other) => [other, name])),
);

export class BrokerSettings {
  readonly #values: ReadonlyMap<string, string>;

  private constructor(
    /** Names the configuration in error texts. */
    readonly source: string,
    values: ReadonlyMap<string, string>,
  ) {
    this.#values = values;
  }

  /** Values that are neither text, number nor flag are left out, as are empty ones. */
  static of(source: string, configuration: JsonMap): BrokerSettings {
    const values = new Map<string, string>();
    for (const part of ['producer', 'consumer']) {
      const inner = configuration[part];
      if (isMap(inner)) addAll(values, inner);
    }
    addAll(values, configuration);
    return new BrokerSettings(source, values);
  }

  get names(): string[] {
    return [...this.#values.keys()];
  }

  text(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Throws BrokerError. */
  required(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw new BrokerError(`${this.source} has no ${name}`);
    return value;
  }

  flag(name: string): boolean {
    return this.#values.get(name)?.toLowerCase() === 'true';
  }

  /** A whole number from 1. Throws BrokerError for anything else. */
  count(name: string, byDefault: number): number {
    const value = this.#values.get(name);
    if (value === undefined) return byDefault;
    const count = Number(value);
    if (Number.isSafeInteger(count) && count >= 1) return count;
    throw new BrokerError(`${name} of ${this.source} must be a whole number from 1, not ${value}`);
  }

  /** Throws BrokerError unless the value, in lower case, is one of `values`. */
  choice<T extends string>(name: string, values: readonly T[], byDefault: T): T {
    const given = this.#values.get(name);
    if (given === undefined) return byDefault;
    const value = values.find((each) => each.toLowerCase() === given.toLowerCase());
    if (value !== undefined) return value;
    const known = values.join(', ');
    throw new BrokerError(`${name} of ${this.source} must be one of ${known}, not ${given}`);
  }
}

const textRule = 'must be a text';
const texts = ['endpoint', 'user', 'password', 'groupId', 'namespace', 'protocol', 'mechanism'];
const portMax = 65_535;

/**
 * The first setting of a configuration that no connection could use, with its rule; undefined:
 * none. One that is missing or unknown passes: clients store before they have all.
 */
export function settingTrouble(configuration: JsonMap): string | undefined {
  for (const part of ['producer', 'consumer']) {
    const inner = configuration[part];
    const trouble = isMap(inner) ? settingTrouble(inner) : undefined;
    if (trouble !== undefined) return `${part}.${trouble}`;
  }
  for (const [sent, value] of Object.entries(configuration)) {
    const isLater = holdsExpression(value);
    if (value === null || value === '' || isLater) continue;
    const rule = ruleBroken(ownNames.get(sent) ?? sent, value);
    if (rule !== undefined) return `${sent} ${rule}`;
  }
  return undefined;
}

function ruleBroken(name: string, value: Json): string | undefined {
  if (texts.includes(name)) return typeof value === 'object' ? textRule : undefined;
  const text = textOf(value).toLowerCase();
  switch (name) {
    case 'port':
      return isCount(text, portMax) ? undefined : `must be a whole number, 1 to ${portMax}`;
    case 'prefetch':
      return isCount(text) ? undefined : 'must be a whole number from 1';
    case 'tls':
      return ['true', 'false'].includes(text) ? undefined : 'must be true or false';
    case 'startFrom':
      return ['earliest', 'latest'].includes(text) ? undefined : 'must be one of earliest, latest';
    default:
      return undefined;
  }
}

function isCount(text: string, max = Number.MAX_SAFE_INTEGER): boolean {
  const count = Number(text);
  return text !== '' && Number.isSafeInteger(count) && count >= 1 && count <= max;
}

function addAll(values: Map<string, string>, configuration: JsonMap): void {
  for (const [name, value] of Object.entries(configuration)) {
    const text = textOf(value);
    if (text !== '') values.set(ownNames.get(name) ?? name, text);
  }
}

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
