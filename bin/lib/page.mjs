// Builds the web page into dist/ui, only when ui/ or the gallery changed since. The page is no part of the server:
// whatever goes wrong here is written to dist/ui-failure.txt, which the server shows at `/`.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { projectRoot } from './run.mjs';

const inProject = (...parts) => path.join(projectRoot, ...parts);
const stampFile = inProject('dist', 'ui-built.txt');
const failureFile = inProject('dist', 'ui-failure.txt');
const installTimeoutMs = 300_000;
/** Whatever the caller's environment says: under NODE_ENV=test a build for development came out. */
const mode = { NODE_ENV: 'production' };

/** Resolves with true when dist/ui is what ui/ says. Never rejects. */
export async function buildPage() {
  try {
    if (!fs.existsSync(inProject('ui'))) return fs.existsSync(inProject('dist', 'ui'));
    const wanted = sourceHash();
    if (isBuilt(wanted)) return true;
    console.error('building the page ...');
    await installPackages();
    await runQuietly('node', [path.join('node_modules', 'vite', 'bin', 'vite.js'), 'build'], mode);
    fs.writeFileSync(stampFile, wanted);
    fs.rmSync(failureFile, { force: true });
    return true;
  } catch (error) {
    fs.mkdirSync(inProject('dist'), { recursive: true });
    fs.rmSync(inProject('dist', 'ui'), { recursive: true, force: true });
    // The compiler colours its messages also where no terminal reads them.
    const why = stripVTControlCharacters(error.message);
    fs.writeFileSync(failureFile, why);
    console.error(`The page could not be built; the server runs without it. ${why}`);
    return false;
  }
}

/** Whether there is nothing to build. */
export function isPageBuilt() {
  return !fs.existsSync(inProject('ui')) || isBuilt(sourceHash());
}

function isBuilt(wanted) {
  return (
    fs.existsSync(stampFile) &&
    fs.readFileSync(stampFile, 'utf8') === wanted &&
    fs.existsSync(inProject('dist', 'ui', 'index.html'))
  );
}

/** Of names and contents: file times say nothing after a checkout. */
function sourceHash() {
  const hash = createHash('sha256').update(mode.NODE_ENV);
  // The pages of the gallery are templates of the page (ui/gallery.ts).
  for (const root of [inProject('ui'), inProject('docs', 'gallery')]) {
    const names = fs
      .readdirSync(root, { recursive: true })
      .filter((name) => !name.startsWith('node_modules'))
      .sort();
    for (const name of names) {
      const file = path.join(root, name);
      if (fs.statSync(file).isFile()) hash.update(name).update(fs.readFileSync(file));
    }
  }
  return hash.digest('hex');
}

async function installPackages() {
  const lock = fs.readFileSync(inProject('ui', 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  const stamp = inProject('ui', 'node_modules', '.installed');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return;
  // The tools that build it are development packages, which NODE_ENV=production would leave out.
  await runQuietly('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
  fs.writeFileSync(stamp, wanted);
}

/** Runs a programme in ui/; rejects with the end of what it wrote when it fails. */
function runQuietly(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command === 'node' ? process.execPath : command, args, {
      cwd: inProject('ui'),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: installTimeoutMs,
      shell: command === 'npm' && process.platform === 'win32',
    });
    let output = '';
    const keep = (bytes) => (output = (output + bytes).slice(-4000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`));
    });
  });
}
