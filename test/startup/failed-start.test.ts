// A start that cannot succeed says why in one sentence that names the setting and what to do, on
// standard error, which is no terminal here.
import net from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { freePort, startProgram } from '../../testkit/process.js';
import { nodeOptions, projectRoot } from '../../testkit/project.js';
import { startLocalRedis } from '../../testkit/redis.js';
import { startServer } from '../../testkit/server.js';
import { httpLibraries } from '../support/http-libraries.js';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function folder(): string {
  const made = createFolder();
  cleanUps.push(() => removeFolder(made));
  return made;
}

/** The exit code and what was written of a server that does not come up. */
async function failedStart(args: readonly string[]): Promise<{ code: unknown; said: string }> {
  const main = path.join(projectRoot, 'dist', 'main.js');
  const program = startProgram(process.execPath, [...nodeOptions, main, ...args], {
    cwd: projectRoot,
  });
  const { code } = await program.ended;
  return { code, said: program.output() };
}

const stackLine = /^\s+at .*:\d+:\d+/m;

function expectSentence(result: { code: unknown; said: string }, sentence: RegExp, code = 1): void {
  expect(result.said).toMatch(sentence);
  expect(result.said).not.toMatch(stackLine);
  expect(result.said.match(/could not start/g)).toHaveLength(1);
  expect(result.code).toBe(code);
}

describe('a start that cannot succeed', () => {
  it('names --redis-url when that Redis cannot be reached, without its password', async () => {
    const [port, redisPort] = [await freePort(), await freePort()];
    const redisUrl = `redis://someone:s3cret@127.0.0.1:${redisPort}`;
    const result = await failedStart([
      ...['--port', String(port), '--data-dir', folder(), '--redis-url', redisUrl],
    ]);
    expectSentence(
      result,
      new RegExp(
        `Redis at redis://127.0.0.1:${redisPort} cannot be reached: start it, or set --redis-url`,
      ),
    );
    expect(result.said).not.toContain('s3cret');
  });

  it('names --peer-port when that is taken', async () => {
    const redis = await startLocalRedis();
    cleanUps.push(() => redis.stop());
    const holder = net.createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => new Promise((resolve) => holder.close(resolve)));
    const { port } = holder.address() as net.AddressInfo;
    const result = await failedStart([
      ...['--port', String(await freePort()), '--data-dir', folder(), '--redis-url', redis.url],
      ...['--peer-port', String(port)],
    ]);
    const sentence = `Port ${port} of 127.0.0.1 is taken: stop what listens there, or set --peer-port`;
    expectSentence(result, new RegExp(sentence));
  });

  it.each(httpLibraries)('names --port when that is taken (%s)', async (httpServer) => {
    const holder = net.createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => new Promise((resolve) => holder.close(resolve)));
    const { port } = holder.address() as net.AddressInfo;
    const result = await failedStart([
      ...['--port', String(port), '--data-dir', folder(), '--http-server', httpServer],
    ]);
    expectSentence(result, new RegExp(`Port ${port} of 127.0.0.1 is taken: .* --port`));
  });

  it('names --data-dir when another server uses that folder', async () => {
    const server = await startServer({ dataDir: folder() });
    cleanUps.push(() => server.stop());
    const port = await freePort();
    const result = await failedStart(['--port', String(port), '--data-dir', server.dataDir]);
    expectSentence(
      result,
      new RegExp(
        `data folder .* is in use by a running node \\(process ${server.pid}\\).* --data-dir`,
      ),
    );
  });

  // One that cannot be made, and one that is there and takes no files.
  it.runIf(process.platform === 'linux').each([
    ['/proc/nope', 'made'],
    ['/proc', 'written'],
  ])('refuses the folder %s as a setting that cannot be used', async (dataDir, done) => {
    const sentence = new RegExp(
      `The data folder ${dataDir} cannot be ${done} \\(.*\\)\\. Give one .* --data-dir`,
    );
    for (const more of [[], ['--processes', '2']]) {
      const port = String(await freePort());
      expectSentence(
        await failedStart(['--port', port, '--data-dir', dataDir, ...more]),
        sentence,
        2,
      );
    }
  });
});
