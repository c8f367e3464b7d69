// Threads that run scripts. Each thread has one job at a time and the others wait in a queue here,
// so a thread that has to be ended takes only its own job with it. The time limit is kept twice:
// the thread interrupts a script by itself, and where that does not help (inside a pattern match,
// in a full heap) the pool ends the thread a little later and starts another one.
//
// A script that runs into its limit must not keep the scripts of other executions waiting. So each
// job first gets a short time; one that needs more starts anew in the long queue (scripts have no
// effects, so nothing happens twice), and the next jobs of its source go there at once. Long jobs
// never have all threads, where there are two or more, and take turns by source. See job-queue.ts.
import { Worker } from 'node:worker_threads';
import type { Clock, TimerHandle } from '../std/clock.js';
import {
  memoryLimitMessage,
  type ScriptAnswer,
  type ScriptJob,
  timeLimitMessage,
  workerReady,
} from './job.js';
import { JobQueue, type Waiting } from './job-queue.js';

export interface WorkerPoolSettings {
  /** Threads at most; they start when there is work for them. */
  workersMax: number;
  /** Body of a thread. */
  workerUrl: URL;
  clock: Clock;
}

/** Jobs that wait for a thread; more are turned away. */
const waitingJobsMax = 10_000;
/**
 * Characters of their inputs in all; a job that alone is larger still gets its turn when nothing
 * waits.
 */
const waitingCharsMax = 128 * 1024 * 1024;
/** Time of a job before it is a long one, ms; what real definitions do takes one or two. */
const shortTimeMs = 100;
/** What the thread is given beyond the job's time to answer by itself. */
const graceMs = 250;
/** Time for a thread to come up. */
const startMsMax = 30_000;
/** Heap of a thread beside QuickJS: jq values, texts in and out. */
const heapMegabytes = 192;

export class WorkerPool {
  readonly #idle: ScriptThread[] = [];
  readonly #threads = new Set<ScriptThread>();
  readonly #waiting: JobQueue;
  #stopped = false;

  constructor(readonly settings: WorkerPoolSettings) {
    this.#waiting = new JobQueue(Math.max(1, settings.workersMax - 1));
  }

  /** Never rejects. */
  run(job: ScriptJob): Promise<ScriptAnswer> {
    if (this.#stopped) return Promise.resolve(stopping);
    if (this.#waiting.size >= waitingJobsMax || this.#waiting.chars > waitingCharsMax) {
      return Promise.resolve({ kind: 'limit', message: 'Too many scripts are waiting.' });
    }
    return new Promise((resolve) => {
      if (job.timeMsMax <= 2 * shortTimeMs || this.#waiting.isKnownLong(job)) {
        this.#add({ job, isLong: true, resolve });
      } else this.#addShort(job, resolve);
    });
  }

  /** Tries for a short time first. */
  #addShort(job: ScriptJob, resolve: (answer: ScriptAnswer) => void): void {
    const overdue = timeLimitMessage(shortTimeMs);
    this.#add({
      job: { ...job, timeMsMax: shortTimeMs },
      isLong: false,
      resolve: (answer) => {
        if (answer.kind !== 'limit' || answer.message !== overdue) return resolve(answer);
        if (this.#stopped) return resolve(stopping);
        this.#waiting.rememberLong(job);
        this.#add({ job, isLong: true, resolve });
      },
    });
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#dispatch();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#refuseAll(stopping);
    await Promise.all([...this.#threads].map((thread) => thread.end(stopping)));
  }

  #dispatch(): void {
    while (this.#waiting.hasNext) {
      const thread = this.#idle.pop();
      if (thread === undefined) {
        this.#startIfNeeded();
        return;
      }
      thread.run(this.#waiting.take());
    }
  }

  #refuseAll(answer: ScriptAnswer): void {
    for (const { resolve } of this.#waiting.removeAll()) resolve(answer);
  }

  #startIfNeeded(): void {
    if (this.#threads.size >= this.settings.workersMax) return;
    const thread = new ScriptThread(this.settings, {
      onIdle: () => {
        this.#idle.push(thread);
        this.#dispatch();
      },
      onDone: (waiting) => this.#waiting.done(waiting),
      onEnd: (hadStarted) => this.#onEnd(thread, hadStarted),
    });
    this.#threads.add(thread);
  }

  #onEnd(thread: ScriptThread, hadStarted: boolean): void {
    this.#threads.delete(thread);
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
    // A thread that cannot even start would be started for ever: its waiting jobs are told instead.
    if (!hadStarted && this.#threads.size === 0) this.#refuseAll(noThread);
    this.#dispatch();
  }
}

const stopping: ScriptAnswer = { kind: 'limit', message: 'The server is stopping.' };
const noThread: ScriptAnswer = { kind: 'limit', message: 'The script engine does not start.' };

interface ThreadEvents {
  onIdle: () => void;
  /** A job is about to be answered. */
  onDone: (waiting: Waiting) => void;
  /** `hadStarted`: it has reported ready. */
  onEnd: (hadStarted: boolean) => void;
}

class ScriptThread {
  readonly #worker: Worker;
  #current: Waiting | undefined;
  #timer: TimerHandle | undefined;
  #started = false;
  #ended = false;

  constructor(
    readonly settings: WorkerPoolSettings,
    readonly events: ThreadEvents,
  ) {
    this.#worker = new Worker(settings.workerUrl, {
      env: {},
      argv: [],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, stackSizeMb: 4 },
      // What the engine prints when it gives up is no line of the server's log; the end of the
      // thread tells.
      stdout: true,
      stderr: true,
    });
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.unref();
    this.#worker.on('message', (message: ScriptAnswer | typeof workerReady) => this.#hear(message));
    this.#worker.on('error', (error) => void this.end(this.#answerTo(error)));
    this.#worker.on('exit', () => void this.end(noThread));
    this.#timer = settings.clock.after(startMsMax, () => void this.end(noThread));
  }

  run(waiting: Waiting): void {
    this.#current = waiting;
    // The process stays up for an answer that somebody waits for.
    this.#worker.ref();
    const { timeMsMax } = waiting.job;
    const overdue: ScriptAnswer = { kind: 'limit', message: timeLimitMessage(timeMsMax) };
    this.#timer = this.settings.clock.after(timeMsMax + graceMs, () => void this.end(overdue));
    this.#worker.postMessage(waiting.job);
  }

  /** Ends the thread; a job it had is answered with `answer`. */
  async end(answer: ScriptAnswer): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer?.cancel();
    const terminated = this.#worker.terminate();
    this.#settle(answer);
    this.events.onEnd(this.#started);
    await terminated;
  }

  #hear(message: ScriptAnswer | typeof workerReady): void {
    if (this.#ended) return;
    this.#timer?.cancel();
    this.#started = true;
    if (message !== workerReady) this.#settle(message);
    this.#worker.unref();
    this.events.onIdle();
  }

  #settle(answer: ScriptAnswer): void {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    this.events.onDone(current);
    current.resolve(answer);
  }

  /** The thread broke: out of heap by what it ran, or a trap of the WebAssembly engine. */
  #answerTo(error: unknown): ScriptAnswer {
    const job = this.#current?.job;
    if (job === undefined) return noThread;
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return { kind: 'limit', message: memoryLimitMessage(job.memoryBytesMax) };
    }
    return { kind: 'error', message: `Error: the script engine broke (${String(message)})` };
  }
}
