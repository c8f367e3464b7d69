// Reads the entries of a zip archive from a stranger. Sizes that the archive claims are not
// believed: each entry is inflated by the platform up to what is left of a limit.
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const inflate = promisify(inflateRaw);

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const endBytes = 22;
const commentBytesMax = 0xffff;
const entryBytes = 46;
const localHeaderBytes = 30;
const entriesMax = 1000;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly compressedBytes: number;
  /** Where its local header begins. */
  readonly at: number;
}

/** The archive cannot be read; the message is fit to be shown. */
export class ZipError extends Error {}

/** Entries by name. Rejects with ZipError. `bytesMax`: of all entries together. */
export async function readZip(archive: Buffer, bytesMax: number): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  let left = bytesMax;
  for (const entry of entriesOf(archive)) {
    const content = await contentOf(archive, entry, left);
    left -= content.length;
    found.set(entry.name, content);
  }
  return found;
}

function entriesOf(archive: Buffer): Entry[] {
  const end = endOf(archive);
  const count = archive.readUInt16LE(end + 10);
  if (count > entriesMax) throw new ZipError(`it has more than ${entriesMax} entries`);
  const entries: Entry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let i = 0; i < count; i++) {
    if (at + entryBytes > end || archive.readUInt32LE(at) !== entrySignature) throw broken();
    const nameBytes = archive.readUInt16LE(at + 28);
    const more = archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    entries.push({
      name: archive.toString('utf8', at + entryBytes, at + entryBytes + nameBytes),
      method: archive.readUInt16LE(at + 10),
      compressedBytes: archive.readUInt32LE(at + 20),
      at: archive.readUInt32LE(at + 42),
    });
    at += entryBytes + nameBytes + more;
  }
  return entries;
}

/** Where the end of the directory stands: the last record of the archive, before a comment. */
function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - endBytes - commentBytesMax);
  for (let at = archive.length - endBytes; at >= first; at--) {
    if (archive.readUInt32LE(at) === endSignature) return at;
  }
  throw broken();
}

async function contentOf(archive: Buffer, entry: Entry, bytesMax: number): Promise<Buffer> {
  const { at, compressedBytes, method } = entry;
  if (at + localHeaderBytes > archive.length) throw broken();
  const names = archive.readUInt16LE(at + 26) + archive.readUInt16LE(at + 28);
  const begin = at + localHeaderBytes + names;
  const data = archive.subarray(begin, begin + compressedBytes);
  if (method === 0 && data.length <= bytesMax) return data;
  if (method !== 8) throw broken();
  if (data.length === 0) return data;
  try {
    return await inflate(data, { maxOutputLength: Math.max(1, bytesMax) });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw broken(cause);
    throw new ZipError('it is too large once it is unpacked', { cause });
  }
}

function broken(cause?: unknown): ZipError {
  return new ZipError('it is no archive that can be read', { cause });
}
