// Runs isolated jobs, each in a process of its own, few at a time, which callers share. A process
// has a bounded heap and no environment, and is killed when its time is over or nobody wants the
// result. Its memory outside the heap (buffers, WebAssembly) is not bounded by the runtime: where
// the system tells the memory of a process (Linux), one that takes too much is killed as well.
import { fork, type ChildProcess } from 'node:child_process';
import fs from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../std/clock.js';
import { SharedLimiter } from '../../std/shared-limiter.js';
import { callerOf } from '../run-callers.js';
import type { JobAnswer, JobOrder } from './job.js';

export interface IsolatedJobsSettings {
  /** Longest time of one job, its process included, ms. */
  readonly timeMsMax: number;
  /** Processes at most. */
  readonly processesMax: number;
  /** Bytes of one result. */
  readonly resultBytesMax: number;
  readonly clock: Clock;
  /** Program of a process. */
  readonly workerUrl?: URL;
}

const heapMegabytes = 256;
/** Of a process in all; an empty one takes some 60. */
const memoryMegabytesMax = 512;
const memoryCheckMs = 50;
const ownWorker = new URL('./worker.js', import.meta.url);

export class IsolatedJobs {
  readonly #limiter: SharedLimiter;

  constructor(private readonly settings: IsolatedJobsSettings) {
    this.#limiter = new SharedLimiter(settings.processesMax);
  }

  /**
   * Runs the function `run` of a module with `order`; order and result are cloned. Rejects with an
   * Error whose message is fit to be shown.
   */
  async run(program: URL, order: unknown, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#limiter.run(callerOf(signal), () =>
      this.#carryOut(program, order, signal),
    );
    if (!answer.ok) throw new Error(answer.reason);
    return answer.result;
  }

  async #carryOut(program: URL, order: unknown, signal: AbortSignal): Promise<JobAnswer> {
    if (signal.aborted) return { ok: false, reason: 'Cancelled' };
    const { timeMsMax, resultBytesMax, clock, workerUrl = ownWorker } = this.settings;
    const worker = fork(fileURLToPath(workerUrl), [], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${heapMegabytes}`],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    let giveUp: ((reason: string) => void) | undefined;
    const givenUp = new Promise<JobAnswer>((resolve) => {
      giveUp = (reason) => resolve({ ok: false, reason });
    });
    const timer = clock.after(timeMsMax, () => giveUp?.(`It took longer than ${timeMsMax} ms`));
    const watch = setInterval(() => {
      void isTooLarge(worker.pid).then((yes) => (yes ? giveUp?.(tooMuchMemory) : undefined));
    }, memoryCheckMs);
    const cancel = (): void => giveUp?.('Cancelled');
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await Promise.race([
        answerOf(worker, { program: program.href, order, resultBytesMax }),
        givenUp,
      ]);
    } finally {
      timer.cancel();
      clearInterval(watch);
      signal.removeEventListener('abort', cancel);
      worker.kill('SIGKILL');
    }
  }
}

const tooMuchMemory = `It needed more than ${heapMegabytes} MB of memory`;

/** Whether a process takes more memory than it may; false where the system does not tell. */
async function isTooLarge(pid: number | undefined): Promise<boolean> {
  const facts = await fs.readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = Number(/^VmRSS:\s*(\d+) kB/m.exec(facts)?.[1] ?? 0);
  return kilobytes > memoryMegabytesMax * 1024;
}

function answerOf(worker: ChildProcess, order: JobOrder): Promise<JobAnswer> {
  return new Promise((resolve) => {
    worker.once('message', (answer) => resolve(answer as JobAnswer));
    worker.once('error', (error) => resolve({ ok: false, reason: error.message }));
    worker.once('exit', () => resolve({ ok: false, reason: tooMuchMemory }));
    worker.send(order, (error) => {
      if (error !== null) resolve({ ok: false, reason: error.message });
    });
  });
}
