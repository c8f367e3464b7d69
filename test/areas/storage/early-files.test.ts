// Files whose execution never comes end with their content; one whose maker has started it stays
// (docs/storage.md).
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FolderObjectStore } from '../../../src/object-store/folder-store.js';
import { EarlyFiles, earlyFileKey } from '../../../src/areas/storage/early-files.js';
import { RedisEarlyFileStore } from '../../../src/areas/storage/redis-early-file-store.js';
import { RedisFileStore } from '../../../src/areas/storage/redis-file-store.js';
import type { StoredFile } from '../../../src/areas/storage/file-store.js';
import { createFolder, removeFolder } from '../../../testkit/folder.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import type { ExecutionId } from '../../../src/std/ids.js';
import { sampleId, startStore, storeKinds, type TestStore } from '../../../testkit/samples.js';

const lifeMs = 60_000;

describe.each(storeKinds)('on %s', (kind) => {
  let test: TestStore;
  let folder: string;
  beforeAll(async () => {
    test = await startStore(kind);
    folder = createFolder();
  });
  afterAll(async () => {
    await test.stop();
    removeFolder(folder);
  });

  /** Early files of an execution that ann has started, and how one is made. */
  function openFiles(id: ExecutionId) {
    const clock = new VirtualClock();
    const store = new RedisEarlyFileStore(test.redis);
    const files = new RedisFileStore(test.redis, 8);
    const objects = new FolderObjectStore(path.join(folder, 'objects'));
    const executions = {
      read: (wanted: string) =>
        Promise.resolve(wanted === id ? { id, startedBy: 'ann' } : undefined),
    };
    const open = (): EarlyFiles =>
      new EarlyFiles({
        ...{ clock, store, files, objects, lifeMs, filesMax: 10 },
        executions: executions as never,
        failed: (error) => expect.unreachable(String(error)),
      });
    const early = open();
    const make = async (name: string, workflowId: string, madeBy: string): Promise<string> => {
      const fileId = early.idOf(name);
      const now = clock.now();
      const file: StoredFile = {
        ...{ fileId, fileName: undefined, contentType: undefined, taskId: undefined },
        ...{ status: 'UPLOADED', bytes: 1, hash: undefined, createdAt: now, updatedAt: now },
      };
      await early.put(workflowId, madeBy, file);
      await objects.put(earlyFileKey(fileId), Buffer.from('x'));
      return fileId;
    };
    return { clock, store, files, objects, early, open, make };
  }

  it('early files keep the content that an execution has taken over, whoever ends them beside', async () => {
    const id = sampleId(2);
    const { clock, store, objects, early, open, make } = openFiles(id);
    const names = Array.from({ length: 40 }, (_, at) => `taken${at}`);
    const made = await Promise.all(names.map(async (name) => await make(name, id, 'ann')));
    clock.advance(lifeMs + 1);
    const nodes = [early, open(), open()];
    await Promise.all(nodes.map(async (each) => await each.start()));
    await Promise.all(nodes.map(async (each) => await each.runOnce()));
    await Promise.all(nodes.map(async (each) => await each.stop()));
    const left = await Promise.all(
      made.map(async (fileId) => await objects.get(earlyFileKey(fileId))),
    );
    expect(left.map(String)).toEqual(names.map(() => 'x'));
    expect(await store.ended(Number.MAX_SAFE_INTEGER, 100)).toEqual([]);
  });

  it('early files end, unless their maker has started the execution', async () => {
    const id = sampleId(1);
    const { clock, store, files, objects, early, make } = openFiles(id);
    const alone = await make('alone', 'never', 'ann');
    const taken = await make('taken', id, 'ann');
    const foreign = await make('foreign', id, 'bob');
    expect([await store.count('ann'), await store.count('bob')]).toEqual([2, 1]);
    await early.start();
    await early.runOnce();
    expect(await early.find(alone)).toMatchObject({ madeBy: 'ann', workflowId: 'never' });
    expect(await early.find(foreign)).toMatchObject({ madeBy: 'bob' });

    clock.advance(lifeMs + 1);
    expect(await early.find(alone)).toBeUndefined();
    await early.runOnce();
    await early.stop();
    expect(await files.get(id, taken)).toMatchObject({ fileId: taken });
    expect(await files.get(id, foreign)).toBeUndefined();
    const left = await Promise.all(
      [alone, taken, foreign].map(async (fileId) => await objects.get(earlyFileKey(fileId))),
    );
    expect(left.map((content) => content?.toString())).toEqual([undefined, 'x', undefined]);
    expect([await store.count('ann'), await store.count('bob')]).toEqual([0, 0]);
    expect(await store.ended(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });
});
