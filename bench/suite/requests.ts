// Sends requests over connections of their own, each with one request at a time, and keeps what was
// answered.
import { HttpSocket } from '../http-socket.js';
import { percentile } from '../latencies.js';

export interface Answered {
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** In the order of the requests. */
  readonly bodies: readonly string[];
}

/** Rejects at the first answer that is not 200 or 204. */
export async function sendAll(
  port: number,
  connections: number,
  requests: readonly string[],
): Promise<Answered> {
  const bodies: string[] = [];
  const took: number[] = [];
  let next = 0;
  const startAt = performance.now();
  const work = async (): Promise<void> => {
    const sockets: HttpSocket[] = [];
    try {
      while (next < requests.length) {
        const index = next++;
        const sentAt = performance.now();
        bodies[index] = await sendOne(port, requests[index] as string, sockets);
        took.push(performance.now() - sentAt);
      }
    } finally {
      for (const socket of sockets) socket.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const elapsedMs = performance.now() - startAt;
  took.sort((a, b) => a - b);
  return { elapsedMs, p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99), bodies };
}

/** Opens the connection into `sockets` when there is none. */
function sendOne(port: number, request: string, sockets: HttpSocket[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = sockets[0] ?? new HttpSocket(port, reject);
    if (sockets.length === 0) sockets.push(socket);
    socket.send(request, (status, body) => {
      if (status === 200 || status === 204) resolve(body);
      else reject(new Error(`${request.slice(0, 200)}\nanswered ${status}: ${body.slice(0, 300)}`));
    });
  });
}
