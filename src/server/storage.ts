// Builds the storage outside Redis: payloads of clients, files of executions, the archive.
import { randomUUID } from 'node:crypto';
import { RequestRates } from '../std/request-rates.js';
import { retentionRulesOf } from './settings-checks.js';
import type { Settings } from './settings-table.js';
import type { Json, JsonMap } from '../model/json.js';
import { retentionKey } from '../model/retention.js';
import type { NodeStores } from './node-stores.js';
import type { Definitions } from '../operation/definitions/definitions.js';
import { Archive } from '../operation/storage/archive.js';
import { ExternalPayloads } from '../operation/storage/external-payloads.js';
import { Leaving } from '../operation/storage/leaving.js';
import { SignedUrls } from '../operation/storage/signed-urls.js';
import { WorkflowSizes } from '../operation/storage/workflow-bytes.js';
import type { Clock } from '../std/clock.js';

export interface NodeStorage {
  readonly urls: SignedUrls;
  readonly payloads: ExternalPayloads;
  /** undefined: executions are removed for good. */
  readonly archive: Archive | undefined;
  /** undefined: nothing stands outside Redis. */
  readonly leaving: Leaving | undefined;
  readonly sizes: WorkflowSizes;
  /** How long what is kept, for people. */
  retention(): JsonMap;
}

export interface StorageParts {
  readonly settings: Settings;
  readonly stores: NodeStores;
  readonly clock: Clock;
  readonly definitions: Pick<Definitions, 'table'>;
}

export function buildStorage({ settings, stores, clock, definitions }: StorageParts): NodeStorage {
  const { objects, files, executions, secret } = stores;
  const { objectUrlSeconds, workflowPayloadBytesMax, shards } = settings;
  const urls = new SignedUrls(secret, { clock, seconds: objectUrlSeconds });
  const archive = settings.archive && objects !== undefined ? new Archive(objects) : undefined;
  return {
    urls,
    payloads: new ExternalPayloads({
      ...{ objects, urls, randomId: randomUUID },
      bytesMax: workflowPayloadBytesMax,
      ...{ clock, quota: quotaOf(settings) },
    }),
    archive,
    sizes: new WorkflowSizes({
      clock,
      search: executions.search,
      bytesOf: (ids) => stores.executionBytes.of(ids),
      names: () => definitions.table.names(),
    }),
    retention: () => retentionFacts({ settings, stores, definitions }),
    leaving: objects && new Leaving({ clock, shards, store: executions, files, objects, archive }),
  };
}

/** A day's bytes, which come back in a day. */
function quotaOf({ payloadBytesPerDayMax: burst }: Settings): RequestRates | undefined {
  return burst === 0 ? undefined : new RequestRates({ burst, refillMs: 86_400_000 / burst });
}

/** What definitions say counts more than what the settings say of them. */
function retentionFacts({
  settings,
  stores,
  definitions,
}: Pick<StorageParts, 'settings' | 'stores' | 'definitions'>): JsonMap {
  const rules = retentionRulesOf(settings);
  const { table } = definitions;
  const own = table.names().flatMap((name): [string, Json][] => {
    const said = table.latest(name)?.metadata[retentionKey];
    return said === undefined ? [] : [[name, said]];
  });
  return {
    retentionSeconds: rules.seconds,
    byStatus: Object.fromEntries(rules.byStatus),
    byDefinition: Object.fromEntries([...rules.byDefinition, ...own]),
    archive: settings.archive,
    objectStore: stores.objects?.kind ?? 'none',
  };
}
