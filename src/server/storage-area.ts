// The area of what stands outside Redis: payloads of clients and files of executions.
import { externalPayloadRoutes } from '../api/storage/external-payloads.js';
import { storageAdminRoutes } from '../api/storage/admin.js';
import { fileRoutes } from '../api/storage/files.js';
import type { Area, AreaParts } from './area.js';
import { EarlyFiles } from '../operation/storage/early-files.js';
import { Files } from '../operation/storage/files.js';

export function storageArea(parts: AreaParts): Area {
  const { settings, stores, storage, operations: context, clock, log } = parts;
  const { objects, files: store } = stores;
  const early = new EarlyFiles({
    ...{ clock, executions: context.executions, store: stores.earlyFiles, files: store, objects },
    lifeMs: settings.earlyFileSeconds * 1000,
    filesMax: settings.earlyFilesPerCallerMax,
    failed: (error) => log.warn({ err: error }, 'files without an execution are removed later'),
  });
  const { filesPerExecutionMax: filesMax, publicUrl, tlsCertFile, bodyBytesMax } = settings;
  const files = new Files({ context, objects, files: store, early, urls: storage.urls, filesMax });
  const address = { publicUrl, isTls: tlsCertFile !== '', bodyBytesMax };
  return {
    endpoints: [
      ...externalPayloadRoutes(storage.payloads, address),
      ...fileRoutes(files, address),
      ...storageAdminRoutes(storage),
    ],
    services: [early],
  };
}
