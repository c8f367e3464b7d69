// What `npm start`, `npm test` and the tools need before they can run, besides packages
// (packages.mjs), each step only when it is missing or out of date: a redis-server, and the server
// in dist/.
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { compile } from './compile.mjs';
import { copyScripts } from './copy-scripts.mjs';
import { copyListener } from './listener.mjs';
import { ownPackageFolders, ownPackages } from './own-packages.mjs';
import { compilePlugins, includedPlugins, installedPlugins, pluginNames } from './plugins.mjs';
import { answers, projectRoot, run } from './run.mjs';

const inProject = (...parts) => path.join(projectRoot, ...parts);

const redisInstallers = [
  {
    probe: 'apt-get',
    steps: [
      ['apt-get', 'update', '-q'],
      ['apt-get', 'install', '-q', '-y', '--no-install-recommends', 'redis-server'],
    ],
    asRoot: true,
  },
  { probe: 'brew', steps: [['brew', 'install', 'redis']], asRoot: false },
];

/**
 * Makes sure that `redis-server` is on PATH: installs it with apt-get or brew, or throws with what
 * to do. It says the commands before it runs them; at a terminal, what changes the system with
 * sudo or brew waits for a yes.
 */
export async function ensureRedisServer() {
  if (answers('redis-server', ['--version'])) return;
  const installer = redisInstallers.find(({ probe }) => answers(probe, ['--version']));
  if (installer === undefined) {
    throw new Error('redis-server is not on PATH: install Redis 6.2 or newer, or give --redis-url');
  }
  const needsSudo = installer.asRoot && process.getuid?.() !== 0;
  const commands = installer.steps.map((step) => (needsSudo ? ['sudo', ...step] : step).join(' '));
  console.error(`redis-server is not on PATH. It is installed with: ${commands.join(' && ')}`);
  if ((needsSudo || !installer.asRoot) && !(await isAgreed())) {
    throw new Error(`install it with ${commands.join(' && ')}, or give --redis-url`);
  }
  // RUNLEVEL keeps Debian's package from starting a server of its own on the usual port.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  for (const step of installer.steps) {
    // Without a terminal nobody can type a password.
    const sudo = ['sudo', ...(process.stdin.isTTY ? [] : ['-n']), '--preserve-env'];
    const [command, ...args] = needsSudo ? [...sudo, ...step] : step;
    run(command, args, { stdio: ['ignore', 2, 2], env });
  }
  if (!answers('redis-server', ['--version'])) {
    throw new Error('redis-server was installed but is not on PATH');
  }
}

/** Asked at a terminal; without one the command that was typed stands for a yes. */
async function isAgreed() {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^(y|yes|)$/i.test((await terminal.question('Install it now? [Y/n] ')).trim());
  } finally {
    terminal.close();
  }
}

/** Newest change below a folder, epoch ms. */
function newestChange(folder) {
  let newest = fs.statSync(folder).mtimeMs;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const changed = fs.statSync(path.join(entry.parentPath ?? entry.path, entry.name)).mtimeMs;
    if (changed > newest) newest = changed;
  }
  return newest;
}

/** Whether everything in the given paths, from the project's folder, is older than the stamp file. */
function isUpToDate(stamp, paths) {
  if (!fs.existsSync(stamp)) return false;
  const built = fs.statSync(stamp).mtimeMs;
  return paths
    .map((name) => inProject(name))
    .every((entry) => {
      const stat = fs.statSync(entry);
      return (stat.isDirectory() ? newestChange(entry) : stat.mtimeMs) < built;
    });
}

/**
 * Carries out a build unless what it makes is there. One build of this folder runs at a time:
 * tests and programmes that start together would write over each other's files.
 */
function buildOnce(isBuilt, build) {
  if (isBuilt()) return;
  const lock = inProject('dist', '.building');
  fs.mkdirSync(inProject('dist'), { recursive: true });
  while (!takesLock(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  try {
    if (!isBuilt()) build();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

/** False while another process has the lock, a file with the id of its process. */
function takesLock(lock) {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isAlive(lock)) fs.rmSync(lock, { force: true });
    return false;
  }
}

/** Whether the process runs that a lock names. One that is just being written or removed counts. */
function isAlive(lock) {
  try {
    const pid = Number(fs.readFileSync(lock, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/**
 * Bundles server and command into dist, then compiles the plug-ins that are installed.
 */
export function buildServer() {
  bundleServer();
  buildPlugins();
}

function buildPlugins() {
  const names = installedPlugins();
  const stamp = inProject('dist', `.plugins-built-${names.join('-')}`);
  const sources = ['src', 'tsconfig.json', 'package-lock.json', 'plugins/contract/package.json'];
  buildOnce(
    () => isUpToDate(stamp, [...sources, ...names.map((name) => `plugins/${name}/src`)]),
    () => stamped(stamp, () => compilePlugins(names)),
  );
}

function bundleServer() {
  const stamp = inProject('dist', '.built');
  const sources = [
    ...['src', 'cli', ...ownPackageFolders.map((folder) => `${folder}/src`)],
    ...includedPlugins.flatMap((name) => [`plugins/${name}/src`, `plugins/${name}/package.json`]),
    ...['package.json', 'package-lock.json', 'bin/lib/bundle.mjs'],
  ];
  buildOnce(
    () => isUpToDate(stamp, sources),
    () =>
      stamped(stamp, () => {
        console.error('building the server ...');
        // An earlier version compiled each source to a file of its own.
        for (const name of fs.readdirSync(inProject('src'))) {
          const made = inProject('dist', name.replace(/\.ts$/, '.js'));
          fs.rmSync(made, { recursive: true, force: true });
        }
        fs.rmSync(inProject('dist', 'cli'), { recursive: true, force: true });
        run(process.execPath, [inProject('bin', 'lib', 'bundle.mjs')], { stdio: ['ignore', 2, 2] });
        copyListener(inProject('dist', 'listener'));
      }),
  );
}

/** Compiles the programmes of bench/, cluster/ and test/ into dist/tools. */
export function buildTools() {
  const stamp = inProject('dist', 'tools', '.built');
  const sources = [
    ...['src', 'bench', 'cluster', 'testkit', 'bin/lib'],
    ...ownPackageFolders.map((folder) => `${folder}/src`),
    ...pluginNames().map((name) => `plugins/${name}/src`),
    ...['test/support', 'test/torture', 'test/simulation', 'test/attack', 'test/soak', 'test/ui'],
    ...['tsconfig.tools.json', 'tsconfig.json'],
  ];
  buildOnce(
    () => isUpToDate(stamp, sources),
    () =>
      stamped(stamp, () => {
        compileTools();
        // What they use of bin, and their own copy of the server's scripts: programmes that measure
        // a part of the server bring a compiled copy of it.
        const options = path.join('bin', 'lib', 'options.mjs');
        fs.cpSync(inProject(options), inProject('dist', 'tools', options));
        copyScripts(inProject('src'), inProject('dist', 'tools', 'src'));
      }),
  );
}

/** Types are not checked here but by `npm run check`: that takes twice as long as the rest. */
function compileTools() {
  console.error('building the tools (5 to 20 s) ...');
  compile('tsconfig.tools.json', '--noCheck');
  linkOwnPackages(inProject('dist', 'tools'));
  // Nearer than that of the bundles, which are no ECMAScript modules.
  const { name, version, type } = JSON.parse(fs.readFileSync(inProject('package.json'), 'utf8'));
  fs.writeFileSync(
    inProject('dist', 'tools', 'package.json'),
    JSON.stringify({ name, version, type }),
  );
}

/** Programmes find the packages of this repository as they are compiled beside them. */
function linkOwnPackages(made) {
  for (const [name, source] of Object.entries(ownPackages(made))) {
    const folder = path.join(made, 'node_modules', name);
    const compiled = path.relative(folder, source.replace(/\.ts$/, '.js'));
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(
      path.join(folder, 'package.json'),
      JSON.stringify({ name, type: 'module', exports: './index.js' }),
    );
    fs.writeFileSync(
      path.join(folder, 'index.js'),
      `export * from '${compiled.split(path.sep).join('/')}';\n`,
    );
  }
}

/** The stamp says when the build began: a change made meanwhile is newer. */
function stamped(stamp, build) {
  const startedAt = new Date();
  build();
  fs.writeFileSync(stamp, '');
  fs.utimesSync(stamp, startedAt, startedAt);
}
