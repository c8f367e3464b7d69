// The storage outside Redis (docs/storage.md): payloads of clients, files of executions, and the
// archive of executions that were removed. The kernel reads and removes through what it lends.
import { randomUUID } from 'node:crypto';
import type { ExecutionId } from '../../std/ids.js';
import { RequestRates } from '../../std/request-rates.js';
import type { Leaver } from '../../store/retention-store.js';
import { area } from '../area.js';
import { storageAdminRoutes } from './admin-endpoints.js';
import { Archive } from './archive.js';
import { EarlyFiles } from './early-files.js';
import { ExternalPayloads } from './external-payloads.js';
import { fileRoutes } from './file-endpoints.js';
import { Files } from './files.js';
import { Leaving } from './leaving.js';
import { externalPayloadRoutes } from './payload-endpoints.js';
import { RedisEarlyFileStore } from './redis-early-file-store.js';
import { RedisExecutionBytes } from './redis-execution-bytes.js';
import { RedisFileStore } from './redis-file-store.js';
import { retentionOf } from './retention.js';
import { storageSettings } from './settings.js';
import { SignedUrls } from './signed-urls.js';
import { WorkflowSizes } from './workflow-bytes.js';

const dayMs = 86_400_000;

export const storage = area({
  name: 'storage',
  about: 'Files, large payloads and the archive, in an object store.',
  settings: storageSettings,
  records: {},
  stores: (redis, _settings, { shards }) => ({
    files: new RedisFileStore(redis, shards),
    early: new RedisEarlyFileStore(redis),
    executionBytes: new RedisExecutionBytes(redis, shards),
  }),
  needsFirst: [
    ...(['clock', 'objects', 'deploymentSecret', 'executionRecords'] as const),
    ...(['shards', 'payloadBytesMax'] as const),
  ],
  lends: ['payloads', 'archive', 'beforeRemoval', 'removeFiles'],
  begin(ports, { settings, stores: { files } }) {
    const { clock, deploymentSecret, executionRecords: store, shards } = ports;
    const objects = ports.objects();
    const { objectUrlSeconds: seconds, payloadBytesPerDayMax: burst } = settings;
    const urls = new SignedUrls(deploymentSecret, { clock, seconds });
    const payloads = new ExternalPayloads({
      ...{ objects, urls, clock, randomId: randomUUID },
      bytesMax: ports.payloadBytesMax,
      // A day's bytes, which come back in a day.
      quota: burst === 0 ? undefined : new RequestRates({ burst, refillMs: dayMs / burst }),
    });
    const archive = settings.archive && objects !== undefined ? new Archive(objects) : undefined;
    const leaving = objects && new Leaving({ clock, shards, store, files, objects, archive });
    return {
      lent: {
        ...{ payloads, archive },
        beforeRemoval: leaving && ((leavers: readonly Leaver[]) => leaving.leave(leavers)),
        removeFiles: async (id: ExecutionId) => await leaving?.removeFiles([id]),
      },
      ...{ objects, urls, payloads },
    };
  },
  metrics: {
    workflowBytes: {
      name: 'downbeat_workflow_bytes',
      kind: 'gauge',
      isOfCluster: true,
      help: 'Estimated memory of the executions of a workflow in the store, of the hundred largest, as of a minute before',
      label: 'workflow',
    },
  },
  needs: [
    ...(['clock', 'log', 'operations', 'search', 'definitionTable'] as const),
    ...(['address', 'retentionRules'] as const),
  ],
  build(ports, { settings, stores, metrics, begun: { objects, urls, payloads } }) {
    const { clock, log, operations: context, search, address, retentionRules } = ports;
    const { definitionTable } = ports;
    const { files: store, executionBytes } = stores;
    const early = new EarlyFiles({
      ...{ clock, executions: context.executions, store: stores.early, files: store, objects },
      lifeMs: settings.earlyFileSeconds * 1000,
      filesMax: settings.earlyFilesPerCallerMax,
      failed: (error) => log.warn({ err: error }, 'files without an execution are removed later'),
    });
    const filesMax = settings.filesPerExecutionMax;
    const files = new Files({ context, objects, files: store, early, urls, filesMax });
    const sizes = new WorkflowSizes({
      ...{ clock, search: search.store },
      bytesOf: (ids) => executionBytes.of(ids),
      names: () => definitionTable().names(),
    });
    metrics.gauge('workflowBytes', () => sizes.shown());
    const kept = { archive: settings.archive, objectStore: objects?.kind ?? ('none' as const) };
    return {
      endpoints: [
        ...externalPayloadRoutes(payloads, address),
        ...fileRoutes(files, address),
        ...storageAdminRoutes(() => retentionOf(retentionRules, definitionTable(), kept), sizes),
      ],
      services: [early],
    };
  },
});
