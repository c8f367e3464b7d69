// The native binary of the HTTP listener, one for each platform and version of Node.js. Its package
// holds all of them (250 MB), so the build copies the one of this machine into dist/listener, and a
// clone that only runs the server unpacks that one alone. The server loads it only where its hash
// is known (decision 0011).
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from './run.mjs';

const inProject = (...parts) => path.join(projectRoot, ...parts);
/** Its name in package.json. */
const listenerPackage = 'uWebSockets.js';
const place = `node_modules/${listenerPackage}`;

/**
 * Copies the binary and its licence into a folder; one that the package has not is left out. It
 * comes in place of an earlier one as a new file: the code of a server that runs from this folder
 * is read from the old one, and writing into that ends the server with a segmentation fault.
 */
export function copyListener(folder) {
  fs.mkdirSync(folder, { recursive: true });
  for (const name of [binaryName(), 'LICENSE']) {
    const file = inProject(place, name);
    if (!fs.existsSync(file)) continue;
    const made = path.join(folder, `${name}.${process.pid}`);
    fs.copyFileSync(file, made);
    fs.renameSync(made, path.join(folder, name));
  }
}

/**
 * Whether the binary is there as it is locked, in its package or unpacked; or it was looked for,
 * and there is none for this machine: then the server listens with Node's own.
 */
export function hasListener(packages) {
  if (fs.existsSync(inProject(place, binaryName()))) return true;
  const stamp = stampFile();
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === stampOf(packages);
}

/** Fetches the package and unpacks the binary into dist/listener; other programmes run meanwhile. */
export async function fetchListener(packages) {
  const { name, version, integrity } = packages[place];
  fs.mkdirSync(inProject('dist'), { recursive: true });
  const folder = fs.mkdtempSync(inProject('dist', '.listener-'));
  try {
    await npmPack(`${name}@${version}`, folder);
    const [file] = fs.readdirSync(folder).map((each) => path.join(folder, each));
    const [kind, wanted] = integrity.split(/-(.*)/s);
    const found = createHash(kind).update(fs.readFileSync(file)).digest('base64');
    if (found !== wanted) throw new Error(`${name} ${version} is not the one of package-lock.json`);
    unpack(file, inProject('dist', 'listener'));
    fs.writeFileSync(stampFile(), stampOf(packages));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function npmPack(what, folder) {
  return new Promise((resolve, reject) => {
    const args = ['pack', what, '--pack-destination', folder, '--loglevel=error'];
    const child = spawn('npm', args, {
      ...{ cwd: projectRoot, stdio: ['ignore', 'ignore', 2] },
      shell: process.platform === 'win32',
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`npm ${args.join(' ')} ended with ${code}`));
    });
  });
}

/** Nothing where the package has no binary for this machine. */
function unpack(file, target) {
  fs.rmSync(target, { recursive: true, force: true });
  fs.mkdirSync(target, { recursive: true });
  const names = [binaryName(), 'LICENSE'].map((name) => `package/${name}`);
  for (const name of names) {
    const args = ['-xzf', file, '-C', target, '--strip-components=1', name];
    spawnSync('tar', args, { stdio: 'ignore' });
  }
}

function binaryName() {
  const { platform, arch, versions } = process;
  return `uws_${platform}_${arch}_${versions.modules}.node`;
}

function stampFile() {
  return inProject('dist', '.listener-fetched');
}

function stampOf(packages) {
  return `${binaryName()} ${packages[place].integrity}\n`;
}
