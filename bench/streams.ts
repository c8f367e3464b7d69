// Measures what live streams cost: memory and processor time of a server with many idle ones, the
// time until all of them have heard of an execution, and what a commit pays while somebody listens.
//
//   node bin/tool.mjs bench/streams --streams 5000
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { readOptions } from '../bin/lib/options.mjs';
import { Changes, taskPart } from '../src/engine/decision.js';
import type { OpenExecution } from '../src/engine/open-execution.js';
import type { Task } from '../src/model/execution.js';
import { ExecutionChanges } from '../src/operation/live/execution-changes.js';
import type { Peers } from '../src/placement/peer/peers.js';
import { TopicNotices } from '../src/placement/topic-notices.js';
import { systemClock } from '../src/std/clock.js';
import { ApiClient } from '../testkit/api-client.js';
import { startServer, type RunningServer } from '../testkit/server.js';
import { pause, until } from '../testkit/until.js';

const { streams } = readOptions({
  command: 'node bin/tool.mjs bench/streams',
  about: 'Measures what live streams cost.',
  options: { streams: { type: 'integer', default: 5000, about: 'streams that are open' } },
});
const idleMs = 10_000;
const calls = 1_000_000;
const ticksPerSecond = 100;

/** Resident memory, MB, and processor time so far, ms. */
function costOf(pid: number): { megabytes: number; cpuMs: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { megabytes: kilobytes / 1024, cpuMs: (ticks * 1000) / ticksPerSecond };
}

/** Per cent of a core while nothing happens. */
async function idleLoad({ pid }: RunningServer): Promise<number> {
  const before = costOf(pid).cpuMs;
  await pause(idleMs);
  return ((costOf(pid).cpuMs - before) * 100) / idleMs;
}

class Reader {
  text = '';
  readonly socket: Socket;

  constructor(port: number, topics: string) {
    this.socket = connect({ host: '127.0.0.1', port });
    this.socket.write(`GET /api/stream?topics=${topics} HTTP/1.1\r\nHost: bench\r\n\r\n`);
    this.socket.on('data', (bytes) => (this.text += bytes.toString('latin1')));
  }
}

async function measureServer(): Promise<void> {
  const server = await startServer();
  const api = new ApiClient(server.url);
  const readers: Reader[] = [];
  try {
    const task = { name: 'w', taskReferenceName: 'w', type: 'WAIT' };
    await api.registerWorkflows({ name: 'streamed', version: 1, tasks: [task] } as never);
    const without = { ...costOf(server.pid), load: await idleLoad(server) };
    const beginAt = performance.now();
    while (readers.length < streams) {
      for (let i = 0; i < 100; i++) readers.push(new Reader(server.port, 'executions,inbox'));
      await until('the streams', () => readers.at(-1)?.text.includes('event: ready'));
    }
    const openMs = performance.now() - beginAt;
    const load = await idleLoad(server);
    const { megabytes } = costOf(server.pid);
    const startAt = performance.now();
    const before = costOf(server.pid).cpuMs;
    await api.start({ name: 'streamed', version: 1 });
    await until('the news', () => readers.every(({ text }) => text.includes('streamed')));
    const newsMs = performance.now() - startAt;
    const newsCpuMs = costOf(server.pid).cpuMs - before;
    const perStream = ((megabytes - without.megabytes) * 1024) / streams;
    console.log(
      `${streams} streams, opened in ${openMs.toFixed(0)} ms: ${megabytes.toFixed(0)} MB resident ` +
        `(${without.megabytes.toFixed(0)} without, ${perStream.toFixed(1)} kB each), idle ` +
        `${load.toFixed(1)} % of a core (${without.load.toFixed(1)} without); all heard of a start ` +
        `after ${newsMs.toFixed(0)} ms, ${newsCpuMs.toFixed(0)} ms of processor time`,
    );
  } finally {
    for (const { socket } of readers) socket.destroy();
    await api.close();
    await server.stop();
  }
}

/** Microseconds that a commit of one task pays. */
async function measureCommit(topics: readonly string[]): Promise<number> {
  const alone = { handle: () => undefined, onUp: () => undefined, onDown: () => undefined };
  const peers = { ...alone, connected: [] } as unknown as Peers;
  const notices = new TopicNotices(peers, systemClock);
  if (topics.length > 0)
    await notices.want(topics, { changed: () => undefined, missed: () => undefined });
  const follower = new ExecutionChanges(notices);
  const changes = new Changes();
  changes.touch({} as Task, taskPart.record);
  const ids = Array.from(
    { length: 1000 },
    (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
  );
  const opens = ids.map((id) => ({ execution: { id } }) as unknown as OpenExecution);
  let told = 0;
  const run = (): void => {
    for (let i = 0; i < calls; i++) {
      const open = opens[i % opens.length] as OpenExecution;
      if (follower.isFollowing && follower.planned(open, changes) !== undefined) told++;
    }
  };
  run();
  const beginAt = performance.now();
  run();
  if (told > 0) throw new Error('the commits are those that nobody hears of');
  return ((performance.now() - beginAt) * 1000) / calls;
}

for (const [who, topics] of [
  ['nobody listens', []],
  ['others listen', ['executions', 'execution:another']],
] as const) {
  console.log(`a commit while ${who}: ${(await measureCommit(topics)).toFixed(3)} us`);
}
await measureServer();
