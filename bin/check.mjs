// `npm run check`: builds the page and checks types and format beside it, then lint, what nothing
// uses, and the types of the page. Two of them run at once, since each uses one core; the longest
// begins first. What a check has said is shown when it ends, and one that fails ends the command
// with 1 after all have run.
// With --changed, as in CI, lint and format look at the files that have changed since the last
// landing or whole run (lib/tiers.mjs); types, and what nothing uses, are always those of the whole.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { readOptions } from './lib/options.mjs';
import { projectRoot } from './lib/run.mjs';
import { changeSinceLanding } from './lib/tiers.mjs';

/** A change of these can make any file fail. Lint asks the `tsconfig.json` of a file, no other one. */
const rules = /^(eslint\.config\.js|lint\/.*|\.prettier.*|(.*\/)?tsconfig\.json)$/;
const lockFile = 'package-lock.json';
/** The packages that judge: other versions of them can make any file fail. */
const judges =
  /^node_modules\/(eslint|prettier|typescript|typescript-eslint|@(typescript-)?eslint\/[^/]+)$/;
const linted = /\.(ts|tsx|mts|js|mjs|cjs)$/;

const options = readOptions({
  command: 'npm run check',
  about: 'Checks types, lint, format, and what nothing uses.',
  options: {
    changed: {
      type: 'boolean',
      help: 'lint and format of what has changed since the last landing or whole run',
    },
  },
});
/** undefined: lint and format look at all files. */
const changed = options.changed === true ? filesToLookAt() : undefined;
const types = script('check:types');
const format =
  changed === undefined
    ? script('check:format')
    : ofFiles('format', ['prettier', '--check', '--ignore-unknown'], changed);
const lint =
  changed === undefined
    ? script('check:lint')
    : ofFiles(
        'lint',
        ['eslint', '--no-warn-ignored'],
        changed.filter((file) => linted.test(file)),
      );
/** These need the packages of the page, which its build installs. */
const waiting = [lint, script('check:unused'), script('check:page-types')].filter(isThere);
const page = { name: 'bin/ui.mjs', command: 'node', args: ['bin/ui.mjs'] };
const failed = [];
const built = run(page);
await Promise.all([runWaiting(), runBesideThePage()]);
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function runBesideThePage() {
  for (const check of [types, format].filter(isThere)) await run(check);
  await runWaiting();
}

/** Runs checks one after the other until none is left; none where the page cannot be built. */
async function runWaiting() {
  if (!(await built)) return;
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) await run(check);
}

/** Whether it ended well. */
async function run(check) {
  const isFine = await ends(check);
  if (!isFine) failed.push(check.name);
  return isFine;
}

function isThere(check) {
  return check !== undefined;
}

function script(name) {
  return { name, command: 'npm', args: ['run', '--silent', name] };
}

/** undefined where there is none to look at. */
function ofFiles(kind, programme, files) {
  const name = `${kind} of ${files.length} changed files`;
  if (files.length === 0) return undefined;
  return { name, command: 'npx', args: ['--no-install', ...programme, ...files] };
}

/** undefined: it cannot be told, or a rule itself has changed. */
function filesToLookAt() {
  const change = changeSinceLanding();
  if (change === undefined || change.files.some((file) => rules.test(file))) return undefined;
  if (change.files.includes(lockFile) && judgesIn(change.base) !== judgesIn()) return undefined;
  return change.files.filter((file) => fs.existsSync(path.join(projectRoot, file)));
}

/** The versions of the packages that judge, of a commit or as the lock file stands. */
function judgesIn(commit) {
  const text =
    commit === undefined
      ? fs.readFileSync(path.join(projectRoot, lockFile), 'utf8')
      : spawnSync('git', ['show', `${commit}:${lockFile}`], { cwd: projectRoot, encoding: 'utf8' })
          .stdout;
  if (text === '') return undefined;
  const locked = Object.entries(JSON.parse(text).packages);
  const found = locked.filter(([name]) => judges.test(name));
  return JSON.stringify(found.map(([name, { version }]) => [name, version]));
}

/** Runs a programme and shows what it has said when it ends; whether it ended well. */
function ends({ name, command, args }) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(command, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => said.push(part));
    child.on('error', reject);
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(said));
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      console.log(`${name}: ${seconds} s`);
      resolve(code === 0);
    });
  });
}
