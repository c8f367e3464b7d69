// What stands outside Redis: payloads of clients and files of executions.
import { externalPayloadRoutes } from './api/storage/external-payloads.js';
import { storageAdminRoutes } from './api/storage/admin.js';
import { fileRoutes } from './api/storage/files.js';
import type { Area, AreaParts } from './area.js';
import { Files } from './operation/storage/files.js';

export function storageArea({ settings, stores, storage, operations: context }: AreaParts): Area {
  const { objects, files: store } = stores;
  const { filesPerExecutionMax: filesMax, publicUrl, tlsCertFile, bodyBytesMax } = settings;
  const files = new Files({ context, objects, files: store, urls: storage.urls, filesMax });
  const address = { publicUrl, isTls: tlsCertFile !== '', bodyBytesMax };
  return {
    endpoints: [
      ...externalPayloadRoutes(storage.payloads, address),
      ...fileRoutes(files, address),
      ...storageAdminRoutes(storage),
    ],
    services: [],
  };
}
