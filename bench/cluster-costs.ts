// What a local cluster costs: commands of Redis and processor time of processes.
import type { LocalCluster } from '../cluster/local-cluster.js';
import { cpuMsOf } from '../test/support/process.js';

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
