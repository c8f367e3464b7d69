// What goes wrong in a simulation: which faults, when, and how each is carried out.
import type { Cluster } from './simulate.js';
import type { Scheduler } from './scheduler.js';

export const faultNames = [
  'crash',
  'pause',
  'freeze',
  'leave',
  'break',
  'flaky-store',
  'stuck-store',
  'repeats',
  'open-lock',
  'store-away',
  'cut',
  'noise',
  'lost-answers',
  'failover',
] as const;

export type FaultName = (typeof faultNames)[number];

export interface Fault {
  readonly name: FaultName;
  /** ms after the start. */
  readonly at: number;
  readonly lengthMs: number;
  /** Which node, by its place. */
  readonly victim: number;
  readonly other: number;
}

const faultsMax = 8;
/** Longer than the lease of a node. */
const frozenMsMin = 2900;

export function chooseFaults(
  scheduler: Scheduler,
  withinMs: number,
  only: FaultName | undefined,
): Fault[] {
  const { random } = scheduler;
  const count = random.between(only ? 2 : 0, faultsMax);
  // Few kinds at a time: what one of them does is not hidden by all the others.
  const kinds = only ? [only] : [1, 2, 3].map(() => scheduler.pick(faultNames));
  return Array.from({ length: count }, () => ({
    name: scheduler.pick(kinds),
    at: random.next() * withinMs,
    lengthMs: random.between(20, 4000),
    victim: random.between(0, 3),
    other: random.between(0, 3),
  }));
}

/** Carries a fault out, and its end. */
export function inflict(cluster: Cluster, fault: Fault): void {
  const { scheduler, nodeIds } = cluster;
  const nodeId = nodeIds[fault.victim % nodeIds.length] as string;
  scheduler.trace('fault', fault.name, nodeId);
  const end = carryOut(cluster, fault, nodeId);
  if (end !== undefined) scheduler.after(fault.lengthMs, end);
}

function carryOut(cluster: Cluster, fault: Fault, nodeId: string): (() => void) | undefined {
  const { storeWeather, networkWeather, workload } = cluster;
  const node = cluster.nodes.get(nodeId);
  const restart = (): void => {
    if (cluster.nodes.get(nodeId)?.clock.isOver === true) cluster.startNode(nodeId);
  };
  switch (fault.name) {
    case 'crash':
      node?.die();
      return restart;
    case 'pause':
      node?.clock.pause();
      return () => node?.clock.goOn();
    case 'freeze':
      freeze(cluster, nodeId, frozenMsMin + fault.lengthMs / 2);
      return undefined;
    case 'leave':
      void node?.stop().catch((error: unknown) => cluster.reported.push(String(error)));
      // What takes too long to leave is killed.
      return () => {
        node?.die();
        restart();
      };
    case 'break':
      cluster.clients.get(nodeId)?.break();
      return undefined;
    case 'flaky-store':
      storeWeather.breaks = 0.01;
      return () => (storeWeather.breaks = 0);
    case 'stuck-store':
      storeWeather.stuck = 0.01;
      return () => (storeWeather.stuck = 0);
    case 'repeats':
      storeWeather.repeats = 0.2;
      return () => (storeWeather.repeats = 0);
    case 'open-lock':
      cluster.store.isLockOpen = true;
      return () => (cluster.store.isLockOpen = false);
    case 'store-away':
      storeWeather.away = true;
      for (const client of cluster.clients.values()) client.break();
      return () => (storeWeather.away = false);
    case 'cut': {
      const other = cluster.nodeIds[fault.other % cluster.nodeIds.length] as string;
      if (other !== nodeId) cluster.network.cut(nodeId, other);
      return () => cluster.network.mend();
    }
    case 'noise':
      Object.assign(networkWeather, { delayMs: 100, lost: 0.2, repeated: 0.2 });
      return () => Object.assign(networkWeather, { delayMs: 2, lost: 0, repeated: 0 });
    case 'lost-answers':
      workload.lostAnswers = 0.2;
      return () => (workload.lostAnswers = 0);
    case 'failover':
      cluster.store.failOver(fault.lengthMs / 10);
      workload.lookAgain();
      for (const client of cluster.clients.values()) client.break();
      return undefined;
  }
}

/**
 * The node stands still with a commit on its way, and its calls arrive when it goes on: a stale
 * owner writes, if another one has taken its shards.
 */
function freeze(cluster: Cluster, nodeId: string, lengthMs: number): void {
  const node = cluster.nodes.get(nodeId);
  const client = cluster.clients.get(nodeId);
  client?.onNextCommit(() => {
    node?.clock.pause();
    client.hold();
    cluster.scheduler.after(lengthMs, () => {
      client.letGo();
      node?.clock.goOn();
    });
  });
}
