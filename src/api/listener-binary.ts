// The native binary of uWebSockets.js comes from a repackaging of its makers' release (decision
// 0011), so it is loaded only if its bytes are those that were looked at: the process would run
// whatever stands in it with all that the server may do.
//
// The build copies the one binary of its platform into dist/listener, so an installed server does
// not bring the package with those of all platforms (250 MB). From the sources it is the package's.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Library from 'uWebSockets.js';
import { listenerHashes } from './listener-hashes.js';

const require = createRequire(import.meta.url);
const built = path.join(import.meta.dirname, '..', 'listener');

/**
 * Throws an Error with the reason when the binary of this platform and this Node.js is missing or
 * unknown. Reads it once, 20 ms.
 */
export function requireKnownBinary(
  folder: string = binaryFolder(),
  known: ReadonlyMap<string, string> = listenerHashes,
): void {
  const name = binaryName();
  const file = path.join(folder, name);
  if (!fs.existsSync(file)) throw new Error(whyMissing(folder));
  const expected = known.get(name);
  if (expected === undefined) throw new Error(`${name} is not on the list of known binaries`);
  const found = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
  if (found !== expected) {
    throw new Error(`${file} has the SHA-256 ${found} where ${expected} is on the list`);
  }
}

/** A package that was built with another Node.js holds the binary of that one alone. */
function whyMissing(folder: string): string {
  const { platform, arch, versions } = process;
  const found = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const [packed, ...more] = found.filter((name) => /^uws_\w+\.node$/.test(name));
  const missing = `there is no ${binaryName()} for Node ${versions.node} on ${platform} ${arch}`;
  return packed === undefined || more.length > 0
    ? missing
    : `${missing}, only ${packed}; pack with this Node, or run the one that packed it`;
}

/**
 * The remedy for a binary that does not load, in a sentence: the ones for newer Node.js need a
 * newer C library, which the library's own message does not say.
 */
export function whyNotLoaded(cause: unknown, node: string = process.versions.node): string {
  const text = String((cause as { message?: unknown } | undefined)?.message ?? cause);
  const wanted = /version `(GLIBC_[\d.]+)' not found/.exec(text)?.[1]?.replace('_', ' ');
  if (wanted === undefined) return text.split('\n')[0] ?? text;
  return `its binary for Node ${node} needs ${wanted}, which this system is too old for; take a newer system, or Node 20`;
}

/** The library; all of it is the binary. To be called after `requireKnownBinary`. */
export function loadBinary(): typeof Library {
  return require(path.join(binaryFolder(), binaryName())) as typeof Library;
}

function binaryName(): string {
  const { platform, arch, versions } = process;
  return `uws_${platform}_${arch}_${versions.modules}.node`;
}

function binaryFolder(): string {
  return fs.existsSync(built) ? built : path.dirname(require.resolve('uWebSockets.js'));
}
