// Measures what reading a small finished execution takes of the node, above a request that does
// nothing (GET /health) on the same connection; the two take turns in blocks.
import { ApiClient } from '../test/support/api-client.js';
import { cpuMsOf } from '../test/support/process.js';
import { startServer } from '../test/support/server.js';
import { HttpSocket, requestText } from './http-socket.js';
import { median } from './latencies.js';
import type { LoadSettings } from './load-driver.js';
import { measure, prepare } from './measure.js';
import { chain } from './scenarios.js';

const scenario = chain(5, 1, 64);
const finished = 500;
const requestsPerBlock = 4_000;
const settings: LoadSettings = {
  ...{ mode: 'batch', window: 100, starters: 4 },
  ...{ pollers: 2, pollCount: 50, pollTimeoutMs: 500, workers: 16 },
};

/** Sends the requests one after the other. */
function sendAll(socket: HttpSocket, requests: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    const next = (): void => {
      if (sent === requestsPerBlock) return resolve();
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
    const reads = load.workflowIds.map((id) => requestText('GET', `/api/workflow/${id}`));
    const kinds = { health: [requestText('GET', '/health')], execution: reads };
    const socket = new HttpSocket(server.port, (error) => {
      throw error;
    });
    const us: Record<keyof typeof kinds, number[]> = { health: [], execution: [] };
    for (let block = -1; block < blocks; block++) {
      for (const kind of ['health', 'execution'] as const) {
        const before = cpuMsOf(server.pid);
        await sendAll(socket, kinds[kind]);
        // The first block of each kind warms up.
        if (block < 0) continue;
        us[kind].push(((cpuMsOf(server.pid) - before) * 1000) / requestsPerBlock);
      }
    }
    socket.close();
    const [health, execution] = [median(us.health), median(us.execution)];
    say(
      `  GET /health ${health.toFixed(1)} us of the node, a finished chain of five ` +
        `${execution.toFixed(1)} us: ${(execution - health).toFixed(1)} us above`,
    );
  } finally {
    await server.stop();
  }
}
