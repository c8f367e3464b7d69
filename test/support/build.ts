// Global setup of the tests that start the server: dist is what src says, dist/ui what ui says. The
// page is built here, because test files run side by side and would build it over each other.
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Called once by the test runner before the first test file of the project `server`. */
export function setup(): void {
  const script = fileURLToPath(new URL('../../bin/build.mjs', import.meta.url));
  execFileSync(process.execPath, [script, '--no-ui'], { stdio: ['ignore', 'inherit', 'inherit'] });
  buildPageOnce();
}

/** Unless it is there already. Where it cannot be built, the tests of `test/ui` say so. */
function buildPageOnce(): void {
  const script = fileURLToPath(new URL('../../bin/ui.mjs', import.meta.url));
  spawnSync(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Compiles the programmes of bench/ and test/torture into dist/tools. */
export function buildTools(): void {
  const prepare = new URL('../../bin/lib/prepare.mjs', import.meta.url);
  const script = `import(${JSON.stringify(prepare.href)}).then((it) => it.buildTools())`;
  execFileSync(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'inherit'] });
}
