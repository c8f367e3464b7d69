// One redis-server of a topology: started on a port of its own, killed, paused and started again on
// the same folder, so that what it had on disk is there again.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { signalProcess, startProgram, type Program } from '../testkit/process.js';
import { until } from '../testkit/until.js';

export interface RedisProcessSettings {
  readonly name: string;
  readonly port: number;
  /** Its own folder; made if it is missing. */
  readonly folder: string;
  /** Further arguments of redis-server at each start. */
  readonly args: readonly string[];
  /** Further lines of its configuration at its first start; Sentinel changes them. */
  readonly config?: readonly string[];
  /** Absent: redis-server. */
  readonly program?: string;
  /** Reads its configuration from this file of its folder, which is there already. */
  readonly configFile?: string;
}

/** The configuration of each data server, in its syntax. */
const durable = ['appendonly yes', 'appendfsync always', 'aof-load-truncated no', 'save ""'];
/** Replicas are served at once; by default a primary waits 5 s for more of them. */
const quick = ['repl-diskless-sync-delay 0'];
const dataConfigFile = 'redis.conf';
const startTimeoutMs = 10_000;

export class RedisProcess {
  #program: Program | undefined;
  #earlierOutput = '';

  constructor(readonly settings: RedisProcessSettings) {}

  get name(): string {
    return this.settings.name;
  }

  get port(): number {
    return this.settings.port;
  }

  get isRunning(): boolean {
    return this.#program !== undefined && !this.#program.hasEnded();
  }

  get pid(): number {
    return this.#program?.pid ?? -1;
  }

  /** The output of its processes so far: their logs. */
  get output(): string {
    return this.#earlierOutput + (this.#program?.output() ?? '');
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const program = this.launch();
    await until(
      `the answer of ${this.name}`,
      () => {
        if (program.hasEnded()) throw new Error(`${this.name} ended:\n${program.output()}`);
        return this.answers();
      },
      { timeoutMs: startTimeoutMs },
    );
  }

  /** Starts its process, which may load its data yet. `moreArgs`: this time only. */
  launch(moreArgs: readonly string[] = []): Program {
    const { folder, args, configFile, program = 'redis-server' } = this.settings;
    this.#earlierOutput = this.output;
    const file = path.join(folder, configFile ?? this.#ownConfigFile());
    this.#program = startProgram(program, [file, ...args, ...moreArgs]);
    return this.#program;
  }

  /** As it was rewritten since the first start. */
  #ownConfigFile(): string {
    const { port, folder, config = [] } = this.settings;
    const file = path.join(folder, dataConfigFile);
    if (fs.existsSync(file)) return dataConfigFile;
    fs.mkdirSync(folder, { recursive: true });
    const place = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`];
    fs.writeFileSync(file, [...place, ...durable, ...quick, ...config].join('\n') + '\n');
    return dataConfigFile;
  }

  /** Whether it answers a PING now. */
  answers(): boolean {
    try {
      return this.ask('PING').includes('PONG');
    } catch {
      // Refused, or it does not answer in time: not yet, or not any more.
      return false;
    }
  }

  /** Sends one command with redis-cli; its output as text. */
  ask(...command: string[]): string {
    return askRedis(this.port, ...command);
  }

  kill(): void {
    if (this.isRunning) signalProcess(this.pid, 'SIGKILL');
  }

  pause(): void {
    signalProcess(this.pid, 'SIGSTOP');
  }

  resume(): void {
    signalProcess(this.pid, 'SIGCONT');
  }

  /** Resolves when the process has ended. */
  async stop(): Promise<void> {
    this.kill();
    await this.#program?.ended;
  }
}

/** One command to the Redis on a port of this machine. Throws when it does not answer in 2 s. */
export function askRedis(port: number, ...command: string[]): string {
  return execFileSync('redis-cli', ['-h', '127.0.0.1', '-p', String(port), ...command], {
    encoding: 'utf8',
    timeout: 2_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
