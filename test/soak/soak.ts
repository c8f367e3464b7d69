// The soak: rounds of the same work on one server, each with names of its own, after which nothing
// of the round may be left: no execution once its retention is over, no key, no finding of fsck,
// and in the long run no memory.
import fs from 'node:fs';
import path from 'node:path';
import type { TopologyKind } from '../../cluster/redis-topologies.js';
import type { ApiClient } from '../../testkit/api-client.js';
import { pause, until } from '../../testkit/until.js';
import { completing, ScriptedWorkers } from '../support/workers.js';
import { grownKeys, lastingKeys } from './lasting-keys.js';
import { loadNames, loads, registered, workedTypes } from './loads.js';
import { startCluster, startNode, type Subject } from './subject.js';

export interface SoakOptions {
  /** More than one: a cluster, whose heaps are not looked at. */
  readonly nodes: number;
  /** Of a cluster. */
  readonly redis: TopologyKind;
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
  /** Of the node's objects that are in use; undefined: of a cluster. */
  readonly heapBytes: number | undefined;
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

/** Runs the rounds; all that was started is ended. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { nodes, redis } = options;
  const subject = await (nodes > 1 ? startCluster(nodes, redis) : startNode());
  try {
    return await runRounds(subject, options);
  } finally {
    await subject.stop();
  }
}

async function runRounds(subject: Subject, options: SoakOptions): Promise<SoakReport> {
  const [first] = subject.clients as [ApiClient];
  const rounds: SoakRound[] = [];
  const findings: string[] = [];
  await first.registerTasks({ name: 'soak_failing', retryCount: 1, retryDelaySeconds: 0 });
  await first.registerWorkflows(...registered);
  const workers = subject.clients.map(working);
  try {
    let before: ReadonlyMap<string, number> | undefined;
    for (let round = 0; round < options.rounds; round++) {
      const started = await runLoads(subject, round, options);
      findings.push(...(await leftOver(first, round)));
      const keys = await lastingKeys(subject.stores);
      if (before !== undefined) {
        findings.push(...grownKeys(before, keys).map((text) => `round ${round}: ${text}`));
      }
      before = keys;
      const seen = await lookedAt(subject, started);
      rounds.push(seen);
      options.say(`round ${round}: ${describe(seen)}`);
      await keepEvidence(subject, round, options);
    }
  } finally {
    await Promise.all(workers.map((each) => each.stop()));
  }
  return { rounds, findings: [...findings, ...heapGrowth(rounds, options.size)] };
}

function working(client: ApiClient): ScriptedWorkers {
  return new ScriptedWorkers(client, {
    ...Object.fromEntries(workedTypes.map((type) => [type, completing({ v: 1 })])),
    soak_failing: () => ({ status: 'FAILED', reason: 'as the soak wants it' }),
  });
}

/** Each load asks one node, in turn. */
async function runLoads(subject: Subject, round: number, options: SoakOptions): Promise<number> {
  const { clients } = subject;
  const { only, size } = options;
  let started = 0;
  for (const [i, name] of loadNames.entries()) {
    if (only.length > 0 && !only.includes(name)) continue;
    const client = clients[(round + i) % clients.length] as ApiClient;
    started += await loads[name]({ client, round, size });
  }
  return started;
}

async function lookedAt(subject: Subject, started: number): Promise<SoakRound> {
  const texts = await Promise.all(subject.stores.map((store) => store.info('memory')));
  const redisBytes = texts
    .map((text) => Number(/^used_memory:(\d+)/m.exec(text)?.[1]))
    .reduce((sum, bytes) => sum + bytes, 0);
  const heapBytes = await subject.heap?.bytes();
  return { heapBytes, residentBytes: subject.residentBytes(), redisBytes, started };
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
  const inMegabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
  const heap = heapBytes === undefined ? '' : `heap ${inMegabytes(heapBytes)} MB, `;
  const all = `resident ${inMegabytes(residentBytes)} MB, Redis ${inMegabytes(redisBytes)} MB`;
  return `${started} executions; ${heap}${all}`;
}

async function keepEvidence(
  { heap }: Subject,
  round: number,
  { evidence, rounds }: SoakOptions,
): Promise<void> {
  if (evidence === undefined || heap === undefined) return;
  if (round !== Math.floor(rounds / 2) && round !== rounds - 1) return;
  fs.mkdirSync(evidence, { recursive: true });
  await heap.write(path.join(evidence, `round-${round}.heapsnapshot`));
}

/** A sentence when the heap still grows once caches are full: by the medians of two thirds. */
export function heapGrowth(rounds: readonly SoakRound[], size: number): string[] {
  const judged = rounds.slice(judgedFrom).flatMap(({ heapBytes }) => heapBytes ?? []);
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
