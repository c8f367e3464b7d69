// What a node keeps outside Redis: payloads of clients, files of executions, the archive.
import { randomUUID } from 'node:crypto';
import type { Settings } from './config.js';
import type { NodeStores } from './node-stores.js';
import { Archive } from './operation/storage/archive.js';
import { ExternalPayloads } from './operation/storage/external-payloads.js';
import { Leaving } from './operation/storage/leaving.js';
import { SignedUrls } from './operation/storage/signed-urls.js';
import type { Clock } from './std/clock.js';

export interface NodeStorage {
  readonly urls: SignedUrls;
  readonly payloads: ExternalPayloads;
  /** undefined: executions are removed for good. */
  readonly archive: Archive | undefined;
  /** undefined: nothing stands outside Redis. */
  readonly leaving: Leaving | undefined;
}

export function buildStorage(settings: Settings, stores: NodeStores, clock: Clock): NodeStorage {
  const { objects, files, executions, secret } = stores;
  const { objectUrlSeconds, workflowPayloadBytesMax, shards } = settings;
  const urls = new SignedUrls(secret, { clock, seconds: objectUrlSeconds });
  const archive = settings.archive && objects !== undefined ? new Archive(objects) : undefined;
  return {
    urls,
    payloads: new ExternalPayloads({
      ...{ objects, urls, randomId: randomUUID },
      bytesMax: workflowPayloadBytesMax,
    }),
    archive,
    leaving:
      objects && new Leaving({ clock, shards, store: executions, files, objects, archive }),
  };
}
