// Global setup of the tests that start the server: dist is what src says.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Called once by the test runner before the first test file of the project `server`. */
export function setup(): void {
  const script = fileURLToPath(new URL('../../bin/build.mjs', import.meta.url));
  execFileSync(process.execPath, [script, '--no-ui'], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Compiles the programmes of bench/ and test/torture into dist/tools. */
export function buildTools(): void {
  const prepare = new URL('../../bin/lib/prepare.mjs', import.meta.url);
  const script = `import(${JSON.stringify(prepare.href)}).then((it) => it.buildTools())`;
  execFileSync(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'inherit'] });
}
