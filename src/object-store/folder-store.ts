// Objects as files below a folder. A file is written beside its place, synced and renamed, so that
// there is the whole object or none after a crash. What a crash left beside is removed a day later.
// Nodes of a cluster share such a folder, or use S3.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isObjectKey, type ObjectFacts, type ObjectStore } from '../store/object-store.js';

/** Where files stand until they are whole; no key begins with a dot. */
const unfinished = '.unfinished';
/** No node still writes a file that is so old, ms. */
const leftForMs = 86_400_000;

export class FolderObjectStore implements ObjectStore {
  readonly kind = 'folder';

  /** Once, before the first object is put. */
  #swept: Promise<void> | undefined;

  constructor(private readonly folder: string) {}

  async put(key: string, content: Buffer): Promise<void> {
    const target = this.#fileOf(key);
    const beside = path.join(this.folder, unfinished, randomUUID());
    await mkdir(path.dirname(beside), { recursive: true, mode: 0o700 });
    // One that cannot be removed takes room and disturbs nobody.
    await (this.#swept ??= removeOld(path.dirname(beside)).catch(() => undefined));
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    try {
      await writeSynced(beside, content);
      await rename(beside, target);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
    await syncFolder(path.dirname(target));
  }

  async get(key: string): Promise<Buffer | undefined> {
    try {
      return await readFile(this.#fileOf(key));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async facts(key: string): Promise<ObjectFacts | undefined> {
    const content = await this.get(key);
    return (
      content && {
        bytes: content.length,
        hash: createHash('sha256').update(content).digest('hex'),
      }
    );
  }

  async remove(key: string): Promise<void> {
    await rm(this.#fileOf(key), { force: true });
  }

  #fileOf(key: string): string {
    if (!isObjectKey(key)) throw new Error(`'${key}' is no key of an object`);
    return path.join(this.folder, ...key.split('/'));
  }
}

async function writeSynced(file: string, content: Buffer): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes what nodes that died were writing. */
async function removeOld(folder: string): Promise<void> {
  const before = Date.now() - leftForMs;
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    // It may be whole, and in its place, by now.
    const facts = await stat(file).catch(() => undefined);
    if (facts !== undefined && facts.mtimeMs < before) await rm(file, { force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Also where a file stands in the place of a folder. */
function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
}
