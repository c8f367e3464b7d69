// Measures what reading a small finished execution, and a page of the search, takes of the node,
// above a request that does nothing (GET /health) on the same connection, as they are and in the
// compressed forms that a browser asks for; all take turns in blocks.
import { ApiClient } from '../testkit/api-client.js';
import { cpuMsOf } from '../testkit/process.js';
import { startServer } from '../testkit/server.js';
import { HttpSocket, requestText } from './http-socket.js';
import { median } from './latencies.js';
import type { LoadSettings } from './load-driver.js';
import { measure, prepare } from './measure.js';
import { chain } from './scenarios.js';

const scenario = chain(5, 1, 64);
const finished = 500;
const requestsPerBlock = 4_000;
/** Of a page of a hundred executions, which takes about as long as forty small answers. */
const pagesPerBlock = 200;
const settings: LoadSettings = {
  ...{ mode: 'batch', window: 100, starters: 4 },
  ...{ pollers: 2, pollCount: 50, pollTimeoutMs: 500, workers: 16 },
};

interface Kind {
  readonly name: string;
  readonly paths: readonly string[];
  /** Accept-Encoding; '': as it is. */
  readonly coding: string;
  /** Requests of a block. */
  readonly count: number;
}
const codings = ['', 'gzip', 'br'];
const page = '/api/workflow/search?size=100';

/** Sends the requests one after the other. */
function sendAll(socket: HttpSocket, requests: readonly string[], count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    const next = (): void => {
      if (sent === count) return resolve();
      const request = requests[sent++ % requests.length] as string;
      socket.send(request, (status) => {
        if (status === 200) next();
        else reject(new Error(`${request}\nanswered ${status}`));
      });
    };
    next();
  });
}

/** `blocks`: how many of each kind are measured. */
export async function readingCost(blocks: number, say: (text: string) => void): Promise<void> {
  const server = await startServer();
  try {
    await prepare(server, scenario);
    const { load } = await measure(server, scenario, finished, settings);
    await load.closed;
    const client = new ApiClient(server.url);
    for (const id of load.workflowIds) await client.untilEnd(id);
    await client.close();
    const paths = load.workflowIds.map((id) => `/api/workflow/${id}`);
    const kinds: readonly Kind[] = [
      { name: 'GET /health', paths: ['/health'], coding: '', count: requestsPerBlock },
      ...codings.flatMap((coding) => [
        { name: 'a finished chain of five', paths, coding, count: requestsPerBlock },
        { name: 'a page of a hundred', paths: [page], coding, count: pagesPerBlock },
      ]),
    ];
    const socket = new HttpSocket(server.port, (error) => {
      throw error;
    });
    const us = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
    for (let block = -1; block < blocks; block++) {
      for (const [kind, taken] of us) {
        const requests = kind.paths.map((path) => requestText('GET', path, undefined, kind.coding));
        const before = cpuMsOf(server.pid);
        await sendAll(socket, requests, kind.count);
        // The first block of each kind warms up.
        if (block >= 0) taken.push(((cpuMsOf(server.pid) - before) * 1000) / kind.count);
      }
    }
    socket.close();
    const nothing = median(us.get(kinds[0] as Kind) ?? []);
    for (const [{ name, coding }, taken] of us) {
      const all = median(taken);
      const form = coding === '' ? '' : ` in ${coding}`;
      say(
        `  ${name}${form}: ${all.toFixed(1)} us of the node, ${(all - nothing).toFixed(1)} above`,
      );
    }
  } finally {
    await server.stop();
  }
}
