// `node image-root.mjs ROOT [--beside FOLDER] PROGRAM...`: copies programmes of a Debian image and
// the libraries that they are linked with into ROOT, so that an image holds these alone. With them
// go the licences of their packages and the packages' entries, which scanners of images read. What
// FOLDER holds already is left out. It stands alone: deploy/Dockerfile runs it before anything else.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const given = process.argv.slice(2);
const besideAt = given.indexOf('--beside');
const [, beside] = besideAt < 0 ? [] : given.splice(besideAt, 2);
const [root, ...programs] = given;

const ask = (program, ...args) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const files = new Set();
for (const program of programs) {
  const file = ask('sh', '-c', `command -v ${program}`).trim();
  files.add(inUsr(file));
  for (const [library] of ask('ldd', file).matchAll(/\/\S+/g)) files.add(inUsr(library));
}
for (const name of ['bin', 'lib', 'lib64', 'sbin']) {
  const link = path.join(root, name);
  fs.mkdirSync(path.join(root, 'usr', name), { recursive: true });
  if (beside === undefined) fs.symlinkSync(path.join('usr', name), link);
}
const packages = new Set();
for (const file of files) {
  if (!put(file)) continue;
  const owner = ownerOf(file);
  if (owner !== undefined) packages.add(owner);
}
for (const name of packages) {
  const entry = path.join(root, 'var/lib/dpkg/status.d', name);
  fs.mkdirSync(path.dirname(entry), { recursive: true });
  fs.writeFileSync(entry, ask('dpkg-query', '--status', name));
  put(`/usr/share/doc/${name}/copyright`);
}

/** Where a file lies below /usr: /bin and /lib are links there. */
function inUsr(file) {
  return path.join(fs.realpathSync(path.dirname(file)), path.basename(file));
}

/** Copies a file, and what it links to in its place; false where it is there already. */
function put(file) {
  if (beside !== undefined && fs.existsSync(path.join(beside, file))) return false;
  const target = path.join(root, file);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.copyFileSync(file, target);
  return true;
}

/** The package that brought a file; none did for Node. */
function ownerOf(file) {
  try {
    return ask('dpkg-query', '--search', file).split(':')[0];
  } catch {
    return undefined;
  }
}
