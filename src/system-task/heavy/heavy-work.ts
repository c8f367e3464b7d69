// Runs heavy jobs, each in a process of its own, few at a time. A process has a bounded heap and no
// environment, and is killed when its time is over or nobody wants the result.
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../std/clock.js';
import { Limiter } from '../../std/limiter.js';
import type { HeavyAnswer, HeavyJob, HeavyResults } from './job.js';

export interface HeavyWorkSettings {
  /** Longest time of one job, its process included, ms. */
  readonly timeMsMax: number;
  /** Processes at most. */
  readonly processesMax: number;
  readonly clock: Clock;
  /** Program of a process. */
  readonly workerUrl?: URL;
}

const heapMegabytes = 256;
const ownWorker = new URL('./heavy-worker.js', import.meta.url);

export class HeavyWork {
  readonly #limiter: Limiter;

  constructor(private readonly settings: HeavyWorkSettings) {
    this.#limiter = new Limiter(settings.processesMax);
  }

  /** Rejects with an Error whose message is fit to be shown. */
  async run<J extends HeavyJob>(job: J, signal: AbortSignal): Promise<HeavyResults[J['kind']]> {
    const answer = await this.#limiter.run(() => this.#carryOut(job, signal));
    if (!answer.ok) throw new Error(answer.reason);
    return answer.result as HeavyResults[J['kind']];
  }

  async #carryOut(job: HeavyJob, signal: AbortSignal): Promise<HeavyAnswer> {
    if (signal.aborted) return { ok: false, reason: 'Cancelled' };
    const { timeMsMax, clock, workerUrl = ownWorker } = this.settings;
    const worker = fork(fileURLToPath(workerUrl), [], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${heapMegabytes}`],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    let giveUp: ((reason: string) => void) | undefined;
    const givenUp = new Promise<HeavyAnswer>((resolve) => {
      giveUp = (reason) => resolve({ ok: false, reason });
    });
    const timer = clock.after(timeMsMax, () => giveUp?.(`It took longer than ${timeMsMax} ms`));
    const cancel = (): void => giveUp?.('Cancelled');
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await Promise.race([answerOf(worker, job), givenUp]);
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', cancel);
      worker.kill('SIGKILL');
    }
  }
}

function answerOf(worker: ChildProcess, job: HeavyJob): Promise<HeavyAnswer> {
  return new Promise((resolve) => {
    worker.once('message', (answer) => resolve(answer as HeavyAnswer));
    worker.once('error', (error) => resolve({ ok: false, reason: error.message }));
    worker.once('exit', () =>
      resolve({ ok: false, reason: `It needed more than ${heapMegabytes} MB of memory` }),
    );
    worker.send(job, (error) => {
      if (error !== null) resolve({ ok: false, reason: error.message });
    });
  });
}
