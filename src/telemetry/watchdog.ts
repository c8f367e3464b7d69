// Ends the process when its event loop has been blocked for some seconds (invariants M13): its
// lease has ended by then, others serve its shards, and nothing inside could stop what runs.
//
// A thread of its own looks for heartbeats of the loop (watchdog-thread.ts). It counts its own
// ticks, not time: a process that stood still as a whole (SIGSTOP, a suspended machine) goes on
// with the count that it had, and a tick that comes late does not count. Of the others it counts
// what the loop had a processor for, or needed none: on a busy machine the loop waits longer for
// one than this thread does.
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import type { Service } from '../std/service.js';
import type { LoopNote } from './loop-note.js';

/** Exit code of a process that its watchdog has ended. */
export const blockedExitCode = 70;

/** Ticks in the time after which a blocked process ends. */
const ticks = 20;

/** `text` for people, as logger.ts has it. */
export type LogForm = 'json' | 'text' | 'none';

/** The orders to the thread. */
export interface WatchdogOrders {
  /** One number, which changes while the event loop turns. */
  readonly heartbeat: Int32Array;
  readonly everyMs: number;
  readonly blockedMsMax: number;
  readonly exitCode: number;
  readonly log: LogForm;
}

export interface WatchdogParts {
  /** 0 switches it off. */
  readonly blockedMsMax: number;
  readonly note: LoopNote;
  /** Nothing is logged. */
  readonly isSilent: boolean;
  readonly failed: (error: unknown) => void;
}

/** The thread asks for this property of the global object, where the interrupted loop finds it. */
export const noteSymbol = 'downbeat.loop-note';

/** Young and old objects of the thread, MB: it has no more than its timer. */
const threadLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };

export class Watchdog implements Service {
  #thread: Worker | undefined;
  #beating: NodeJS.Timeout | undefined;

  constructor(private readonly parts: WatchdogParts) {}

  /** A debugger stops the loop of the process on purpose. */
  async start(): Promise<void> {
    const { blockedMsMax, note, isSilent, failed } = this.parts;
    if (blockedMsMax === 0 || debuggerUrl() !== undefined) return;
    const heartbeat = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const everyMs = blockedMsMax / ticks;
    Object.assign(globalThis, { [Symbol.for(noteSymbol)]: note });
    this.#beating = setInterval(() => Atomics.add(heartbeat, 0, 1), everyMs);
    this.#beating.unref();
    const orders: WatchdogOrders = {
      ...{ heartbeat, everyMs, blockedMsMax },
      exitCode: blockedExitCode,
      log: logOf(isSilent),
    };
    this.#thread = new Worker(new URL('./watchdog-thread.js', import.meta.url), {
      workerData: orders,
      resourceLimits: threadLimits,
      env: {},
    });
    this.#thread.unref();
    this.#thread.on('error', failed);
  }

  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
    clearInterval(this.#beating);
  }
}

function logOf(isSilent: boolean): LogForm {
  if (isSilent) return 'none';
  return process.stdout.isTTY ? 'text' : 'json';
}
