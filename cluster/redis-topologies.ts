// The Redis under a cluster of nodes, in the three forms that the server knows: one Redis; a
// primary with two replicas watched by three Sentinels; a Redis Cluster of three primaries with a
// replica each. All of them are real processes on this machine, started and ended here.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createFolder, removeFolder } from '../testkit/folder.js';
import { freePort } from '../testkit/process.js';
import { until } from '../testkit/until.js';
import { RedisProcess } from './redis-process.js';

export const topologyKinds = ['single', 'sentinel', 'cluster'] as const;
export type TopologyKind = (typeof topologyKinds)[number];

export interface Topology {
  /** `given`: the user runs it (given-redis.ts). */
  readonly kind: TopologyKind | 'given';
  /** For `--redis-url`. */
  readonly url: string;
  /** For `--redis-prefix`. */
  readonly prefix: string;
  /** Data servers, without Sentinels. */
  readonly servers: readonly RedisProcess[];
  /** All of them, Sentinels too. */
  readonly all: readonly RedisProcess[];
  /** Makes a replica the primary, in order; resolves with a sentence. Throws with one Redis. */
  failover(): Promise<string>;
  /** The data server that takes writes now; of a Redis Cluster the first of them. */
  primary(): RedisProcess;
  /** All data servers that take writes now. */
  primaries(): readonly RedisProcess[];
  /** Moves slots from one primary of a Redis Cluster to another. Rejects elsewhere. */
  reshard(slots: number): Promise<string>;
  /**
   * Ends moves of slots that were broken off: until then calls that name several keys of such a
   * slot are refused (TRYAGAIN).
   */
  mend(): Promise<void>;
  stop(): Promise<void>;
}

/** `program`: the server to run instead of redis-server, such as Valkey's. */
export async function startTopology(kind: TopologyKind, program?: string): Promise<Topology> {
  const processes = new Processes(program);
  switch (kind) {
    case 'single':
      return await SingleRedis.start(processes);
    case 'sentinel':
      return await SentinelRedis.start(processes);
    case 'cluster':
      return await ClusterRedis.start(processes);
  }
}

/** Of the setting `redisPrefix`. */
const defaultPrefix = 'db';

const failoverTimeoutMs = 20_000;
const mendTimeoutMs = 60_000;

/** The common part of the three: processes in one folder. */
class Processes {
  readonly folder = createFolder();
  readonly all: RedisProcess[] = [];
  /** For RedisProcess. */
  readonly program: { readonly program?: string };

  constructor(program: string | undefined) {
    this.program = program === undefined ? {} : { program };
  }

  /** Starts one more, with a folder of its own. */
  async add(name: string, config: readonly string[]): Promise<RedisProcess> {
    const place = { name, port: await freePort(), folder: path.join(this.folder, name) };
    const server = new RedisProcess({ ...place, ...this.program, args: [], config });
    this.all.push(server);
    await server.start();
    return server;
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((server) => server.stop()));
    removeFolder(this.folder);
  }
}

/** Runs a start; ends what it has started when it fails. */
async function starting<T>(processes: Processes, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

class SingleRedis implements Topology {
  readonly kind = 'single';
  readonly prefix = defaultPrefix;
  readonly servers: readonly RedisProcess[];

  private constructor(
    private readonly processes: Processes,
    private readonly server: RedisProcess,
  ) {
    this.servers = [server];
  }

  static async start(processes: Processes): Promise<SingleRedis> {
    return await starting(
      processes,
      async () => new SingleRedis(processes, await processes.add('redis', [])),
    );
  }

  get all(): readonly RedisProcess[] {
    return this.processes.all;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.server.port}`;
  }

  primary(): RedisProcess {
    return this.server;
  }

  primaries(): readonly RedisProcess[] {
    return this.servers;
  }

  failover(): Promise<string> {
    return Promise.reject(new Error('One Redis has nobody to fail over to'));
  }

  reshard(): Promise<string> {
    return Promise.reject(new Error('One Redis has no slots to move'));
  }

  mend(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.processes.stop();
  }
}

const groupName = 'downbeat';
const sentinels = 3;
const replicas = 2;

class SentinelRedis implements Topology {
  readonly kind = 'sentinel';
  readonly prefix = defaultPrefix;

  private constructor(
    private readonly processes: Processes,
    readonly servers: readonly RedisProcess[],
    private readonly watchers: readonly RedisProcess[],
  ) {}

  static async start(processes: Processes): Promise<SentinelRedis> {
    return await starting(processes, async () => {
      const primary = await processes.add('redis-1', []);
      const servers = [primary];
      for (let i = 2; i <= replicas + 1; i++) {
        servers.push(await processes.add(`redis-${i}`, [`replicaof 127.0.0.1 ${primary.port}`]));
      }
      const watchers: RedisProcess[] = [];
      for (let i = 1; i <= sentinels; i++) {
        watchers.push(await startSentinel(processes, `sentinel-${i}`, primary.port));
      }
      const topology = new SentinelRedis(processes, servers, watchers);
      await until('the replicas', () => topology.#knowsAll(), { timeoutMs: failoverTimeoutMs });
      return topology;
    });
  }

  get all(): readonly RedisProcess[] {
    return this.processes.all;
  }

  get url(): string {
    const hosts = this.watchers.map((each) => `127.0.0.1:${each.port}`).join(',');
    return `redis-sentinel://${hosts}/${groupName}`;
  }

  primary(): RedisProcess {
    const port = this.#primaryPort();
    const found = this.servers.find((server) => server.port === port);
    if (found === undefined) throw new Error(`No Redis of this topology listens on ${port}`);
    return found;
  }

  primaries(): readonly RedisProcess[] {
    return [this.primary()];
  }

  async failover(): Promise<string> {
    const before = this.#primaryPort();
    // Refused while the failover before still goes on, and while Sentinel knows no good replica.
    let answer = '';
    await until(
      'Sentinel to take the order',
      () => {
        if (this.#primaryPort() !== before) return true;
        answer = this.#asked(['SENTINEL', 'FAILOVER', groupName]).trim();
        return answer === 'OK';
      },
      { timeoutMs: failoverTimeoutMs, everyMs: 200 },
    ).catch((cause: unknown) => {
      throw new Error(`Sentinel did not take the order: ${answer}`, { cause });
    });
    await until('the failover', () => this.#primaryPort() !== before, {
      timeoutMs: failoverTimeoutMs,
    });
    return `Sentinel made the Redis on ${this.#primaryPort()} the primary instead of ${before}`;
  }

  reshard(): Promise<string> {
    return Promise.reject(new Error('A primary with replicas has no slots to move'));
  }

  mend(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.processes.stop();
  }

  #primaryPort(): number {
    const answer = this.#asked(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', groupName]);
    return Number(answer.split('\n')[1]);
  }

  /** All watch all, and every replica follows the primary. */
  #knowsAll(): boolean {
    const following = this.servers.filter((server) =>
      server.ask('INFO', 'replication').includes('master_link_status:up'),
    );
    if (following.length < replicas) return false;
    return this.watchers.every((watcher) => {
      const info = watcher.ask('INFO', 'sentinel');
      return info.includes(`slaves=${replicas}`) && info.includes(`sentinels=${sentinels}`);
    });
  }

  /** The answer of the first Sentinel that gives one. */
  #asked(command: string[]): string {
    for (const watcher of this.watchers) if (watcher.isRunning) return watcher.ask(...command);
    throw new Error('No Sentinel runs');
  }
}

async function startSentinel(
  processes: Processes,
  name: string,
  primaryPort: number,
): Promise<RedisProcess> {
  const folder = path.join(processes.folder, name);
  const port = await freePort();
  fs.mkdirSync(folder, { recursive: true });
  const config = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${groupName} 127.0.0.1 ${primaryPort} 2`,
    `sentinel down-after-milliseconds ${groupName} 2000`,
    `sentinel failover-timeout ${groupName} 10000`,
    `sentinel parallel-syncs ${groupName} 2`,
  ];
  fs.writeFileSync(path.join(folder, 'sentinel.conf'), config.join('\n') + '\n');
  const settings = { name, port, folder, args: ['--sentinel'], configFile: 'sentinel.conf' };
  const sentinel = new RedisProcess({ ...settings, ...processes.program });
  processes.all.push(sentinel);
  await sentinel.start();
  return sentinel;
}

const clusterServers = 6;

class ClusterRedis implements Topology {
  readonly kind = 'cluster';
  readonly prefix = defaultPrefix;
  readonly servers: readonly RedisProcess[];

  private constructor(private readonly processes: Processes) {
    this.servers = processes.all;
  }

  static async start(processes: Processes): Promise<ClusterRedis> {
    return await starting(processes, async () => {
      for (let i = 1; i <= clusterServers; i++) {
        await processes.add(`redis-${i}`, [
          'cluster-enabled yes',
          'cluster-node-timeout 2000',
          'cluster-announce-ip 127.0.0.1',
          `cluster-port ${await freePort()}`,
        ]);
      }
      const topology = new ClusterRedis(processes);
      const addresses = processes.all.map((server) => `127.0.0.1:${server.port}`);
      await redisCluster(['create', ...addresses, '--cluster-replicas', '1', '--cluster-yes']);
      await until('the slots', () => topology.#isOk(), { timeoutMs: failoverTimeoutMs });
      return topology;
    });
  }

  get all(): readonly RedisProcess[] {
    return this.processes.all;
  }

  get url(): string {
    const hosts = this.servers.map((server) => `127.0.0.1:${server.port}`).join(',');
    return `redis-cluster://${hosts}`;
  }

  primary(): RedisProcess {
    return this.#ofRole('master')[0] as RedisProcess;
  }

  primaries(): readonly RedisProcess[] {
    return this.#ofRole('master');
  }

  async failover(): Promise<string> {
    const replica = this.#ofRole('slave')[0];
    if (replica === undefined) throw new Error('No replica runs');
    // A replica gives up when its primary does not hand over within 5 s: it is asked again.
    const askAgainMs = 6_000;
    let askedAt = -askAgainMs;
    const became = (): boolean => {
      if (roleOf(replica) === 'master') return true;
      if (performance.now() - askedAt < askAgainMs) return false;
      askedAt = performance.now();
      replica.ask('CLUSTER', 'FAILOVER');
      return false;
    };
    await until('the failover', became, { timeoutMs: failoverTimeoutMs });
    return `The replica on ${replica.port} became a primary`;
  }

  async reshard(slots: number): Promise<string> {
    const [from, to] = this.#ofRole('master').map((server) => server.ask('CLUSTER', 'MYID').trim());
    if (from === undefined || to === undefined) throw new Error('Fewer than two primaries run');
    const entry = `127.0.0.1:${this.primary().port}`;
    await redisCluster([
      ...['reshard', entry, '--cluster-from', from, '--cluster-to', to],
      ...['--cluster-slots', String(slots), '--cluster-yes'],
    ]);
    return `${slots} slots moved from ${from.slice(0, 8)} to ${to.slice(0, 8)}`;
  }

  async mend(): Promise<void> {
    const isWhole = async (): Promise<boolean> => {
      const broken = this.#ofRole('master').find(hasOpenSlots);
      if (broken === undefined) return true;
      try {
        await redisCluster(['fix', `127.0.0.1:${broken.port}`]);
      } catch {
        // Not all servers agree yet: it is tried again.
      }
      return false;
    };
    await until('whole slots', isWhole, { timeoutMs: mendTimeoutMs, everyMs: 500 });
  }

  async stop(): Promise<void> {
    await this.processes.stop();
  }

  #ofRole(role: 'master' | 'slave'): RedisProcess[] {
    return this.servers.filter((server) => server.isRunning && roleOf(server) === role);
  }

  /** All know all slots, and every replica follows its primary. */
  #isOk(): boolean {
    return this.servers.every((server) => {
      if (!server.ask('CLUSTER', 'INFO').includes('cluster_state:ok')) return false;
      const info = server.ask('INFO', 'replication');
      return info.includes('role:master') || info.includes('master_link_status:up');
    });
  }
}

/** Slots that it is giving away or taking: `[slot->-to]` or `[slot-<-from]` in its own line. */
function hasOpenSlots(server: RedisProcess): boolean {
  return /^.*\bmyself\b.*\[\d+-/m.test(server.ask('CLUSTER', 'NODES'));
}

function roleOf(server: RedisProcess): string {
  try {
    return server.ask('ROLE').split('\n')[0] ?? '';
  } catch {
    // It does not answer now.
    return '';
  }
}

/** A server whose log nobody reads meanwhile would stop: Valkey writes a line for each slot. */
async function redisCluster(args: readonly string[]): Promise<void> {
  await run('redis-cli', ['--cluster', ...args], { timeout: 60_000 });
}

const run = promisify(execFile);
