// The faults that a local cluster can be given, by name and by key. Each is carried out on real
// processes and links, and answers with a sentence that says what was done. `heal` takes back
// whatever can be taken back.
import type { LocalCluster } from './local-cluster.js';
import { findFaketime, type LocalNode } from './local-node.js';

export interface Fault {
  readonly name: string;
  /** Key of the terminal that causes it. */
  readonly key: string;
  readonly about: string;
  /** `node`: the one that was named, else a suitable one. Throws when it cannot be done here. */
  readonly cause: (cluster: LocalCluster, node: LocalNode | undefined) => Promise<string>;
}

const awayStates = ['killed', 'paused'] as const;
const slowMs = 100;
const skewSeconds = 3600;

const faults: readonly Fault[] = [
  {
    name: 'kill',
    key: 'k',
    about: 'kill a node (SIGKILL)',
    cause: async (cluster, named) => {
      const node = running(cluster, named);
      await node.kill();
      return `killed ${node.name}`;
    },
  },
  {
    name: 'leave',
    key: 'l',
    about: 'stop a node in order (SIGTERM)',
    cause: async (cluster, named) => {
      const node = running(cluster, named);
      const startAt = performance.now();
      await node.leave();
      return `${node.name} left in ${Math.round(performance.now() - startAt)} ms`;
    },
  },
  {
    name: 'pause',
    key: 'p',
    about: 'pause a node (SIGSTOP)',
    cause: (cluster, named) => {
      const node = running(cluster, named);
      node.pause();
      return Promise.resolve(`paused ${node.name}`);
    },
  },
  {
    name: 'restart',
    key: 'r',
    about: 'bring a killed or paused node back; without one, stop and start one in order',
    cause: async (cluster, named) => {
      const isAway = cluster.nodes.some(({ state }) => state === 'killed' || state === 'paused');
      const node = named ?? cluster.pick(...(isAway ? awayStates : (['running'] as const)));
      if (node.state === 'paused') node.resume();
      else {
        if (node.state === 'running') await node.leave();
        await node.start();
      }
      return `${node.name} is back`;
    },
  },
  {
    name: 'cut',
    key: 'c',
    about: "cut a node's links: others to it, it to Redis",
    cause: (cluster, named) => {
      const node = running(cluster, named);
      node.peerProxy.cut();
      node.redisProxy?.cut();
      return Promise.resolve(`cut the links of ${node.name}`);
    },
  },
  {
    name: 'slow',
    key: 's',
    about: `slow a node's links by ${slowMs} ms`,
    cause: (cluster, named) => {
      const node = running(cluster, named);
      node.peerProxy.slow(slowMs);
      node.redisProxy?.slow(slowMs);
      return Promise.resolve(`slowed the links of ${node.name} by ${slowMs} ms`);
    },
  },
  {
    name: 'redis-kill',
    key: 'K',
    about: 'kill the Redis primary and start it again',
    cause: async ({ topology }) => {
      const primary = topology.primary();
      await primary.stop();
      await primary.start();
      return `killed ${primary.name} and started it again`;
    },
  },
  {
    name: 'kill-both',
    key: 'B',
    about: 'kill a node and the Redis primary, and start Redis again',
    cause: async (cluster, named) => {
      const node = running(cluster, named);
      const primary = cluster.topology.primary();
      await Promise.all([node.kill(), primary.stop()]);
      await primary.start();
      return `killed ${node.name} and ${primary.name}, and started Redis again`;
    },
  },
  {
    name: 'redis-pause',
    key: 'P',
    about: 'hang the Redis primary for 2 s (SIGSTOP)',
    cause: async ({ topology }) => {
      const primary = topology.primary();
      primary.pause();
      await new Promise((resolve) => setTimeout(resolve, 2000));
      primary.resume();
      return `hung ${primary.name} for 2 s`;
    },
  },
  {
    name: 'redis-failover',
    key: 'F',
    about: 'make a Redis replica the primary',
    cause: ({ topology }) => topology.failover(),
  },
  {
    name: 'reshard',
    key: 'S',
    about: 'move 500 slots of a Redis Cluster',
    cause: ({ topology }) => topology.reshard(500),
  },
  {
    name: 'skew',
    key: 't',
    about: "put a node's wall clock an hour ahead (libfaketime)",
    cause: async (cluster, named) => {
      if (findFaketime() === undefined) throw new Error('libfaketime is not installed');
      const node = running(cluster, named);
      await node.skew(skewSeconds);
      return `the clock of ${node.name} is ${skewSeconds} s ahead`;
    },
  },
  {
    name: 'heal',
    key: 'h',
    about: 'open all links, bring all nodes back, set clocks right',
    cause: async (cluster) => {
      await cluster.heal();
      return 'healed';
    },
  },
];

/** The node that was named, or one that is drawn; throws when it does not run. */
function running(cluster: LocalCluster, named: LocalNode | undefined): LocalNode {
  const node = named ?? cluster.pick('running');
  if (node.state !== 'running') throw new Error(`${node.name} is ${node.state}`);
  return node;
}

/** All of them, in the order in which they are shown. */
export function allFaults(): readonly Fault[] {
  return faults;
}

/** The one that a key of the terminal causes. */
export function faultOfKey(key: string): Fault | undefined {
  return faults.find((each) => each.key === key);
}

/** Throws for an unknown name. */
export function faultOf(name: string): Fault {
  const fault = faults.find((each) => each.name === name);
  if (fault !== undefined) return fault;
  throw new Error(`No fault is called ${name}: ${faults.map((each) => each.name).join(', ')}`);
}
