// Opens the object store that the settings name.
import path from 'node:path';
import type { ObjectStore } from '../store/object-store.js';
import { FolderObjectStore } from './folder-store.js';
import { S3ObjectStore } from './s3-store.js';

export interface ObjectStoreSettings {
  /** `auto`: a folder where the Redis is this node's own, else none. */
  readonly objectStore: string;
  readonly objectFolder: string;
  readonly dataDir: string;
  readonly redisUrl: string;
  readonly s3Endpoint: string;
  readonly s3Region: string;
  readonly s3Bucket: string;
  readonly s3Prefix: string;
  readonly s3AccessKeyId: string;
  readonly s3SecretAccessKey: string;
}

/** undefined: there is none. */
export function openObjectStore(settings: ObjectStoreSettings): ObjectStore | undefined {
  switch (settings.objectStore) {
    case 'none':
      return undefined;
    case 's3':
      return new S3ObjectStore({
        endpoint: settings.s3Endpoint || `https://s3.${settings.s3Region}.amazonaws.com`,
        region: settings.s3Region,
        bucket: settings.s3Bucket,
        prefix: settings.s3Prefix,
        accessKeyId: settings.s3AccessKeyId,
        secretAccessKey: settings.s3SecretAccessKey,
      });
    case 'folder':
      return folderOf(settings);
    default:
      return settings.redisUrl === '' ? folderOf(settings) : undefined;
  }
}

function folderOf({ objectFolder, dataDir }: ObjectStoreSettings): ObjectStore {
  return new FolderObjectStore(objectFolder || path.join(dataDir, 'objects'));
}
