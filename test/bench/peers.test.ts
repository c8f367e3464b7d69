// The table of figures side by side: ratios in pairs of runs, and a winner for each figure, be it
// this server or not; and the driver's client, which reads answers in chunks, as other servers
// send them.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { HttpSocket, requestText } from '../../bench/http-socket.js';
import type { PeerRun } from '../../bench/peers/contract.js';
import { peerLines, peerRows, type PeerFigures } from '../../bench/peers/table.js';

function run(elapsedMs: number, us: number): PeerRun {
  const parts = { serverUs: us, redisUs: us, clientUs: us };
  return { tasks: 100, elapsedMs, ...parts, wrong: [] };
}

it('names the winner of each figure, and tells ratios in pairs of runs', () => {
  const figures = (name: string, us: number[], aloneMs: number): PeerFigures => ({
    ...{ name, settings: '' },
    loaded: us.map((each) => run(each, each)),
    alone: us.map(() => run(aloneMs, 1)),
  });
  const peers = [figures('one', [10, 20], 300), figures('other', [20, 20], 100)];
  const rows = peerRows(peers);
  expect(rows.map(({ winner }) => winner)).toEqual(['one', 'one', 'one', 'other']);
  expect(rows[1]?.ratios[1]).toMatchObject({ least: 1, greatest: 2 });
  expect(peerLines(peers)[0]).toBe('| figure | one | other | winner |');
});

it('reads an answer in chunks, whatever pieces it comes in', async () => {
  const server = http.createServer((_, response) => {
    response.write('first ');
    response.write('x'.repeat(70_000));
    response.end(' last');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = new HttpSocket(port, reject);
      socket.send(requestText('GET', '/'), (_, body) => {
        socket.close();
        resolve(body);
      });
    });
  expect(await ask()).toBe(`first ${'x'.repeat(70_000)} last`);
  server.close();
});
