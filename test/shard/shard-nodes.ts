// The nodes of a test file: one Redis for all its tests, and for each test keys of its own, a clock
// that moves only when the test says so, and nodes that are stopped afterwards.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startRedis, type RunningRedis } from '../../testkit/redis.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { ShardNode, type NodeOptions } from './shard-node.js';

export class ShardNodes {
  #server: RunningRedis | undefined;
  #clock = new VirtualClock();
  #tests = 0;
  #running: ShardNode[] = [];

  /** Of the whole file. */
  get server(): RunningRedis {
    if (this.#server === undefined) throw new Error('Redis runs from the first test to the last');
    return this.#server;
  }

  /** Of this test; all its nodes have it. */
  get clock(): VirtualClock {
    return this.#clock;
  }

  /** What the keys of this test start with. */
  get prefix(): string {
    return `t${this.#tests}`;
  }

  /** A node that the test starts. */
  create(options: Partial<NodeOptions> = {}): ShardNode {
    const node = this.#of(options);
    this.#running.push(node);
    return node;
  }

  start(options: Partial<NodeOptions> = {}): Promise<ShardNode> {
    return this.create(options).start();
  }

  /** Before the end of the test. */
  async stop(node: ShardNode): Promise<void> {
    this.#forget(node);
    await node.stop();
  }

  /** The node dies and starts again. */
  restart(node: ShardNode): Promise<ShardNode> {
    node.crash();
    this.#forget(node);
    return this.start(node.options);
  }

  /**
   * A connected node that owns nothing, to do what another process would. The test ends it by
   * `crash`.
   */
  async bystander(): Promise<ShardNode> {
    const bystander = this.#of({ nodeId: 'other' });
    await bystander.redis.connect();
    return bystander;
  }

  /** What the store holds, seen past the nodes of the test. */
  async witness<T>(look: (witness: ShardNode) => Promise<T>): Promise<T> {
    const witness = await this.bystander();
    try {
      return await look(witness);
    } finally {
      witness.crash();
    }
  }

  async open(): Promise<void> {
    this.#server = await startRedis();
  }

  close(): Promise<void> {
    return this.server.stop();
  }

  beginTest(): void {
    this.#clock = new VirtualClock(Date.now());
    this.#tests += 1;
  }

  async endTest(): Promise<void> {
    for (const node of this.#running.splice(0)) await node.stop();
  }

  #of(options: Partial<NodeOptions>): ShardNode {
    return new ShardNode(this.server, { prefix: this.prefix, clock: this.#clock, ...options });
  }

  #forget(node: ShardNode): void {
    this.#running = this.#running.filter((other) => other !== node);
  }
}

/** The nodes of the file that calls this, once and before its own hooks. */
export function useShardNodes(): ShardNodes {
  const nodes = new ShardNodes();
  beforeAll(() => nodes.open());
  afterAll(() => nodes.close());
  beforeEach(() => nodes.beginTest());
  afterEach(() => nodes.endTest());
  return nodes;
}
