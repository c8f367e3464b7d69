// Reads large JSON bodies in a thread of their own (large-body-thread.ts): parsing 10 MB, checking
// it against the limits of values and writing it again holds a thread for 60 to 200 ms, and all
// other callers would wait for it. The one member that is large, such as the output in a report,
// comes back as the bytes of its JSON text, which only an expression turns into a value again.
//
// Bodies are read one at a time; callers take turns by the bytes that they send. How many may wait
// is bounded by the bytes of bodies (body-permits.ts). If the thread dies, those that wait get a
// 503 and the next body starts another one.
import { Worker } from 'node:worker_threads';
import { AppError } from '../model/errors.js';
import type { JsonMap } from '../model/json.js';
import { Payload } from '../model/payload.js';
import type { ValueLimits } from '../model/value-limits.js';
import { FairQueue } from '../std/fair-queue.js';
import type { WeightOf } from '../std/weights.js';
import { bufferOf, ownBytes } from '../std/own-bytes.js';
import type { Service } from '../std/service.js';
import { readJson, type JsonLimits } from './json-body.js';

/** From so many bytes on the way through the thread costs less than what it saves. */
export const largeBodyBytesMin = 256 * 1024;

/** Old objects of the thread, MB: ten times what the largest body becomes. */
const threadLimits = { maxOldGenerationSizeMb: 1024 };

export interface LargeBodyLimits {
  readonly json: JsonLimits;
  readonly values: ValueLimits;
  /** Bytes of the text that is kept. */
  readonly keptBytesMax: number;
}

/** A map whose large member was kept as text. */
export interface LargeMap {
  readonly rest: JsonMap;
  /** undefined: it stands in `rest` as a value. */
  readonly kept: Payload | undefined;
}

/** The question to the thread. */
export interface LargeBodyTask {
  /** In their order. */
  readonly pieces: readonly Uint8Array[];
  readonly member: string;
}

export type LargeBodyAnswer =
  | { readonly kind: 'read'; readonly rest: JsonMap; readonly kept: Uint8Array }
  /** It is no body that the thread has to do with: to be read as small ones are. */
  | { readonly kind: 'unusual'; readonly body: Uint8Array }
  /** The message of an AppError 'bad-request'. */
  | { readonly kind: 'refused'; readonly message: string };

interface Waiting {
  readonly pieces: readonly Buffer[];
  readonly member: string;
  readonly resolve: (map: LargeMap) => void;
  readonly reject: (error: unknown) => void;
}

export class LargeBodies implements Service {
  readonly #waiting: FairQueue<Waiting>;
  #current: Waiting | undefined;
  #thread: Worker | undefined;

  constructor(
    private readonly limits: LargeBodyLimits,
    private readonly failed: (error: unknown) => void,
    /** Of callers. */
    weightOf?: WeightOf,
  ) {
    this.#waiting = new FairQueue(weightOf);
  }

  /** The thread starts with the first large body. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#refuseAll();
    await thread?.terminate();
  }

  /**
   * The body, in pieces, as a map, with its `member` as text. It is handed over: nobody may look at
   * it afterwards. Rejects with AppError 'bad-request' as `readJson` does, 'unavailable' when the
   * thread died.
   */
  read(pieces: readonly Buffer[], member: string, caller: string): Promise<LargeMap> {
    return new Promise((resolve, reject) => {
      const path = [caller];
      const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
      this.#waiting.push(path, { pieces, member, resolve, reject });
      this.#waiting.charge(path, bytes);
      this.#next();
    });
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const next = this.#waiting.take();
    if (next === undefined) return;
    this.#current = next;
    const { member } = next;
    const pieces = next.pieces.map(ownBytes);
    const thread = (this.#thread ??= this.#begin());
    thread.ref();
    const task: LargeBodyTask = { pieces, member };
    thread.postMessage(
      task,
      pieces.map(({ buffer }) => buffer),
    );
  }

  #begin(): Worker {
    const thread = new Worker(new URL('./large-body-thread.js', import.meta.url), {
      workerData: this.limits,
      resourceLimits: threadLimits,
      env: {},
    });
    thread.on('message', (answer: LargeBodyAnswer) => this.#answered(answer));
    thread.on('error', this.failed);
    thread.on('exit', () => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#refuseAll();
    });
    return thread;
  }

  #answered(answer: LargeBodyAnswer): void {
    const answered = this.#current;
    this.#current = undefined;
    this.#thread?.unref();
    this.#next();
    if (answered === undefined) return;
    try {
      answered.resolve(mapOf(answer, this.limits.json));
    } catch (error) {
      answered.reject(error);
    }
  }

  #refuseAll(): void {
    const error = new AppError('unavailable', 'Large bodies cannot be read now', {
      retryAfterSeconds: 1,
    });
    this.#current?.reject(error);
    this.#current = undefined;
    for (const { reject } of this.#waiting.removeAll()) reject(error);
  }
}

/** Throws AppError 'bad-request'. */
function mapOf(answer: LargeBodyAnswer, limits: JsonLimits): LargeMap {
  if (answer.kind === 'refused') throw new AppError('bad-request', answer.message);
  if (answer.kind === 'read') {
    return { rest: answer.rest, kept: Payload.ofBytes(bufferOf(answer.kept)) };
  }
  return { rest: asMap(readJson(bufferOf(answer.body), limits)), kept: undefined };
}

/** Throws AppError 'bad-request' unless a body is an object. */
export function asMap(value: ReturnType<typeof readJson>): JsonMap {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new AppError('bad-request', 'The body must be an object');
  }
  return value;
}
