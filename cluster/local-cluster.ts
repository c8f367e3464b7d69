// A cluster of real nodes on one machine: Redis in one of its topologies, nodes on consecutive
// ports, and faults. Used by `npm run cluster`, by tests and by the torture of clusters.
import { freePort } from '../testkit/process.js';
import { createFolder, removeFolder } from '../testkit/folder.js';
import { pause } from '../testkit/until.js';
import { faultOf } from './faults.js';
import { GivenRedis, type GivenRedisSettings } from './given-redis.js';
import { LocalNode, type NodeState } from './local-node.js';
import { startTopology, type Topology, type TopologyKind } from './redis-topologies.js';

export interface LocalClusterSettings {
  readonly nodes: number;
  /** Started and ended with the cluster, or one that the user runs. */
  readonly redis: TopologyKind | GivenRedisSettings;
  /** The server to start for it, such as valkey-server; absent: redis-server. */
  readonly redisProgram?: string | undefined;
  /** Port of the first node, the others follow; 0: free ones. */
  readonly port: number;
  /** Further arguments of every node. */
  readonly args?: readonly string[];
  /** Nodes reach Redis and each other without proxies: for figures, not for faults of links. */
  readonly isDirect?: boolean;
  /** Draws which node is hit; between 0 and 1. */
  readonly random?: () => number;
}

export interface FaultRecord {
  readonly at: number;
  readonly text: string;
}

export class LocalCluster {
  readonly faults: FaultRecord[] = [];
  readonly #random: () => number;

  private constructor(
    readonly folder: string,
    readonly topology: Topology,
    readonly nodes: readonly LocalNode[],
    settings: LocalClusterSettings,
  ) {
    this.#random = settings.random ?? Math.random;
  }

  /** Resolves when all nodes serve. */
  static async start(settings: LocalClusterSettings): Promise<LocalCluster> {
    const folder = createFolder();
    const { redis, redisProgram } = settings;
    const topology =
      typeof redis === 'string'
        ? await startTopology(redis, redisProgram)
        : await GivenRedis.find(redis);
    const nodes: LocalNode[] = [];
    for (let i = 0; i < settings.nodes; i++) {
      const port = settings.port === 0 ? await freePort() : settings.port + i;
      const name = `node-${i + 1}`;
      const { args = [], isDirect = false } = settings;
      nodes.push(new LocalNode({ name, port, folder, topology, args, isDirect }));
    }
    const cluster = new LocalCluster(folder, topology, nodes, settings);
    try {
      for (const node of nodes) await node.start();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get urls(): string[] {
    return this.nodes.map((node) => node.url);
  }

  /** A node in one of the states, drawn. Throws when there is none. */
  pick(...states: readonly NodeState[]): LocalNode {
    const suitable = this.nodes.filter((node) => states.includes(node.state));
    const node = suitable[Math.floor(this.#random() * suitable.length)];
    if (node === undefined) throw new Error(`No node is ${states.join(' or ')}`);
    return node;
  }

  /** Throws for an unknown name. */
  nodeOf(name: string): LocalNode {
    const node = this.nodes.find((each) => each.name === name);
    if (node === undefined) throw new Error(`No node is called ${name}`);
    return node;
  }

  /** Causes a fault by name; resolves with a sentence. Throws when it cannot be done. */
  async cause(faultName: string, nodeName?: string): Promise<string> {
    const node = nodeName === undefined ? undefined : this.nodeOf(nodeName);
    const text = await faultOf(faultName).cause(this, node);
    this.faults.push({ at: Date.now(), text });
    return text;
  }

  /** Opens all links, brings Redis and all nodes back, and sets their clocks right. */
  async heal(): Promise<void> {
    for (const node of this.nodes) {
      node.peerProxy.heal();
      node.redisProxy?.heal();
    }
    for (const server of this.topology.servers) if (!server.isRunning) await server.start();
    await this.topology.mend();
    for (const node of this.nodes) {
      if (node.state === 'paused') node.resume();
      if (node.state === 'running' && node.skewSeconds !== 0) await node.leave();
      node.skewSeconds = 0;
      if (node.state === 'killed') await startAgain(node);
    }
  }

  async stop(): Promise<void> {
    for (const node of this.nodes) {
      node.peerProxy.heal();
      node.redisProxy?.heal();
    }
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.topology.stop();
    removeFolder(this.folder);
  }
}

/** As a supervisor does: a node that finds no Redis to start with ends, and is started again. */
async function startAgain(node: LocalNode): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await node.start();
    } catch (error) {
      if (tries === startsMax) throw error;
      await node.kill();
      await pause(startAgainMs);
    }
  }
}

const startsMax = 20;
const startAgainMs = 500;
