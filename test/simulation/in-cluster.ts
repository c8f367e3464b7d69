// A cluster of the simulation in which a course of events is carried out step by step.
import { inPlaceOfPlatform } from './platform.js';
import { eventsMax, Scheduler, startOfTime } from './scheduler.js';
import { Cluster, type Plant } from './simulate.js';

const scriptMs = 60_000;
/** Each node reads the records of all, each by a call of its own on a cluster. */
const eventsPerPair = 200;
const lookEveryMs = 50;

export interface ScriptedCluster {
  readonly nodes: number;
  readonly primaries?: number;
  readonly meetsOutside?: boolean;
  readonly plant?: Plant;
}

/** Carries `script` out in a cluster without faults; false: it did not reach its end. */
export async function inCluster(
  scripted: ScriptedCluster,
  script: (cluster: Cluster) => Promise<void>,
): Promise<boolean> {
  const eventsAllowed = eventsMax + scripted.nodes ** 2 * eventsPerPair;
  const scheduler = new Scheduler(1, eventsAllowed);
  return await inPlaceOfPlatform(scheduler, async () => {
    const cluster = new Cluster(scheduler, { ...scripted, seed: 1, isScheduled: true });
    for (const nodeId of cluster.nodeIds) cluster.startNode(nodeId);
    let isDone = false;
    let failure: unknown;
    void script(cluster).then(
      () => (isDone = true),
      (error: unknown) => (failure = error),
    );
    await scheduler.run(startOfTime + scriptMs, () => isDone || failure !== undefined);
    if (failure !== undefined) throw failure as Error;
    return isDone;
  });
}

export async function until(cluster: Cluster, isSo: () => boolean): Promise<void> {
  while (!isSo()) await cluster.workload.pause(lookEveryMs);
}
