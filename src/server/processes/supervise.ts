// Runs several nodes as processes on one port (setting `processes`). The supervisor serves nothing
// itself: it holds the data folder and the private Redis, starts the processes, and starts a dead
// one again. The first process makes the store; the others come when it serves. SIGINT and SIGTERM
// end all of them and the private Redis last; SIGHUP ends and starts one after the other.
import { createServer } from 'node:net';
import { launchStore, type LaunchedStore } from '../../redis/launch-store.js';
import { createLogger, type Logger } from '../../telemetry/logger.js';
import type { Settings } from '../settings-table.js';
import { codeOfFailure, whyNotStarted } from '../start-failure.js';
import { Member } from './member.js';
import { processesOf } from './process-count.js';
import { RollCall } from './roll-call.js';

/** A process breaks its own stop off before the supervisor kills it. */
const stopSlackMs = 2000;

/** Resolves once it is under way; ends this process itself. */
export async function supervise(settings: Settings, args: readonly string[]): Promise<void> {
  const log = await createLogger(settings.logLevel, { node: 'supervisor' });
  await new Supervisor(settings, args, log).run();
}

class Supervisor {
  readonly #stopping = new AbortController();
  #store: LaunchedStore | undefined;
  #members: Member[] = [];
  readonly #rollCall = new RollCall(() => this.#members);
  /** A rolling restart that is under way. */
  #rolling: Promise<void> | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly args: readonly string[],
    private readonly log: Logger,
  ) {}

  async run(): Promise<void> {
    const { settings, log } = this;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        log.info({ signal }, 'stopping');
        void this.#stop(0);
      });
    }
    process.on('SIGHUP', () => this.#roll());
    try {
      await portIsFree(settings.port, settings.host);
      this.#store = launchStore(
        settings,
        (level, message) => log[level](message),
        this.#stopping.signal,
      );
      await this.#startMembers(await this.#store.url);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const sentence = whyNotStarted(error, settings);
      if (sentence === undefined) log.fatal({ err: error }, `could not start: ${String(error)}`);
      else console.error(`Downbeat could not start. ${sentence}`);
      await this.#stop(codeOfFailure(error));
    }
  }

  async #startMembers(storeUrl: string): Promise<void> {
    const { settings, args, log } = this;
    const { leaveNoticeMs, drainMs, stopMs, port } = settings;
    const name = settings.nodeId === '' ? this.#store?.folder.nodeId : settings.nodeId;
    const count = processesOf(settings);
    this.#members = Array.from(
      { length: count },
      (_, i) =>
        new Member(
          { number: i + 1, nodeId: `${name}-${i + 1}`, storeUrl },
          {
            args,
            stopMsMax: leaveNoticeMs + drainMs + stopMs + stopSlackMs,
            tell: (level, message) => log[level](message),
            gaveUp: (code) => void this.#stop(code),
            together: (question) => this.#rollCall.together(question),
            ended: () => this.#rollCall.ended(`${name}-${i + 1}`),
            othersServe: () => this.#members.some(({ isServing }) => isServing),
          },
        ),
    );
    const [first, ...others] = this.#members;
    if (this.#stopping.signal.aborted) return;
    await first?.start();
    if (this.#stopping.signal.aborted) return;
    await Promise.all(others.map((member) => member.start()));
    log.info({ port }, `${count} processes serve on port ${port} of ${settings.host}`);
  }

  /** One process after the other leaves and comes back. */
  #roll(): void {
    if (this.#rolling !== undefined) {
      this.log.warn('the processes are being restarted already');
      return;
    }
    const isStopping = (): boolean => this.#stopping.signal.aborted;
    const roll = async (): Promise<void> => {
      this.log.info('restarting one process after the other');
      for (const member of this.#members) {
        if (!isStopping()) await member.stop();
        if (!isStopping()) await member.start();
      }
      this.#rolling = undefined;
      if (!isStopping()) this.log.info('all processes were restarted');
    };
    this.#rolling = roll();
  }

  /** Ends everything, and this process with the code. */
  async #stop(code: number): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort();
    await Promise.all(this.#members.map((member) => member.stop()));
    await this.#store?.stop();
    process.exit(code);
  }
}

/** Rejects where something listens already: processes that share a port would share it, too. */
function portIsFree(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ port, host }, () => probe.close(() => resolve()));
  });
}
