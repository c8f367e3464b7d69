// A node that may open no more files, since clients hold so many connections: it goes on, with its
// private Redis, and serves again once they are gone. Needs prlimit of util-linux; elsewhere it is
// skipped with a sentence.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { expect, it } from 'vitest';
import { ApiClient, type ApiAnswer } from '../../testkit/api-client.js';
import { signalProcess } from '../../testkit/process.js';
import { startServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import { tell } from '../support/figures.js';

const limit = 'prlimit';
const hasLimit = can(() => execFileSync(limit, ['--version']));
if (!hasLimit) tell('skipped: a limit of open files of a process that runs needs prlimit');

function can(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

it.skipIf(!hasLimit)(
  'goes on while it may open no more files, also when its Redis ends',
  async () => {
    const server = await startServer();
    const api = new ApiClient(server.url, { connections: 1 });
    const ask = (): Promise<ApiAnswer> => api.request('GET', '/api/metadata/workflow');
    const sockets: net.Socket[] = [];
    try {
      await ask();
      const { pid } = server;
      const openFiles = (): number => fs.readdirSync(`/proc/${pid}/fd`).length;
      const most = openFiles() + 20;
      const redis = server.redisPid as number;
      execFileSync(limit, ['--pid', String(pid), `--nofile=${most}:${most}`]);
      for (let i = 0; i < 60; i++) {
        const socket = net.connect(server.port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write('GET /health HTTP/1.1\r\n');
        sockets.push(socket);
      }
      await until('the limit', () => openFiles() >= most);
      // On a connection from before, for longer than the node takes to look after its Redis again.
      for (let asked = 0; asked < 1_000; asked++) {
        expect((await ask()).status).toBe(200);
      }
      expect(server.output).not.toContain('starting it again');
      signalProcess(redis, 'SIGKILL');
      await until('word of it', () => server.output.includes('the private Redis does not start'));
      for (const socket of sockets) socket.destroy();
      await server.redisAgain(redis);
      expect((await ask()).status).toBe(200);
    } finally {
      await api.close();
      for (const socket of sockets) socket.destroy();
      await server.stop();
    }
  },
);
