// One ordered connection to Redis: scripts and commands, each sent once. Where replicas or disks
// have to confirm what is acknowledged, every write is followed by what waits for them, in the same
// packet (barrier.ts).
import type { Cluster, Redis } from 'ioredis';
import { Barrier, type Confirmation, type Sender } from './barrier.js';
import { ClusterRoute } from './cluster-route.js';
import type { Client } from './create-client.js';
import { encodedCall, type Argument, type ScriptArgument } from './encoded-call.js';
import { isNoScript, toStoreError } from './errors.js';
import type { Script } from './script.js';

/** A script call of a pipelined write. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly ScriptArgument[];
}

/** Commands that change nothing: no replica has to confirm them. */
const readCommands = new Set(['GET', 'HGET', 'HMGET', 'EXISTS', 'ZRANGE', 'ZSCORE']);
/** Commands about a server, or for all of a cluster: any server takes them. */
const keylessCommands = new Set(['TIME', 'INFO', 'CONFIG', 'PUBLISH', 'WAIT', 'WAITAOF']);

/** Their key follows the name of a subcommand. */
const subcommanded = new Set(['MEMORY']);

export interface ConnectionSettings {
  /** Every write waits for it besides its answer. */
  readonly confirmation?: Confirmation | undefined;
  /** Reads wait as well. */
  readonly confirmsReads?: boolean;
  /**
   * Whatever is sent before the event loop goes on leaves in one packet: each packet wakes Redis.
   * For questions of many callers; what is sent once a turn would only leave later.
   */
  readonly gathers?: boolean;
}

/** One ordered connection. Every method rejects with StoreError only. */
export class Connection {
  readonly #route: ClusterRoute | undefined;
  readonly #barrier: Barrier | undefined;
  readonly #confirmsReads: boolean;
  readonly #gathers: boolean;
  /** Corked until what is being done now is over. */
  #gathering: Redis['stream'] | undefined;

  constructor(
    readonly client: Client,
    readonly isCluster: boolean,
    { confirmation, confirmsReads = false, gathers = false }: ConnectionSettings = {},
  ) {
    this.#route = isCluster ? new ClusterRoute(client as Cluster) : undefined;
    if (confirmation !== undefined) this.#barrier = new Barrier(confirmation, this.#route);
    this.#confirmsReads = confirmsReads;
    this.#gathers = gathers && !isCluster;
  }

  /**
   * Runs a script once; bulk replies come as Buffers. NOSCRIPT proves that nothing ran, so the
   * source is then sent.
   */
  async run(
    script: Script,
    keys: readonly string[],
    args: readonly ScriptArgument[],
  ): Promise<unknown> {
    try {
      return await this.#write(keys[0], (server) =>
        server.sendCommand(encodedCall('EVALSHA', script.sha, keys, args)),
      );
    } catch (error) {
      if (!isNoScript(error)) throw toStoreError(error);
    }
    return await this.runInOrder(script, keys, args);
  }

  /**
   * Runs a script, sending its source: what is sent later on this connection is carried out later,
   * also by a store that does not know the script.
   */
  async runInOrder(
    script: Pick<Script, 'source'>,
    keys: readonly string[],
    args: readonly ScriptArgument[],
  ): Promise<unknown> {
    try {
      return await this.#write(keys[0], (server) =>
        server.sendCommand(encodedCall('EVAL', script.source, keys, args)),
      );
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** Sends to the server of the key, and waits for its replicas where that is set. */
  #write(key: string | undefined, send: Sender): unknown {
    const barrier = this.#barrier;
    if (barrier === undefined) return this.#send(key, send);
    return this.#send(key, (server, asks = false) => barrier.hold({ server, key, asks }, send));
  }

  /** Sends to the server of the key. */
  #send(key: string | undefined, send: (server: Redis, asks?: boolean) => unknown): unknown {
    if (this.#route !== undefined) return this.#route.send(key ?? '', send);
    if (this.#gathers) this.#gather();
    return send(this.client as Redis);
  }

  #gather(): void {
    // A client that is not connected has none.
    const stream = (this.client as Redis).stream as Redis['stream'] | undefined;
    if (stream === undefined || stream === this.#gathering) return;
    this.#gathering = stream;
    stream.cork();
    process.nextTick(() => {
      this.#gathering = undefined;
      stream.uncork();
    });
  }

  /**
   * Sends scripts as one write, in order; each has its own outcome, the first failure rejects after
   * all have answered.
   */
  async runAll(calls: readonly ScriptCall[]): Promise<unknown[]> {
    const single = calls[0];
    if (calls.length === 1 && single)
      return [await this.run(single.script, single.keys, single.args)];
    return await this.#together(calls.map((c) => () => this.run(c.script, c.keys, c.args)));
  }

  /** One command with text replies. Its first argument is the key that decides where it goes. */
  async call(command: string, ...args: Argument[]): Promise<unknown> {
    return await this.#command(command, args, (server) => server.call(command, ...args));
  }

  /** One command about the server that has the key. */
  async callAt(key: string, command: string, ...args: Argument[]): Promise<unknown> {
    try {
      return await this.#send(key, (server) => server.call(command, ...args));
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** One command with Buffers as bulk replies; the key comes first. */
  async callBuffer(command: string, ...args: Argument[]): Promise<unknown> {
    return await this.#command(command, args, (server) => server.callBuffer(command, ...args));
  }

  async #command(
    command: string,
    args: readonly Argument[],
    send: (server: Client) => unknown,
  ): Promise<unknown> {
    const key = args[subcommanded.has(command) ? 1 : 0];
    try {
      if (keylessCommands.has(command)) return await send(this.client);
      if (!this.#confirmsReads && readCommands.has(command))
        return await this.#send(String(key), send);
      return await this.#write(String(key), send);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** Commands as one write; replies in order, bulk replies as Buffers. */
  async callAll(commands: readonly (readonly [string, ...Argument[]])[]): Promise<unknown[]> {
    return await this.#together(
      commands.map(
        ([name, ...args]) =>
          () =>
            this.callBuffer(name, ...args),
      ),
    );
  }

  /**
   * Everything sent in one turn of the event loop leaves in one packet: the socket is corked
   * meanwhile.
   */
  async #together(sends: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
    const stream = this.isCluster ? undefined : (this.client as Redis).stream;
    stream?.cork();
    const replies = sends.map((send) => send());
    if (stream) process.nextTick(() => stream.uncork());
    const settled = await Promise.allSettled(replies);
    return settled.map((result) => {
      if (result.status === 'rejected') throw toStoreError(result.reason);
      return result.value as unknown;
    });
  }

  get isReady(): boolean {
    return this.client.status === 'ready';
  }
}
