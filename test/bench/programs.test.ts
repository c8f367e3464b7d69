// What every programme of package.json says of itself: `--help` prints its usage and starts
// nothing, and an option that it does not have is refused with a sentence.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTools } from '../support/build.js';
import { projectRoot } from '../../testkit/project.js';
import { readProjectFile } from '../structure/source-tree.js';

/** Scripts that run one programme after another have no options of their own. */
const chains = ['setup:tests'];
/** Tools of others, which `check` runs. */
const isPart = (name: string): boolean => name.startsWith('check:');
/** Hands options on to vitest. */
const handsOn = ['test', 'test:all'];

const { scripts } = JSON.parse(readProjectFile('package.json')) as {
  scripts: Readonly<Record<string, string>>;
};
const programs = Object.entries(scripts)
  .filter(([name]) => !chains.includes(name) && !isPart(name))
  .map(([name, script]) => ({ name, args: script.replace(/^(exec )?node /, '').split(' ') }));

interface Ended {
  readonly code: number | string | null | undefined;
  readonly out: string;
  readonly err: string;
}

function run(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: projectRoot, timeout: 60_000 };
    const child = execFile(process.execPath, args, options, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, out, err }),
    );
    child.stdin?.end();
  });
}

beforeAll(buildTools, 180_000);

it('has programmes, each one call of node', () => {
  expect(programs.length).toBeGreaterThan(10);
  for (const { args } of programs) {
    expect(path.extname(args.find((one) => !one.startsWith('-')) ?? '')).toBe('.mjs');
  }
});

describe.concurrent.each(programs)('npm run $name', ({ name, args }) => {
  it('prints its usage', async () => {
    const { code, out, err } = await run([...args, '--help']);
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out).toMatch(/\nusage: (npm|node) .+\n/);
    const options = out.split('\n').filter((line) => line.startsWith('  '));
    expect(options.filter((line) => /^ {2}--help +prints this$/.test(line))).toHaveLength(1);
    for (const line of options) expect(line).toMatch(/^ {2}--\S.* {2}\S/);
  });

  it.skipIf(handsOn.includes(name))('refuses an option that it does not have', async () => {
    const command = name === 'admin' ? ['create-key'] : [];
    const { code, out, err } = await run([...args, ...command, '--no-such-option']);
    expect(err).toMatch(/^There is no (option|setting) --no-such-option[.:][^\n]*\n$/);
    expect(out).toBe('');
    expect(code).toBe(2);
  });
});
