// A native listener whose bytes are not those on the list is not loaded (decision 0011): the server
// says so in one line and serves with node:http, or does not start where it must not.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PackedCommand } from '../support/command.js';
import { freePort } from '../../testkit/process.js';
import { until } from '../../testkit/until.js';

let downbeat: PackedCommand;

beforeAll(() => {
  downbeat = new PackedCommand('http://127.0.0.1:1');
  const folder = path.join(downbeat.root, 'dist', 'listener');
  const [name = ''] = fs.readdirSync(folder).filter((file) => file.endsWith('.node'));
  const file = path.join(folder, name);
  const bytes = fs.readFileSync(file);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  fs.rmSync(file);
  fs.writeFileSync(file, bytes);
});
afterAll(() => downbeat?.remove());

const args = async (...more: string[]): Promise<[string[], string]> => {
  const port = String(await freePort());
  const data = fs.mkdtempSync(path.join(downbeat.folder, 'data-'));
  return [['start', '--port', port, '--data-dir', data, ...more], `http://127.0.0.1:${port}`];
};

it('a server whose listener was changed says so once and serves without it', async () => {
  const [start, url] = await args();
  const server = downbeat.start(start);
  try {
    const serves = async (): Promise<boolean> => {
      if (server.hasEnded()) throw new Error(`the server ended:\n${server.output()}`);
      return (await fetch(`${url}/health`).catch(() => undefined))?.ok === true;
    };
    await until('a server that answers', serves, { timeoutMs: 60_000 });
    const said = server.output().split('\n');
    const ofListener = said.filter((line) => line.includes('uWebSockets.js'));
    expect(ofListener).toEqual([
      expect.stringMatching(
        /serving with node:http.*has the SHA-256 \w{64} where \w{64} is on the/,
      ),
    ]);
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
  }
});

it('a server that must have it does not start', async () => {
  const [start] = await args('--http-server', 'uws');
  const ran = await downbeat.run(start);
  expect(ran.code).not.toBe(0);
  expect(ran.stderr + ran.stdout).toMatch(/has the SHA-256 \w{64}.*Set --http-server to auto/);
});
