// Counts the costs of a local cluster: commands of Redis, processor time and instructions of
// processes.
import { spawn } from 'node:child_process';
import type { LocalCluster } from '../cluster/local-cluster.js';
import { cpuMsOf } from '../testkit/process.js';
import { pause } from '../testkit/until.js';

/** Calls by command since Redis started, those inside scripts too. */
export function commandsOf(cluster: LocalCluster): Map<string, number> {
  const info = cluster.topology.primary().ask('INFO', 'commandstats');
  const found = info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return new Map([...found].map(([, name, calls]) => [name as string, Number(calls)]));
}

/** Processor time of a process so far, s. */
export function processorSeconds(pid: number): number {
  return cpuMsOf(pid) / 1000;
}

/**
 * Counts the instructions in user mode of the processes from now on, by `perf`: other work on the
 * machine changes them least. The function that it resolves with ends the count, and answers
 * undefined where there is no `perf` or it may not count.
 */
export async function countInstructions(
  pids: readonly number[],
): Promise<() => Promise<number | undefined>> {
  const args = ['stat', '-x,', '-e', 'instructions:u', '-p', pids.join(',')];
  const perf = spawn('perf', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  perf.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const ended = new Promise<void>((resolve) => {
    perf.on('error', () => resolve());
    perf.on('close', () => resolve());
  });
  // It says nothing when it has begun.
  await Promise.race([ended, pause(perfStartMs)]);
  return async () => {
    perf.kill('SIGINT');
    await ended;
    const counted = /^(\d+),,instructions:u/m.exec(said)?.[1];
    return counted === undefined ? undefined : Number(counted);
  };
}

const perfStartMs = 1_000;
