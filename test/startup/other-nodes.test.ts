// The package on newer lines of Node.js than the one it was packed with: it serves and a worker
// does a task. Where the native listener cannot be used, one line says why and what to do.
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { PackedCommand } from '../support/command.js';
import { tell } from '../support/figures.js';
import { freePort, type Program } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { install, installTimeoutMs } from '../support/tool-cache.js';
import { until } from '../../testkit/until.js';

const lines = [22, 24] as const;
const startMsMax = 60_000;
const testTimeoutMs = installTimeoutMs + 4 * startMsMax;

let downbeat: PackedCommand | undefined;
let server: Program | undefined;
afterEach(async () => {
  server?.child.kill('SIGTERM');
  await server?.ended;
  downbeat?.remove();
  [server, downbeat] = [undefined, undefined];
});

/** The programme of this line of Node.js, from its package; or why there is none here. */
async function nodeOf(line: number): Promise<{ file: string } | { missing: string }> {
  const name = `node-${process.platform}-${process.arch}`;
  const npm = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--prefix'];
  const installed = await install(`${name}-${line}`, (folder) => [
    ['npm', ...npm, folder, `${name}@${line}`],
    [path.join(folder, 'node_modules', name, 'bin', 'node'), '--version'],
  ]);
  if ('missing' in installed) return installed;
  return { file: path.join(installed.folder, 'node_modules', name, 'bin', 'node') };
}

/** Starts the package's server; resolves with its address once it serves. */
async function serve(command: PackedCommand): Promise<string> {
  const port = await freePort();
  const data = fs.mkdtempSync(path.join(command.folder, 'data-'));
  const started = command.start(['start', '--port', String(port), '--data-dir', data]);
  server = started;
  const url = `http://127.0.0.1:${port}`;
  const serves = async (): Promise<boolean> => {
    if (started.hasEnded()) throw new Error(`the server ended:\n${started.output()}`);
    return (await fetch(`${url}/health`).catch(() => undefined))?.ok === true;
  };
  await until('a server that answers', serves, { timeoutMs: startMsMax });
  return url;
}

const ofListener = (): string[] =>
  (server?.output() ?? '').split('\n').filter((line) => line.includes('uWebSockets.js'));

/** Registers a definition, lets a worker of the command do its task, and follows it to its end. */
async function work(command: PackedCommand, url: string): Promise<void> {
  const definition = {
    ...{ name: 'greet', version: 1, ownerEmail: 'a@b.co', schemaVersion: 2, timeoutSeconds: 0 },
    tasks: [{ name: 'say', taskReferenceName: 'say', type: 'SIMPLE' }],
    outputParameters: { word: '${say.output.word}' },
  };
  fs.mkdirSync(path.join(command.folder, 'defs', 'workflows'), { recursive: true });
  const file = path.join(command.folder, 'defs', 'workflows', 'greet.json');
  fs.writeFileSync(file, JSON.stringify(definition));
  const to = ['--server', url];
  const applied = await command.run(['apply', 'defs', ...to]);
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  const worker = command.start(['worker', 'run', 'say', '--js', '() => ({ word: "hi" })', ...to]);
  try {
    const ran = await command.run(['run', 'greet', '--follow', '--json', ...to]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('"word": "hi"');
  } finally {
    worker.child.kill('SIGTERM');
    await worker.ended;
  }
}

describe.each(lines)('with Node %i', (line) => {
  it('the package serves and a worker works', { timeout: testTimeoutMs }, async ({ skip }) => {
    const node = await nodeOf(line);
    if ('missing' in node) {
      tell(node.missing);
      return skip(node.missing);
    }
    downbeat = new PackedCommand('http://127.0.0.1:1', node.file);
    await work(downbeat, await serve(downbeat));
    expect(ofListener()).toHaveLength(1);
    expect(ofListener()[0]).toMatch(
      /serving with node:http.*no uws_\w+\.node for Node 2.*, only uws_\w+\.node; pack with this/,
    );
  });

  it(
    'that has its own listener loads it or says why not',
    { timeout: testTimeoutMs },
    async ({ skip }) => {
      const node = await nodeOf(line);
      if ('missing' in node) return skip(node.missing);
      downbeat = new PackedCommand('http://127.0.0.1:1', node.file);
      // As a clone has it that was prepared with this Node.
      const all = path.join(projectRoot, 'node_modules', 'uWebSockets.js');
      for (const name of fs.readdirSync(all)) {
        if (!name.startsWith(`uws_${process.platform}_${process.arch}_`)) continue;
        fs.copyFileSync(path.join(all, name), path.join(downbeat.root, 'dist', 'listener', name));
      }
      await serve(downbeat);
      const said = ofListener();
      expect(said.length).toBeLessThanOrEqual(1);
      for (const text of said) expect(text).toMatch(/needs GLIBC [\d.]+, which this system is too/);
      tell(`Node ${line}: ${said.length === 0 ? 'loads the listener' : 'serves with node:http'}`);
    },
  );
});
