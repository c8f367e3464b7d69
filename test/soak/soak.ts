// The soak: rounds of the same work on one server, each with names of its own, after which nothing
// of the round may be left: no execution once its retention is over, no key, no finding of fsck,
// and in the long run no memory.
import fs from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { ApiClient } from '../../testkit/api-client.js';
import { freePort, memoryBytesOf } from '../../testkit/process.js';
import { serverProgram, startServer } from '../../testkit/server.js';
import { pause, until } from '../../testkit/until.js';
import { completing, ScriptedWorkers } from '../support/workers.js';
import { grownKeys, lastingKeys } from './lasting-keys.js';
import { LiveHeap } from './live-heap.js';
import { loadNames, loads, registered, workedTypes } from './loads.js';

export interface SoakOptions {
  readonly rounds: number;
  /** Multiplies the work of a round. */
  readonly size: number;
  /** Names of the loads to run; empty: all. */
  readonly only: readonly string[];
  /** Folder for the snapshots of the heap after the middle round and the last one. */
  readonly evidence?: string;
  readonly say: (text: string) => void;
}

export interface SoakRound {
  /** Of the node's objects that are in use. */
  readonly heapBytes: number;
  readonly residentBytes: number;
  readonly redisBytes: number;
  /** Executions that the round has started, at least. */
  readonly started: number;
}

export interface SoakReport {
  readonly rounds: readonly SoakRound[];
  readonly findings: readonly string[];
}

/** Executions of a round are gone after so long, or never. */
const goneWithinMs = 60_000;
/** Records that follow executions, such as entries of their indexes, go a moment later. */
const settleMs = 3_000;
/** Growth of the heap is judged behind so many rounds: caches fill in the first ones. */
const judgedFrom = 20;
/** Bytes of the heap that a round of size 1 may add from then on: V8 keeps compiling. */
const heapBytesPerRoundMax = 256 * 1024;

/** Runs the rounds; the server and its Redis are ended. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const inspector = await freePort();
  const server = await startServer({
    args: ['--retention-seconds', '1'],
    program: [`--inspect=127.0.0.1:${inspector}`, serverProgram],
  });
  const client = new ApiClient(server.url);
  const redis = new Redis(path.join(server.dataDir, 'redis', 'redis.sock'));
  const heap = await LiveHeap.of(inspector);
  const scripts = Object.fromEntries(workedTypes.map((type) => [type, completing({ v: 1 })]));
  await client.registerTasks({ name: 'soak_failing', retryCount: 1, retryDelaySeconds: 0 });
  const workers = new ScriptedWorkers(client, {
    ...scripts,
    soak_failing: () => ({ status: 'FAILED', reason: 'as the soak wants it' }),
  });
  const rounds: SoakRound[] = [];
  const findings: string[] = [];
  try {
    await client.registerWorkflows(...registered);
    let before: ReadonlyMap<string, number> | undefined;
    for (let round = 0; round < options.rounds; round++) {
      const started = await runLoads(client, round, options);
      findings.push(...(await leftOver(client, round)));
      const keys = await lastingKeys(redis);
      if (before !== undefined) {
        findings.push(...grownKeys(before, keys).map((text) => `round ${round}: ${text}`));
      }
      before = keys;
      const seen = {
        heapBytes: await heap.bytes(),
        residentBytes: memoryBytesOf(server.pid),
        redisBytes: Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]),
        started,
      };
      rounds.push(seen);
      options.say(`round ${round}: ${describe(seen)}`);
      await keepEvidence(heap, round, options);
    }
    findings.push(...heapGrowth(rounds, options.size));
  } finally {
    await workers.stop();
    heap.close();
    redis.disconnect();
    await client.close();
    await server.stop();
  }
  return { rounds, findings };
}

async function runLoads(client: ApiClient, round: number, options: SoakOptions): Promise<number> {
  const { only, size } = options;
  let started = 0;
  for (const name of loadNames) {
    if (only.length > 0 && !only.includes(name)) continue;
    started += await loads[name]({ client, round, size });
  }
  return started;
}

/** Sentences about what should be gone and is not. */
async function leftOver(client: ApiClient, round: number): Promise<string[]> {
  const left = async (): Promise<{ totalHits: number; results: { workflowType: string }[] }> =>
    (await client.ask('GET', '/api/workflow/search?size=1&query=')).body as never;
  try {
    await until('the end of the executions', async () => (await left()).totalHits === 0, {
      timeoutMs: goneWithinMs,
    });
  } catch {
    const { totalHits, results } = await left();
    const one = `one of ${results[0]?.workflowType}`;
    return [`round ${round}: ${totalHits} executions are still there, ${one}`];
  }
  await pause(settleMs);
  const { violations } = (await client.ask('GET', '/api/admin/fsck')).body as {
    violations: { kind: string; sentence: string }[];
  };
  return violations.map(({ kind, sentence }) => `round ${round}: fsck: ${kind}: ${sentence}`);
}

function describe({ heapBytes, residentBytes, redisBytes, started }: SoakRound): string {
  const [heap, resident, redis] = [heapBytes, residentBytes, redisBytes].map((bytes) =>
    (bytes / 1024 / 1024).toFixed(1),
  );
  return `${started} executions; heap ${heap} MB, resident ${resident} MB, Redis ${redis} MB`;
}

async function keepEvidence(heap: LiveHeap, round: number, options: SoakOptions): Promise<void> {
  const { evidence, rounds } = options;
  if (evidence === undefined) return;
  if (round !== Math.floor(rounds / 2) && round !== rounds - 1) return;
  fs.mkdirSync(evidence, { recursive: true });
  await heap.write(path.join(evidence, `round-${round}.heapsnapshot`));
}

/** A sentence when the heap still grows once caches are full: by the medians of two thirds. */
export function heapGrowth(rounds: readonly SoakRound[], size: number): string[] {
  const judged = rounds.slice(judgedFrom).map(({ heapBytes }) => heapBytes);
  const third = Math.floor(judged.length / 3);
  if (third < 3) return [];
  const between = judged.length - third;
  const grown = median(judged.slice(-third)) - median(judged.slice(0, third));
  const perRound = grown / between / size;
  if (perRound <= heapBytesPerRoundMax) return [];
  return [`the heap grows by ${(perRound / 1024).toFixed(0)} KB a round`];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
