// Both kinds of object stores by one suite; S3 against a server of our own that checks signatures.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FolderObjectStore } from '../../src/object-store/folder-store.js';
import { S3ObjectStore } from '../../src/object-store/s3-store.js';
import type { ObjectStore } from '../../src/store/object-store.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { s3Keys, S3Server } from '../support/s3-server.js';

let folder: string;
let s3: S3Server;
const stores = {} as { folder: ObjectStore; s3: S3ObjectStore };

beforeAll(async () => {
  folder = createFolder();
  s3 = await S3Server.start();
  stores.folder = new FolderObjectStore(folder);
  stores.s3 = s3Store();
});
afterAll(async () => {
  removeFolder(folder);
  await s3.stop();
});

function s3Store(over: { secretAccessKey?: string } = {}): S3ObjectStore {
  const place = { endpoint: s3.url, region: 'us-east-1', bucket: 'bucket', prefix: 'db/' };
  return new S3ObjectStore({ ...place, ...s3Keys, ...over });
}

describe.each(['folder', 's3'] as const)('an object store of kind %s', (kind) => {
  it('gives back what was put, whole, and replaces it', async () => {
    const store = stores[kind];
    const content = Buffer.from([0, 255, 1, 254]);
    await store.put('a/b-1/c_2.json', content, 'application/json');
    expect(await store.get('a/b-1/c_2.json')).toEqual(content);
    expect(await store.facts('a/b-1/c_2.json')).toMatchObject({ bytes: 4 });
    await store.put('a/b-1/c_2.json', Buffer.from('other'), 'text/plain');
    expect(String(await store.get('a/b-1/c_2.json'))).toBe('other');
    await store.remove('a/b-1/c_2.json');
    expect(await store.get('a/b-1/c_2.json')).toBeUndefined();
  });

  it('knows nothing of what is not there', async () => {
    const store = stores[kind];
    expect(await store.get('a/none')).toBeUndefined();
    expect(await store.facts('a/none')).toBeUndefined();
    await store.remove('a/none');
  });

  it.each(['../a', 'a/../b', '/a', 'a//b', '.hidden', 'a b', 'a?b', 'a/', '', 'x'.repeat(901)])(
    'refuses the key %j',
    async (key) => {
      await expect(stores[kind].put(key, Buffer.from('x'), 'text/plain')).rejects.toThrow(/no key/);
    },
  );
});

describe('a folder of objects', () => {
  it('holds no half-written object under its key', async () => {
    const below = path.join(folder, 'blocked');
    fs.writeFileSync(below, 'a file in the place of a folder');
    await expect(stores.folder.put('blocked/x', Buffer.from('x'), 'text/plain')).rejects.toThrow();
    expect(await stores.folder.get('blocked/x')).toBeUndefined();
  });
});

describe('what a node that died was writing', () => {
  it('goes a day later, and what another one writes now stays', async () => {
    const shared = createFolder();
    try {
      const beside = path.join(shared, '.unfinished');
      fs.mkdirSync(beside);
      for (const name of ['old', 'new']) fs.writeFileSync(path.join(beside, name), 'half');
      const dayAgo = Date.now() / 1000 - 90_000;
      fs.utimesSync(path.join(beside, 'old'), dayAgo, dayAgo);
      await new FolderObjectStore(shared).put('a/b', Buffer.from('x'));
      expect(fs.readdirSync(beside)).toEqual(['new']);
    } finally {
      removeFolder(shared);
    }
  });
});

describe('a bucket of objects', () => {
  it('is asked again when it does not answer', async () => {
    s3.failures = 2;
    await stores.s3.put('again', Buffer.from('x'), 'text/plain');
    expect(s3.objects.has('/bucket/db/again')).toBe(true);
  });

  it('says what it was told when the keys are wrong', async () => {
    const wrong = s3Store({ secretAccessKey: 'wrong' });
    await expect(wrong.get('again')).rejects.toThrow(/403 SignatureDoesNotMatch/);
  });

  it('signs URLs that clients use by themselves', async () => {
    const { direct } = stores.s3;
    const put = await fetch(await direct.url('PUT', 'by-url', 60), { method: 'PUT', body: 'mine' });
    expect(put.status).toBe(200);
    expect(await (await fetch(await direct.url('GET', 'by-url', 60))).text()).toBe('mine');
    const forged = (await direct.url('GET', 'by-url', 60)).replace('by-url', 'again');
    expect((await fetch(forged)).status).toBe(403);
  });

  it('takes an upload in parts', async () => {
    const { direct } = stores.s3;
    const id = await direct.startParts('parts');
    const tags: string[] = [];
    for (const [i, body] of ['first ', 'second'].entries()) {
      const url = await direct.partUrl('parts', id, i + 1, 60);
      const answer = await fetch(url, { method: 'PUT', body });
      tags.push(answer.headers.get('etag') ?? '');
    }
    await expect(direct.completeParts('parts', id, ['"x"'])).rejects.toThrow(/InvalidPart/);
    await direct.completeParts('parts', id, tags);
    expect(String(await stores.s3.get('parts'))).toBe('first second');
    const second = await direct.startParts('parts');
    await direct.abortParts('parts', second);
    await direct.abortParts('parts', second);
  });
});
