// What goes wrong in a simulation: which faults, when, and how each is carried out.
import { leaseTtlMs } from '../../src/placement/membership.js';
import type { Cluster } from './simulate.js';
import type { SimulatedNode } from './node.js';
import type { Scheduler } from './scheduler.js';
import { isWide } from './seeds.js';

/** What the simulation had first; seeds that are not wide choose among these (seeds.ts). */
const firstFaultNames = [
  'crash',
  'pause',
  'freeze',
  'freeze-leader',
  'undone-taking',
  'undone-lead',
  'leave',
  'break',
  'break-commit',
  'slow-link',
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

const wideFaultNames = [...firstFaultNames, 'crash-commit', 'unclear-commit', 'alone'] as const;

/** Of seeds that meet the world outside. */
const outsideFaultNames = ['crash-call'] as const;

export const faultNames = [...wideFaultNames, ...outsideFaultNames] as const;

export type FaultName = (typeof faultNames)[number];

/** With these the store goes back in time, so its writes are logged. */
export const losesWrites: ReadonlySet<FaultName> = new Set<FaultName>([
  'failover',
  'undone-taking',
  'undone-lead',
]);

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
/** About as long as the lease of a node lasts after a renewal that came late. */
const slowMsMin = 2000;
/** So long after the end of a lease others have taken its shards; a renewal under way counts. */
const takenWithinMs = 250;
const untoldMs = 2000;
const restartsAfterMs = 20;
/** From the storing of a call to the death of its node. */
const callMsMax = 20;
const lengthMsMax = 4000;

export function chooseFaults(
  scheduler: Scheduler,
  withinMs: number,
  { only, meetsOutside }: { only: FaultName | undefined; meetsOutside: boolean },
): Fault[] {
  const { random } = scheduler;
  const count = random.between(only ? 2 : 0, faultsMax);
  // Few kinds at a time: what one of them does is not hidden by all the others.
  const inside = isWide(scheduler.seed) ? wideFaultNames : firstFaultNames;
  const names = meetsOutside ? [...inside, ...outsideFaultNames] : inside;
  const kinds = only ? [only] : [1, 2, 3].map(() => scheduler.pick(names));
  return Array.from({ length: count }, () => ({
    name: scheduler.pick(kinds),
    at: random.next() * withinMs,
    lengthMs: random.between(20, lengthMsMax),
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
  const restart = (): void => cluster.startNode(nodeId);
  switch (fault.name) {
    case 'crash':
      node?.die();
      return restart;
    case 'pause':
      node?.clock.pause();
      return () => node?.clock.proceed();
    case 'freeze':
      freezeWith(cluster, nodeId, 'commit', frozenMsMin + fault.lengthMs / 2);
      return undefined;
    case 'freeze-leader': {
      const leader = leaderOf(cluster);
      const frozenMs = frozenMsMin + fault.lengthMs / 2;
      if (leader) freezeWith(cluster, leader.nodeId, 'advance-schedules', frozenMs);
      return undefined;
    }
    case 'undone-taking':
      node?.die();
      cluster.scheduler.after(restartsAfterMs, () => undoTaking(cluster, nodeId, restart));
      return undefined;
    case 'undone-lead':
      undoLead(cluster);
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
    case 'break-commit': {
      const client = cluster.clients.get(nodeId);
      client?.onNext('commit', () => client.break());
      return undefined;
    }
    case 'crash-commit':
      cluster.clients.get(nodeId)?.onNext('commit', () => {
        node?.die();
        cluster.scheduler.after(fault.lengthMs, restart);
      });
      return undefined;
    case 'crash-call':
      cluster.clients.get(nodeId)?.onNext('add-webhook-event', () => {
        // Mostly before the store has answered, else while the call is dealt with.
        const part = fault.lengthMs / lengthMsMax;
        cluster.scheduler.after(part * part * callMsMax, () => node?.die());
        cluster.scheduler.after(fault.lengthMs, restart);
      });
      return undefined;
    case 'unclear-commit':
      cluster.clients.get(nodeId)?.doubtNext('commit');
      return undefined;
    case 'alone':
      if (node) leaveAlone(cluster, node, takenWithinMs + fault.lengthMs / 12);
      return undefined;
    case 'slow-link': {
      const client = cluster.clients.get(nodeId);
      client?.hold();
      cluster.scheduler.after(slowMsMin + fault.lengthMs / 2, () => client?.letGo());
      return undefined;
    }
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
      workload.requests.lostAnswers = 0.2;
      return () => (workload.requests.lostAnswers = 0);
    case 'failover':
      failOver(cluster, fault.lengthMs / 10);
      return undefined;
  }
}

/**
 * What the node sends to the store stays under way until `lateMs` after the end of its lease, and
 * for longer it hears nothing of other nodes: they take its shards, and nobody tells it. A client
 * reads from it then.
 */
function leaveAlone(cluster: Cluster, node: SimulatedNode, lateMs: number): void {
  const { scheduler, network, nodeIds, workload } = cluster;
  const { nodeId, client, membership } = node;
  client.hold();
  for (const other of nodeIds) if (other !== nodeId) network.cut(nodeId, other);
  const heldMs = leaseTtlMs - membership.sinceRenewalMs + lateMs;
  scheduler.after(heldMs, () => {
    client.letGo();
    void workload.readFrom(node, untoldMs);
  });
  scheduler.after(heldMs + untoldMs, () => network.mend());
}

function failOver(cluster: Cluster, lostMs: number, spared?: string): void {
  cluster.store.failOver(lostMs);
  cluster.lookAgain();
  for (const [nodeId, client] of cluster.clients) if (nodeId !== spared) client.break();
}

/**
 * The node stands still with a call on its way, and its calls arrive when it goes on: a stale owner
 * or leader writes, if another one has taken its place.
 */
function freezeWith(cluster: Cluster, nodeId: string, script: string, lengthMs: number): void {
  const client = cluster.clients.get(nodeId);
  client?.onNext(script, () => freeze(cluster, nodeId, lengthMs));
}

function freeze(cluster: Cluster, nodeId: string, lengthMs: number): void {
  const node = cluster.nodes.get(nodeId);
  const client = cluster.clients.get(nodeId);
  node?.clock.pause();
  client?.hold();
  cluster.scheduler.after(lengthMs, () => {
    client?.letGo();
    node?.clock.proceed();
  });
}

/**
 * The node starts anew and stands still with its first commit on its way; a failover undoes its
 * taking of shards, so that somebody takes them under the same epochs. Where everything has been
 * mended meanwhile, the node runs again, and its next commit may be long after.
 */
function undoTaking(cluster: Cluster, nodeId: string, restart: () => void): void {
  const { scheduler } = cluster;
  if (cluster.isMended) return;
  const startedAt = scheduler.now;
  restart();
  cluster.clients.get(nodeId)?.onNext('commit', () => {
    freeze(cluster, nodeId, frozenMsMin);
    failOver(cluster, scheduler.now - startedAt, nodeId);
  });
}

/**
 * The leader dies. The next one stands still with its first write of schedules on its way; a
 * failover undoes its election and its fence, so that somebody is elected anew.
 */
function undoLead(cluster: Cluster): void {
  const { scheduler } = cluster;
  const leader = leaderOf(cluster);
  if (leader === undefined) return;
  const diedAt = scheduler.now;
  leader.die();
  scheduler.after(restartsAfterMs, () => cluster.startNode(leader.nodeId));
  let isUndone = false;
  for (const [nodeId, client] of cluster.clients) {
    if (nodeId === leader.nodeId) continue;
    client.onNext('advance-schedules', () => {
      if (isUndone) return;
      isUndone = true;
      freeze(cluster, nodeId, frozenMsMin);
      failOver(cluster, scheduler.now - diedAt, nodeId);
    });
  }
}

function leaderOf({ nodes }: Cluster): SimulatedNode | undefined {
  return [...nodes.values()].find(({ leadership, clock }) => leadership.leads && !clock.isOver);
}
