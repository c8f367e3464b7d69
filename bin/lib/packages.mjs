// Installs packages of package-lock.json: all that build and test (ensurePackages), or the few that
// build and run the server (ensureServerPackages), which is what `npm start` needs in a fresh clone.
// What is installed is compared, not when: a fresh checkout has new file times, and installing would
// empty a folder that other checkouts may share by a link.
import fs from 'node:fs';
import path from 'node:path';
import { bundledPackages } from './bundled-packages.mjs';
import { fetchListener, hasListener } from './listener.mjs';
import {
  closureOf,
  coreToolPackages,
  holdsPackages,
  lockOf,
  readLock,
} from './locked-packages.mjs';
import { installedPlugins, pluginNames } from './plugins.mjs';
import { projectRoot, run } from './run.mjs';

const inProject = (...parts) => path.join(projectRoot, ...parts);
const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];

/** What builds the server and its handbook. */
const buildPackages = ['marked', 'minisearch', 'rolldown'];

/** A package that only those have who build and test. */
const forDevelopment = 'node_modules/typescript';

/** Installs what builds, runs and tests the server with the named plug-ins, unless it is there. */
export function ensurePackages(plugins = pluginNames()) {
  const packages = readLock();
  const links = plugins.map((name) => `@downbeat/plugin-${name}`);
  const wanted = [...coreToolPackages(packages), ...closureOf(packages, links)];
  if (holdsPackages(packages, installedPackages(), wanted)) return;
  console.error('installing packages (npm ci, one to three minutes) ...');
  const some = ['contract', ...plugins].flatMap((name) => ['--workspace', `plugins/${name}`]);
  const chosen =
    plugins.length === 0 ? ['--workspaces=false'] : [...some, '--include-workspace-root'];
  npm(['ci', ...chosen, ...quietly], projectRoot);
}

/**
 * Installs what builds and runs the server, with the plug-ins that are there already, unless it is
 * there. A clone with the packages for development keeps them. Returns when the packages are there;
 * the promise it returns resolves when the listener is there too, which takes longer.
 */
export function ensureServerPackages() {
  const installed = installedPackages();
  if (installedPlugins().length > 0 || installed[forDevelopment] !== undefined) {
    ensurePackages(installedPlugins());
    return Promise.resolve();
  }
  const packages = readLock();
  const names = serverPackages(packages);
  const isHeld = holdsPackages(packages, installed, closureOf(packages, names));
  const needsListener = !hasListener(packages);
  if (isHeld && !needsListener) return Promise.resolve();
  console.error('installing packages ...');
  // Of 98 MB: fetched beside the rest.
  const listener = needsListener ? fetchListener(packages) : Promise.resolve();
  // Prevents an unhandled rejection; the caller that awaits it still sees it.
  listener.catch(() => undefined);
  if (!isHeld) installOnly(names);
  return listener;
}

/** Names of the packages that build and run the server. */
export function serverPackages(packages) {
  const { dependencies, optionalDependencies } = packages[''];
  return [
    ...Object.keys({ ...dependencies, ...optionalDependencies }),
    ...bundledPackages,
    ...buildPackages,
  ];
}

/** npm installs all of a lock file, so it is given one that names these alone, in another folder. */
function installOnly(names) {
  fs.mkdirSync(inProject('dist'), { recursive: true });
  const folder = fs.mkdtempSync(inProject('dist', '.install-'));
  try {
    const manifest = JSON.parse(fs.readFileSync(inProject('package.json'), 'utf8'));
    const lock = JSON.parse(fs.readFileSync(inProject('package-lock.json'), 'utf8'));
    const parts = lockOf({ manifest, lock, names });
    fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(parts.manifest));
    fs.writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(parts.lock));
    if (fs.existsSync(inProject('.npmrc'))) {
      fs.copyFileSync(inProject('.npmrc'), path.join(folder, '.npmrc'));
    }
    // Some are development packages elsewhere; here all are what they are installed for.
    npm(['ci', ...quietly], folder);
    fs.rmSync(inProject('node_modules'), { recursive: true, force: true });
    fs.renameSync(path.join(folder, 'node_modules'), inProject('node_modules'));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function npm(args, cwd) {
  run('npm', args, { cwd, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
}

/** Packages as npm has recorded that it installed them; none where it has not. */
function installedPackages() {
  const record = inProject('node_modules', '.package-lock.json');
  return fs.existsSync(record) ? readLock(record) : {};
}
