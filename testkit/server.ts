// A running server for tests and tools: the built dist/main.js as its own process, with a free port
// and a folder of its own.
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { nodeOptions, projectRoot } from './project.js';
import { createFolder, removeFolder } from './folder.js';
import { freePort, redisPidsIn, signalProcess, startProgram, type Program } from './process.js';
import { sharedRedisArgs } from './shared-redis-args.js';
import { until } from './until.js';

export const serverProgram = path.join(projectRoot, 'dist', 'main.js');
export const healthTimeoutMs = 20_000;
/** How long a server may take to end by itself after SIGTERM before it is killed. */
export const stopTimeoutMs = 10_000;

export interface ServerSettings {
  /** Absent: a free one. */
  port?: number;
  /** Absent: a new folder, removed by `stop`. */
  dataDir?: string;
  /** Absent: the one of shared-redis.ts, else the server's private Redis in its data folder. */
  redisUrl?: string;
  env?: NodeJS.ProcessEnv;
  /** Further command-line arguments. */
  args?: readonly string[];
  /** The programme and its first arguments; absent: the server as it is. */
  program?: readonly string[];
}

/** One server and what may be done to it. */
export class RunningServer {
  readonly url: string;
  private program: Program;
  /** The newest process was asked to end, or a test knows that it ends by itself. */
  #mayEnd = false;

  constructor(
    private readonly settings: ServerSettings,
    readonly port: number,
    readonly dataDir: string,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    this.program = this.spawn();
  }

  get pid(): number {
    return this.program.pid;
  }

  /** Resolves when the newest process has ended, as the caller expects. */
  get ended(): Promise<unknown> {
    this.#mayEnd = true;
    return this.program.ended;
  }

  /** Everything the newest process has written so far (its end, when it was much). */
  get output(): string {
    return this.program.output();
  }

  /** The private Redis child; undefined when there is none now. */
  get redisPid(): number | undefined {
    return redisPidsIn(this.dataDir)[0];
  }

  /** Resolves when GET /health answers 200; rejects when the process ends or the time is over. */
  async healthy(timeoutMs = healthTimeoutMs): Promise<void> {
    await until(
      `health of ${this.url}; the server wrote:\n${this.output}`,
      async () => {
        if (this.program.hasEnded()) throw new Error(`the server ended:\n${this.output}`);
        return isHealthy(this.url);
      },
      { timeoutMs },
    );
  }

  /**
   * Sends a signal to the node and waits until its process has ended; resolves with its exit code,
   * null when a signal ended it.
   */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    this.#mayEnd = true;
    if (!this.program.hasEnded()) signalProcess(this.program.pid, signal);
    const ended = await Promise.race([
      this.program.ended.then(() => true),
      // Unreferenced: a programme that has stopped its servers ends at once.
      setTimeout(stopTimeoutMs, false, { ref: false }),
    ]);
    if (ended) return (await this.program.ended).code;
    const { output } = this;
    signalProcess(this.program.pid, 'SIGKILL');
    await this.program.ended;
    throw new Error(`the server did not end within ${stopTimeoutMs} ms of ${signal}:\n${output}`);
  }

  /** Kills the private Redis child; false when none ran. */
  killRedis(): boolean {
    const pid = this.redisPid;
    return pid !== undefined && signalProcess(pid, 'SIGKILL');
  }

  /** Resolves when the node serves with another Redis than the one that was killed. */
  async redisAgain(killed: number, timeoutMs = healthTimeoutMs): Promise<void> {
    const isOther = (pid: number | undefined): boolean => pid !== undefined && pid !== killed;
    await until('another Redis', () => isOther(this.redisPid), { timeoutMs });
    await this.healthy(timeoutMs);
  }

  /** Starts the server again on the same port and folder after `kill`. */
  async restart(timeoutMs = healthTimeoutMs): Promise<void> {
    this.program = this.spawn();
    this.#mayEnd = false;
    await this.healthy(timeoutMs);
  }

  /**
   * Ends the server in an orderly way, and its Redis with it; removes the folder unless it was
   * given. Rejects when the server had ended before anybody asked it to.
   */
  async stop(): Promise<void> {
    try {
      await this.failIfEndedByItself();
      await this.kill('SIGTERM');
    } finally {
      for (const pid of redisPidsIn(this.dataDir)) signalProcess(pid, 'SIGKILL');
      if (this.settings.dataDir === undefined) removeFolder(this.dataDir);
    }
  }

  private async failIfEndedByItself(): Promise<void> {
    if (this.#mayEnd || !this.program.hasEnded()) return;
    const { code, signal } = await this.program.ended;
    const how = signal ?? `exit code ${code}`;
    throw new Error(`the server ended by itself (${how}); it wrote:\n${this.output}`);
  }

  private spawn(): Program {
    const { redisUrl, args = [], env = {}, program = [serverProgram] } = this.settings;
    return startProgram(
      process.execPath,
      [
        ...nodeOptions,
        ...program,
        ...['--port', String(this.port), '--data-dir', this.dataDir],
        ...(redisUrl === undefined ? sharedRedisArgs(this.dataDir) : ['--redis-url', redisUrl]),
        ...args,
      ],
      { cwd: projectRoot, env: { ...process.env, ...env } },
    );
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    // Refused or cut off: not serving yet.
    return false;
  }
}

/** Starts a server and waits for its health. */
export async function startServer(settings: ServerSettings = {}): Promise<RunningServer> {
  const port = settings.port ?? (await freePort());
  const server = new RunningServer(settings, port, settings.dataDir ?? createFolder());
  try {
    await server.healthy();
  } catch (error) {
    // A server that ended at its start is told by the error of `healthy`.
    await server.kill('SIGTERM');
    await server.stop();
    throw error;
  }
  return server;
}
