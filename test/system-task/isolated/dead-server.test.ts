// A job that never ends, in a process whose server was killed: nobody is left to end it, so it ends
// itself. Otherwise it would use up a core for ever.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFolder, removeFolder } from '../../../testkit/folder.js';
import { until } from '../../../testkit/until.js';
import { type BuiltWorker, buildWorker } from '../../sandbox/built-worker.js';

let worker: BuiltWorker;
let folder: string;
beforeAll(() => {
  worker = buildWorker('src/system-task/isolated/worker');
  folder = createFolder();
});
afterAll(() => {
  worker.remove();
  removeFolder(folder);
});

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it('a job without end ends with its server', async () => {
  const program = path.join(folder, 'endless.mjs');
  const begun = path.join(folder, 'begun');
  const text = `import fs from 'node:fs';
    export function run() { fs.writeFileSync(${JSON.stringify(begun)}, ''); for (;;); }`;
  fs.writeFileSync(program, text);
  const order = { program: pathToFileURL(program).href, order: null, resultBytesMax: 1000 };
  const server = `
    import { fork } from 'node:child_process';
    const child = fork(${JSON.stringify(worker.url)}.slice(7), [], { serialization: 'advanced', execArgv: [] });
    child.send(${JSON.stringify(order)});
    console.log(child.pid);
    setInterval(() => undefined, 1000);
  `;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', server], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (bytes: Buffer) => resolve(Number(bytes.toString())));
  });
  try {
    await until('the job', () => fs.existsSync(begun) || undefined);
    parent.kill('SIGKILL');
    await until('the end of the job', () => !lives(pid) || undefined);
  } finally {
    parent.kill('SIGKILL');
    if (lives(pid)) process.kill(pid, 'SIGKILL');
  }
  expect(lives(pid)).toBe(false);
});
