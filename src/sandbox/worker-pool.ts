// Processes that run scripts. Each one has one job at a time and the others wait in a queue here,
// so a process that has to be ended takes only its own job with it. The time limit is kept twice:
// the process interrupts a script by itself, and where that does not help (inside a pattern match)
// the pool kills the process a little later and starts another one.
//
// Why processes and not threads: V8 ends the whole process when the heap of one thread is full and
// one allocation is larger than what its limit leaves, whatever limit the thread has. A jq program
// that grows a list does that (decision 0005). A process takes nobody with it.
//
// A script that runs into its limit must not keep the scripts of other executions waiting. So each
// job first gets a short time; one that needs more starts anew in the long queue (scripts have no
// effects, so nothing happens twice), and the next jobs of its source go there at once. Long jobs
// never have all processes, where there are two or more. Callers, definitions and scripts take
// turns. See job-queue.ts.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock, TimerHandle } from '../std/clock.js';
import {
  memoryLimitMessage,
  type ScriptAnswer,
  type ScriptJob,
  timeLimitMessage,
  workerReady,
} from './job.js';
import { JobQueue, type Waiting } from './job-queue.js';
import type { WeightOf } from '../std/weights.js';
import { type HeldScript, ScriptQuotas, type ScriptQuotaSettings } from './script-quotas.js';
import type { ScriptShare } from './script-share.js';

export interface WorkerPoolSettings {
  /** Processes at most; they start when there is work for them. */
  workersMax: number;
  /** Program of a process. */
  workerUrl: URL;
  clock: Clock;
  quotas: ScriptQuotaSettings;
  /** Of callers; absent: all count the same. */
  weightOf?: WeightOf | undefined;
}

export interface ScriptRun {
  readonly share: ScriptShare;
  /** Asked before it runs; false spares it. */
  readonly isWanted?: (() => boolean) | undefined;
}

/** Time of a job before it is a long one, ms; what real definitions do takes one or two. */
const shortTimeMs = 100;
/** The time of the process beyond the job's own, to answer by itself. */
const graceMs = 250;
/** Time for a process to come up. */
const startMsMax = 30_000;
/** Heap of a process beside QuickJS: jq values, texts in and out. */
const heapMegabytes = 192;
/** Stack of a process, below the 8 MB that systems give; jq needs it for its depth. */
const stackKilobytes = 3900;
/** Exit code of a process that aborts where signals are shown as codes. */
const exitCodeOfAbort = 134;

export class WorkerPool {
  readonly #idle: ScriptWorker[] = [];
  readonly #workers = new Set<ScriptWorker>();
  readonly #waiting: JobQueue;
  readonly #quotas: ScriptQuotas;
  #stopped = false;
  /** For what quotas hold. */
  #heldTimer: TimerHandle | undefined;

  constructor(readonly settings: WorkerPoolSettings) {
    const { workersMax, quotas, clock, weightOf } = settings;
    this.#quotas = new ScriptQuotas(quotas);
    const longMax = Math.max(1, workersMax - 1);
    this.#waiting = new JobQueue(longMax, this.#quotas, () => clock.monotonic(), weightOf);
  }

  /** Never rejects. */
  run(job: ScriptJob, run: ScriptRun): Promise<ScriptAnswer> {
    const { share } = run;
    if (this.#stopped) return Promise.resolve(stopping);
    if (!this.#waiting.hasRoom(share, job.inputText.length)) {
      return Promise.resolve({ kind: 'limit', message: 'Too many scripts are waiting.' });
    }
    return new Promise((resolve) => {
      const waiting: Waiting = { ...run, job, isLong: true, resolve };
      if (job.timeMsMax <= 2 * shortTimeMs || this.#waiting.isKnownLong(job)) this.#add(waiting);
      else this.#addShort(waiting);
    });
  }

  /** The quota that scripts wait for now; undefined: none. */
  heldBy(share: ScriptShare): HeldScript | undefined {
    return this.#quotas.heldBy(share, this.settings.clock.monotonic());
  }

  /** Tries for a short time first. */
  #addShort(waiting: Waiting): void {
    const overdue = timeLimitMessage(shortTimeMs);
    const { job, resolve } = waiting;
    this.#add({
      ...waiting,
      job: { ...job, timeMsMax: shortTimeMs },
      isLong: false,
      resolve: (answer) => {
        if (answer.kind !== 'limit' || answer.message !== overdue) return resolve(answer);
        if (this.#stopped) return resolve(stopping);
        this.#waiting.rememberLong(job);
        this.#add(waiting);
      },
    });
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#dispatch();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#heldTimer?.cancel();
    this.#refuseAll(stopping);
    await Promise.all([...this.#workers].map((worker) => worker.end(stopping)));
  }

  #dispatch(): void {
    while (this.#waiting.hasNext) {
      const worker = this.#idle.pop();
      if (worker === undefined) {
        this.#startIfNeeded();
        return;
      }
      const next = this.#takeWanted();
      if (next !== undefined) {
        worker.run(next);
        continue;
      }
      this.#idle.push(worker);
      if (this.#waiting.heldMs > 0) this.#dispatchIn(this.#waiting.heldMs);
      return;
    }
  }

  /** Scripts that quotas hold may run then. */
  #dispatchIn(ms: number): void {
    this.#heldTimer?.cancel();
    this.#heldTimer = this.settings.clock.after(ms, () => this.#dispatch());
  }

  /** The next job that somebody still waits for; undefined: there is none, or quotas hold all. */
  #takeWanted(): Waiting | undefined {
    for (;;) {
      const next = this.#waiting.take();
      if (next === undefined) return undefined;
      if (next.isWanted?.() !== false) return next;
      this.#waiting.done(next);
      next.resolve(notWanted);
    }
  }

  #refuseAll(answer: ScriptAnswer): void {
    for (const { resolve } of this.#waiting.removeAll()) resolve(answer);
  }

  #startIfNeeded(): void {
    if (this.#workers.size >= this.settings.workersMax) return;
    const worker = new ScriptWorker(this.settings, {
      onIdle: () => {
        this.#idle.push(worker);
        this.#dispatch();
      },
      onDone: (waiting, ms) => this.#waiting.done(waiting, ms),
      onEnd: (hadStarted) => this.#onEnd(worker, hadStarted),
    });
    this.#workers.add(worker);
  }

  #onEnd(worker: ScriptWorker, hadStarted: boolean): void {
    this.#workers.delete(worker);
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
    // A process that cannot even start would be started for ever: its waiting jobs are refused.
    if (!hadStarted && this.#workers.size === 0) this.#refuseAll(noWorker);
    this.#dispatch();
  }
}

const notWanted: ScriptAnswer = { kind: 'limit', message: 'Nobody waits for the script any more.' };
const stopping: ScriptAnswer = { kind: 'limit', message: 'The server is stopping.' };
const noWorker: ScriptAnswer = { kind: 'limit', message: 'The script engine does not start.' };

interface WorkerEvents {
  onIdle: () => void;
  /** A job that ran for so many ms is about to be answered. */
  onDone: (waiting: Waiting, ms: number) => void;
  /** `hadStarted`: it has reported ready. */
  onEnd: (hadStarted: boolean) => void;
}

class ScriptWorker {
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  #current: Waiting | undefined;
  #beganAt = 0;
  #timer: TimerHandle | undefined;
  #started = false;
  #ended = false;

  constructor(
    readonly settings: WorkerPoolSettings,
    readonly events: WorkerEvents,
  ) {
    this.#process = fork(fileURLToPath(settings.workerUrl), {
      // A script sees no environment anyway; nor should whatever breaks out of its engine.
      env: {},
      execArgv: [`--max-old-space-size=${heapMegabytes}`, `--stack-size=${stackKilobytes}`],
      serialization: 'advanced',
      // V8 prints a report when its heap is full, which is no line of the server's log; the exit
      // tells.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#process.on('message', (message) =>
      this.#receive(message as ScriptAnswer | typeof workerReady),
    );
    this.#exited = new Promise((resolve) => {
      // `error`: the process could not be started; then there is no `exit`.
      this.#process.on('error', () => {
        resolve();
        void this.end(this.#answerToExit());
      });
      this.#process.on('exit', () => {
        resolve();
        void this.end(this.#answerToExit());
      });
    });
    this.#timer = settings.clock.after(startMsMax, () => void this.end(noWorker));
  }

  run(waiting: Waiting): void {
    this.#current = waiting;
    this.#beganAt = this.settings.clock.monotonic();
    this.#setKeepsServerUp(true);
    const { timeMsMax } = waiting.job;
    const overdue: ScriptAnswer = { kind: 'limit', message: timeLimitMessage(timeMsMax) };
    this.#timer = this.settings.clock.after(timeMsMax + graceMs, () => void this.end(overdue));
    // A job that does not arrive is answered when the process exits or its time is up.
    this.#process.send(waiting.job, () => undefined);
  }

  /** Kills the process; a job it had is answered with `answer`. */
  async end(answer: ScriptAnswer): Promise<void> {
    if (!this.#ended) {
      this.#ended = true;
      this.#timer?.cancel();
      this.#setKeepsServerUp(true);
      this.#process.kill('SIGKILL');
      this.#settle(answer);
      this.events.onEnd(this.#started);
    }
    await this.#exited;
  }

  #receive(message: ScriptAnswer | typeof workerReady): void {
    if (this.#ended) return;
    this.#timer?.cancel();
    this.#started = true;
    if (message !== workerReady) this.#settle(message);
    this.#setKeepsServerUp(false);
    this.events.onIdle();
  }

  #settle(answer: ScriptAnswer): void {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    this.events.onDone(current, this.settings.clock.monotonic() - this.#beganAt);
    current.resolve(answer);
  }

  /**
   * An idle worker does not keep the server up. A start, which is for a job, a job and an end that
   * somebody waits for do.
   */
  #setKeepsServerUp(keeps: boolean): void {
    const { channel } = this.#process;
    if (keeps) {
      this.#process.ref();
      channel?.ref();
    } else {
      this.#process.unref();
      channel?.unref();
    }
  }

  /**
   * The process ended by itself while it ran a script: its heap was full (V8 aborts), or the kernel
   * killed it because the machine had no memory left.
   */
  #answerToExit(): ScriptAnswer {
    const job = this.#current?.job;
    const { exitCode, signalCode } = this.#process;
    if (job === undefined) return noWorker;
    if (signalCode === 'SIGABRT' || signalCode === 'SIGKILL' || exitCode === exitCodeOfAbort) {
      return { kind: 'limit', message: memoryLimitMessage(job.memoryBytesMax) };
    }
    const how = signalCode ?? `exit code ${String(exitCode)}`;
    return { kind: 'error', message: `Error: the script engine broke (${how})` };
  }
}
