// Kills the node, its Redis, or one directly after the other at random moments under a mixed load
// and judges what is left (invariants section 4). A killed node is started again on the same
// folder; a killed Redis is started again by its node.
//
// Kills come at three moments. With a batch in flight: Redis is made to stand still (SIGSTOP), and
// the kill waits until the node must have sent it commits of starts and reports that came since. A
// killed Redis then takes them with it; a killed node leaves them to a Redis that goes on and
// carries them out without a node that hears of it. Just sent: at most a few milliseconds after a
// start or report was sent, about while its commit is under way. Any: whatever is going on.
import { cpSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { killProcess, processPids } from '../../testkit/server-processes.js';
import { signalProcess } from '../../testkit/process.js';
import { pause, until } from '../../testkit/until.js';
import { checkRun } from './check-run.js';
import { eventLoadArgs } from './event-load.js';
import { Journal, type KillRecord } from './journal.js';
import { taskDefs, workflowDefs } from './load-definitions.js';
import { TortureLoad } from './load.js';
import { LiveReader } from './run-reader.js';
import type { SideLoads } from './side-load.js';
import { startSideLoads } from './side-loads.js';
import type { Fault } from './planted-node.js';
import { serverWith } from './planted-server.js';
import { createRandom, type Random } from './random.js';

export interface TortureOptions {
  readonly kills: number;
  readonly seed: number;
  /** Which processes are killed. */
  readonly victims?: readonly KillRecord['victim'][];
  /**
   * Part of the kills with a batch in flight; 0 to 1. Half of the others come when a request was
   * just sent.
   */
  readonly inFlightShare?: number;
  /** Milliseconds of undisturbed load between two kills, at least and at most. */
  readonly restMs?: readonly [number, number];
  readonly openMax?: number;
  /** How long the end may take after the last kill. */
  readonly drainMs?: number;
  /** What side-loads.ts does is judged as well. */
  readonly withSideLoads?: boolean;
  /** The server runs so many; then a kill of the node may be that of one process. */
  readonly processes?: number;
  /** Planted into the server. */
  readonly fault?: Fault;
  /**
   * Gets a copy of the server's data folder as soon as an execution is found to be gone: its
   * append-only file tells why.
   */
  readonly evidenceDir?: string;
  readonly say?: (text: string) => void;
}

export interface TortureReport {
  readonly journal: Journal;
  readonly violations: readonly string[];
  /** Longest time from a kill until health answered again, ms. */
  readonly recoveryMsMax: number;
  /** What the side loads have done, in words. */
  readonly beside: string;
}

/** Patience, not a promise: the machine may be busy with other things. */
const recoveryTimeoutMs = 60_000;
/** From a request's sending until the kill, at most: about the time a commit takes. */
const strikeDelayMsMax = 4;
/**
 * From a request's sending until the node has certainly sent its commit, also on a machine that
 * does other things.
 */
const batchDelayMsMin = 30;
const sentTimeoutMs = 5_000;
/**
 * From the kill of Redis to that of its node, at most: about the time in which it is started again
 * and loads.
 */
const bothWithinMs = 400;

export async function runTorture(options: TortureOptions): Promise<TortureReport> {
  const { seed, fault, openMax = 80, drainMs = 60_000, say = () => undefined } = options;
  const args = [...eventLoadArgs, '--processes', String(options.processes ?? 1)];
  const server = await startServer({ ...serverWith(fault), args });
  const client = new ApiClient(server.url, { connections: 128, requestTimeoutMs: 5_000 });
  const journal = new Journal();
  const load = new TortureLoad(client, journal, { seed, openMax, starters: 4, workersPerType: 2 });
  let side: SideLoads | undefined;
  try {
    if (options.withSideLoads === true) side = await startSideLoads(client, seed);
    await client.registerTasks(...taskDefs);
    await client.registerWorkflows(...workflowDefs);
    load.onGone = (id) => keepEvidence(server, id, options);
    load.begin();
    side?.begin();
    const recoveryMsMax = await killRepeatedly(server, load, journal, options);
    say(`${journal.kills.length} kills done, draining ${load.open.size} executions`);
    const isDrained = await load.drain(drainMs);
    const undrained = isDrained ? [] : [describeRest(load, drainMs)];
    await load.end();
    const socket = path.join(server.dataDir, 'redis', 'redis.sock');
    const lost = (await side?.judge(drainMs)) ?? [];
    // What did not end holds its leases.
    const store = { url: `unix://${socket}`, prefix: 'db' };
    const reader = new LiveReader(client, isDrained ? store : undefined);
    const checked = await checkRun(reader, journal);
    const beside = side?.describe() ?? 'nothing';
    const violations = [...undrained, ...checked, ...lost];
    if (violations.length > 0) say(`the server wrote last:\n${server.output.slice(-4_000)}`);
    return { journal, violations, recoveryMsMax, beside };
  } finally {
    await load.end();
    await side?.end();
    await client.close();
    await server.stop();
  }
}

/** Copies the data folder, sockets left out; the first time only. */
function keepEvidence(server: RunningServer, id: string, options: TortureOptions): void {
  const { evidenceDir, say = () => undefined } = options;
  say(`${new Date().toISOString()} execution ${id} is gone`);
  if (evidenceDir === undefined || existsSync(evidenceDir)) return;
  cpSync(server.dataDir, evidenceDir, {
    recursive: true,
    filter: (source) => !source.endsWith('.sock'),
  });
  writeFileSync(path.join(evidenceDir, 'node.log'), server.output);
}

function describeRest(load: TortureLoad, drainMs: number): string {
  const kinds = [...load.open].map(([id, start]) => `${start.workflowName} ${id}`);
  return `${kinds.length} executions did not end within ${drainMs} ms: ${kinds.slice(0, 5).join(', ')}`;
}

async function killRepeatedly(
  server: RunningServer,
  load: TortureLoad,
  journal: Journal,
  options: TortureOptions,
): Promise<number> {
  const { kills, seed, victims = ['node', 'redis', 'both'], restMs = [300, 1_500] } = options;
  const random = createRandom(seed ^ 0x5eed);
  let recoveryMsMax = 0;
  for (let kill = 0; kill < kills; kill++) {
    await pause(random.between(...restMs));
    const isBatchInFlight = await untilMoment(server, load, random, options.inFlightShare ?? 0.5);
    const victim = victims[random.between(0, victims.length - 1)] ?? 'node';
    const startedAt = journal.now();
    journal.kills.push({ victim, isBatchInFlight, at: startedAt, inFlight: journal.inFlight });
    await strike(server, victim, random);
    recoveryMsMax = Math.max(recoveryMsMax, journal.now() - startedAt);
    options.say?.(
      `${new Date().toISOString()} kill ${kill + 1} of ${kills}: ${victim}${isBatchInFlight ? ' with a batch in flight' : ''}, ` +
        `${journal.kills.at(-1)?.inFlight} requests open, back ` +
        `after ${Math.round(journal.now() - startedAt)} ms; ${journal.starts.length} starts, ` +
        `${journal.handOuts.length} hand-outs, ${journal.reports.length} reports`,
    );
  }
  return recoveryMsMax;
}

/** Resolves at one of the three moments of a kill; with true when a batch is in flight. */
async function untilMoment(
  server: RunningServer,
  load: TortureLoad,
  random: Random,
  inFlightShare: number,
): Promise<boolean> {
  if (random.next() < inFlightShare) return untilBatchInFlight(server, load, random);
  if (random.next() < 0.5) {
    await untilSent(load, () => undefined);
    await shortPause(random.next() * strikeDelayMsMax);
  }
  return false;
}

/**
 * Makes Redis stand still as soon as a start or report is sent, and waits until the node has had
 * time to send it the commit. False when nothing was sent for long.
 */
async function untilBatchInFlight(
  server: RunningServer,
  load: TortureLoad,
  random: Random,
): Promise<boolean> {
  let isStanding = false;
  await untilSent(load, () => (isStanding = stopRedis(server)));
  if (!isStanding) return false;
  await pause(batchDelayMsMin + random.next() * strikeDelayMsMax);
  return true;
}

/** False when there is none now: a fork of the one before was taken for the next one. */
function stopRedis(server: RunningServer): boolean {
  const pid = server.redisPid;
  return pid !== undefined && signalProcess(pid, 'SIGSTOP');
}

/**
 * Calls back while a start or report is being sent. False when none was for long: every worker
 * waits.
 */
function untilSent(load: TortureLoad, isSending: () => void): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const finish = (wasSent: boolean): void => {
      clearTimeout(timer);
      load.onSent = undefined;
      try {
        if (wasSent) isSending();
        resolve(wasSent);
      } catch (error) {
        reject(error as Error);
      }
    };
    const timer = setTimeout(() => finish(false), sentTimeoutMs);
    load.onSent = () => finish(true);
  });
}

/** Timers have whole milliseconds; the shorter delays are what hits a commit. */
function shortPause(delayMs: number): Promise<void> {
  const startAt = performance.now();
  return new Promise((resolve) => {
    const look = (): void => {
      if (performance.now() - startAt >= delayMs) resolve();
      else setImmediate(look);
    };
    look();
  });
}

async function strike(
  server: RunningServer,
  victim: KillRecord['victim'],
  random: Random,
): Promise<void> {
  if (victim === 'node') await killNode(server, random);
  else if (victim === 'redis') await killRedis(server);
  else await killBoth(server, random);
}

/** Redis first, then the node in the middle of starting it again. */
async function killBoth(server: RunningServer, random: Random): Promise<void> {
  server.killRedis();
  await pause(random.between(0, bothWithinMs));
  await killNode(server, random);
}

/** Of several processes one, or the supervisor, with which all of them end. */
async function killNode(server: RunningServer, random: Random): Promise<void> {
  const pids = processPids(server);
  if (pids.length > 0 && random.next() < 0.7) {
    const killed = killProcess(server, random.between(0, pids.length - 1));
    continueRedis(server);
    await killed;
    await server.healthy(recoveryTimeoutMs);
    return;
  }
  await server.kill('SIGKILL');
  continueRedis(server);
  await pause(random.between(0, 1_000));
  await server.restart(recoveryTimeoutMs);
}

function continueRedis(server: RunningServer): void {
  const pid = server.redisPid;
  if (pid !== undefined) signalProcess(pid, 'SIGCONT');
}

/** The node starts a killed Redis again by itself. */
async function killRedis(server: RunningServer): Promise<void> {
  const pid = await until('a Redis', () => server.redisPid, { timeoutMs: recoveryTimeoutMs });
  signalProcess(pid, 'SIGKILL');
  await server.redisAgain(pid, recoveryTimeoutMs);
}

/** The figures of a run, one per line. */
export function describeTorture(options: TortureOptions, report: TortureReport): string {
  const { kills, handOuts, reports, starts } = report.journal;
  const of = (victim: KillRecord['victim']): number =>
    kills.filter((kill) => kill.victim === victim).length;
  const inFlight = kills.filter((kill) => kill.isBatchInFlight).length;
  const unknown = reports.filter((record) => record.outcome === 'unknown').length;
  return [
    `seed ${options.seed}`,
    `${kills.length} kills: ${of('node')} of the node, ${of('redis')} of Redis, ${of('both')} of both; ` +
      `${inFlight} with a batch in flight; serving again after at most ${Math.round(report.recoveryMsMax)} ms`,
    `${starts.length} starts`,
    `${handOuts.length} hand-outs`,
    `${report.journal.acknowledgedReports} acknowledged updates, ${unknown} unknown`,
    `beside it: ${report.beside}`,
    `${report.violations.length} violations`,
    ...report.violations.slice(0, 20),
  ].join('\n');
}
