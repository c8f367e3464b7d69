// How queues of brokers are reached, as clients store it (contract-admin 17.2). The settings may
// hold passwords, so they rest encrypted.
import type { SecretBox } from '../../../access/secret-box.js';
import { settingTrouble } from '../../../broker/broker-settings.js';
import { AppError } from '../../../model/errors.js';
import { checkProvider } from '../../../model/event-providers.js';
import type { JsonMap } from '../../../model/json.js';
import { parseJson, toJsonText } from '../../../model/json-text.js';
import { changeRecord } from '../../../operation/records/change-record.js';
import {
  jsonCodec,
  sealedField,
  type RecordTable,
} from '../../../operation/records/record-table.js';

export interface QueueConfig {
  readonly type: string;
  readonly name: string;
  /** JSON text of the settings, encrypted. */
  readonly sealed: Awaited<ReturnType<SecretBox['seal']>>;
}

export const queueConfigCodec = jsonCodec<QueueConfig>(
  'event-queue',
  ({ type, name }) => idOf(type, name),
  sealedField(({ type, name }) => ownerOf(idOf(type, name))),
);

export interface QueueConfigsParts {
  readonly table: RecordTable<QueueConfig>;
  readonly box: SecretBox;
}

const queueConfigsMax = 10_000;
const nameCharsMax = 500;
const settingsCharsMax = 100_000;

export class QueueConfigs {
  constructor(private readonly parts: QueueConfigsParts) {}

  /** `type:name` of each to the JSON text of its settings. */
  async list(): Promise<Map<string, string>> {
    const configs = [...this.parts.table.values()];
    const entries = configs.map(async (config): Promise<[string, string]> => {
      const id = idOf(config.type, config.name);
      return [id, await this.parts.box.open(config.sealed, ownerOf(id))];
    });
    return new Map((await Promise.all(entries)).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Throws AppError 'not-found'. */
  async get(type: string, name: string): Promise<JsonMap> {
    const id = idOf(type, name);
    const config = this.parts.table.get(id);
    if (config === undefined) throw unknownQueue(id);
    return parseJson(await this.parts.box.open(config.sealed, ownerOf(id))) as JsonMap;
  }

  /** Changes with the settings; undefined when there are none. */
  versionOf(type: string, name: string): string | undefined {
    return this.parts.table.get(idOf(type, name))?.sealed;
  }

  /** Creates or replaces. Throws AppError 'bad-request' for a kind of queue that there is not. */
  async put(type: string, name: string, settings: JsonMap): Promise<void> {
    checkProvider(type, 'queueType');
    const id = idOf(type, name);
    if (id.length > nameCharsMax) {
      throw new AppError('bad-request', `queueName may have ${nameCharsMax} characters at most`);
    }
    const trouble = settingTrouble(settings);
    if (trouble !== undefined) throw new AppError('bad-request', trouble);
    const text = toJsonText(settings);
    if (text.length > settingsCharsMax) {
      throw new AppError('bad-request', `The body may have ${settingsCharsMax} characters at most`);
    }
    const { table, box } = this.parts;
    if (table.get(id) === undefined && table.size >= queueConfigsMax) {
      throw new AppError('conflict', `There are ${table.size} queue configurations already`);
    }
    const sealed = await box.seal(text, ownerOf(id));
    await changeRecord(table, id, () => ({ type, name, sealed }));
  }

  /** Nothing happens when there is none. */
  async delete(type: string, name: string): Promise<void> {
    await this.parts.table.remove(idOf(type, name));
  }
}

function idOf(type: string, name: string): string {
  return `${type}:${name}`;
}

function ownerOf(id: string): string {
  return `event-queue:${id}`;
}

function unknownQueue(id: string): AppError {
  return new AppError('not-found', `Queue configuration ${id.slice(0, 500)} not found`);
}
