// The native binary of uWebSockets.js comes from a repackaging of its makers' release (decision
// 0011), so it is loaded only if its bytes are those that were looked at: the process would run
// whatever stands in it with all that the server may do.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { listenerHashes } from './listener-hashes.js';

/**
 * Throws an Error with the reason when the binary of this platform and this Node.js is missing or
 * unknown, or when the package is. Reads it once, 20 ms.
 */
export function requireKnownBinary(
  folder: string = packageFolder(),
  known: ReadonlyMap<string, string> = listenerHashes,
): void {
  const { platform, arch, versions } = process;
  const name = `uws_${platform}_${arch}_${versions.modules}.node`;
  const file = path.join(folder, name);
  if (!fs.existsSync(file)) throw new Error(`There is no ${name} for this machine and Node.js`);
  const expected = known.get(name);
  if (expected === undefined) throw new Error(`${name} is not on the list of known binaries`);
  const found = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
  if (found !== expected) {
    throw new Error(`${file} has the SHA-256 ${found} where ${expected} is on the list`);
  }
}

function packageFolder(): string {
  return path.dirname(createRequire(import.meta.url).resolve('uWebSockets.js'));
}
