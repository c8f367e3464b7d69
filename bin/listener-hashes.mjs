// `node bin/listener-hashes.mjs [FOLDER]`: the SHA-256 of each native binary of the listener, as
// src/api/listener-hashes.ts lists them; with a folder, such as a checkout of the makers' release,
// whether its binaries of the same names are the same. Ends with 1 when one differs.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { readOptions } from './lib/options.mjs';
import { projectRoot } from './lib/run.mjs';

const { arguments: folders } = readOptions({
  command: 'node bin/listener-hashes.mjs',
  about: 'Lists the native binaries of the listener, or compares them with those of a folder.',
  options: {},
  positional: '[FOLDER]',
});
const ours = path.join(projectRoot, 'node_modules', 'uWebSockets.js');
const [theirs] = folders;
for (const name of fs.readdirSync(ours).filter((file) => file.endsWith('.node'))) {
  const hash = hashOf(path.join(ours, name));
  if (theirs === undefined) console.log(`  ['${name}', '${hash}'],`);
  else compare(name, hash, path.join(theirs, name));
}

function compare(name, hash, other) {
  if (!fs.existsSync(other)) {
    console.log(`${name}: not there`);
    return;
  }
  const isSame = hashOf(other) === hash;
  console.log(`${name}: ${isSame ? 'the same' : 'DIFFERS'}`);
  if (!isSame) process.exitCode = 1;
}

function hashOf(file) {
  return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
}
