// One node of a local cluster: a real server process on a port of its own. Its links to Redis and
// from the other nodes lead through proxies where that is possible, so that they can be cut and
// slowed.
import path from 'node:path';
import fs from 'node:fs';
import { freePort, signalProcess } from '../testkit/process.js';
import { RunningServer } from '../testkit/server.js';
import { TcpProxy } from './tcp-proxy.js';
import type { Topology } from './redis-topologies.js';

export interface LocalNodeSettings {
  readonly name: string;
  readonly port: number;
  /** Folder of the cluster; the node gets one inside. */
  readonly folder: string;
  readonly topology: Topology;
  /** Further arguments of the server. */
  readonly args: readonly string[];
  /** No proxies: its links can be neither cut nor slowed. */
  readonly isDirect: boolean;
}

export type NodeState = 'running' | 'paused' | 'leaving' | 'killed';

const faketimeLibraries = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
];

/** Where libfaketime is, if it is installed; the environment variable LIBFAKETIME may name it. */
export function findFaketime(): string | undefined {
  const named = process.env['LIBFAKETIME'];
  const files = named === undefined ? faketimeLibraries : [named, ...faketimeLibraries];
  return files.find((file) => fs.existsSync(file));
}

export class LocalNode {
  /** In front of the node's listener for other nodes: what they send it. */
  readonly peerProxy: TcpProxy;
  /** Between the node and Redis; undefined where Redis tells its clients other addresses. */
  readonly redisProxy: TcpProxy | undefined;
  state: NodeState = 'killed';
  /** How far its wall clock is ahead from its next start on. */
  skewSeconds = 0;
  #server: RunningServer | undefined;
  #args: readonly string[] = [];
  /** Where the node listens for other nodes; drawn at its first start. */
  #peerPort = 0;
  #earlierOutput = '';

  constructor(readonly settings: LocalNodeSettings) {
    this.peerProxy = new TcpProxy(() => ({ host: '127.0.0.1', port: this.#peerPort }));
    if (settings.topology.kind === 'single' && !settings.isDirect) {
      const { port } = settings.topology.primary();
      this.redisProxy = new TcpProxy(() => ({ host: '127.0.0.1', port }));
    }
  }

  get name(): string {
    return this.settings.name;
  }

  get url(): string {
    return `http://127.0.0.1:${this.settings.port}`;
  }

  get pid(): number {
    return this.#server?.pid ?? -1;
  }

  /** The output of its processes so far. */
  get output(): string {
    return this.#earlierOutput + (this.#server?.output ?? '');
  }

  /** Resolves when the node serves. */
  async start(): Promise<void> {
    if (this.#args.length === 0) this.#args = await this.#arguments();
    await this.peerProxy.listen();
    const { port, folder } = this.settings;
    this.#earlierOutput = this.output;
    this.#server = new RunningServer(
      {
        port,
        dataDir: path.join(folder, this.name),
        args: this.#args,
        env: this.#environment(),
      },
      port,
      path.join(folder, this.name),
    );
    this.state = 'running';
    void this.#notice(this.#server);
    await this.#server.healthy();
  }

  /** A process that ends by itself, or by a signal from outside, counts as killed. */
  async #notice(server: RunningServer): Promise<void> {
    await server.ended;
    const isExpected = this.state === 'killed' || this.state === 'leaving';
    if (server !== this.#server || isExpected) return;
    this.state = 'killed';
    await this.peerProxy.refuse();
  }

  async #arguments(): Promise<string[]> {
    const { topology, args, isDirect } = this.settings;
    this.#peerPort = await freePort();
    const advertised = isDirect ? this.#peerPort : await this.peerProxy.listen();
    const redisPort = await this.redisProxy?.listen();
    const redisUrl = redisPort === undefined ? topology.url : `redis://127.0.0.1:${redisPort}`;
    return [
      ...['--redis-url', redisUrl, '--redis-prefix', topology.prefix, '--node-id', this.name],
      ...['--peer-port', String(this.#peerPort)],
      ...['--peer-address', `127.0.0.1:${advertised}`],
      ...args,
    ];
  }

  #environment(): NodeJS.ProcessEnv {
    const library = findFaketime();
    if (this.skewSeconds === 0 || library === undefined) return {};
    const sign = this.skewSeconds > 0 ? '+' : '';
    return {
      LD_PRELOAD: library,
      FAKETIME: `${sign}${this.skewSeconds}s`,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Ends the process at once, without a chance to hand anything over. */
  async kill(): Promise<void> {
    if (this.state === 'paused') this.resume();
    this.state = 'killed';
    await this.#server?.kill('SIGKILL');
    await this.peerProxy.refuse();
  }

  /** Ends the process in order: it hands its shards over first. */
  async leave(): Promise<void> {
    if (this.state === 'paused') this.resume();
    // No fault hits a node that is on its way out.
    this.state = 'leaving';
    try {
      await this.#server?.kill('SIGTERM');
    } finally {
      // Also when it took too long and was killed: it can be started again.
      this.state = 'killed';
      await this.peerProxy.refuse();
    }
  }

  pause(): void {
    signalProcess(this.pid, 'SIGSTOP');
    this.state = 'paused';
  }

  resume(): void {
    signalProcess(this.pid, 'SIGCONT');
    this.state = 'running';
  }

  /** Starts the process again with its wall clock wrong by so many seconds. */
  async skew(seconds: number): Promise<void> {
    this.skewSeconds = seconds;
    await this.leave();
    await this.start();
  }

  async stop(): Promise<void> {
    if (this.state !== 'killed') await this.leave().catch(() => this.kill());
    await this.peerProxy.close();
    await this.redisProxy?.close();
  }
}
