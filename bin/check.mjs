// `npm run check`: builds the page, then checks types, lint, format, and what nothing uses. Two
// checks run at once, since each uses one core; the longest begins first. What a check has said is
// shown when it ends, and one that fails ends the command with 1 after all have run.
import { spawn } from 'node:child_process';
import { readOptions } from './lib/options.mjs';
import { projectRoot } from './lib/run.mjs';

const atOnce = 2;
/** Scripts of package.json. */
const checks = ['check:lint', 'check:types', 'check:format', 'check:unused'];

readOptions({
  command: 'npm run check',
  about: 'Checks types, lint, format, and what nothing uses.',
  options: {},
});
// Types of the page need its packages, and so does what nothing uses.
const isBuilt = await ends('node', ['bin/ui.mjs']);
const waiting = isBuilt ? [...checks] : [];
const failed = isBuilt ? [] : ['bin/ui.mjs'];
await Promise.all(Array.from({ length: atOnce }, runWaiting));
if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function runWaiting() {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    if (!(await ends('npm', ['run', '--silent', check]))) failed.push(check);
  }
}

/** Runs a programme and shows what it has said when it ends; whether it ended well. */
function ends(command, args) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(command, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => said.push(part));
    child.on('error', reject);
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(said));
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      console.log(`${args.at(-1)}: ${seconds} s`);
      resolve(code === 0);
    });
  });
}
