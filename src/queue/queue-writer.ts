// Collects what has to be told to the queues in the store and sends it in as few calls as possible:
// while one write is under way the next ones gather (the same scheme as group commit). Everything
// sent here is derived from committed state and repeatable, so a failed write is tried again until
// it is through or the node drops its state and derives it anew.
import { sleep, type Clock } from '../std/clock.js';
import type { QueueName } from '../engine/decision.js';
import type { Attempt, Push, QueueStore } from '../store/queue-store.js';
import { queueKey } from './queue-key.js';
import type { QueueTable } from './queue-table.js';
import type { ReadySignals } from './ready-signals.js';
import type { TaskQueue } from './task-queue.js';

export interface QueueWriterParts {
  readonly clock: Clock;
  readonly store: Pick<QueueStore, 'push' | 'finish'>;
  readonly table: QueueTable;
  readonly signals: ReadySignals;
  readonly failed: (error: unknown) => void;
}

interface PendingPush {
  push: Push;
  done: () => void;
  /** The queue whose polls may get it at once; undefined: it becomes visible later. */
  awaitedAt: TaskQueue | undefined;
}

const retryDelayMs = 100;
const pushesPerWriteMax = 1000;

export class QueueWriter {
  #pushes: PendingPush[] = [];
  #finished = new Map<string, { queue: QueueName; attempts: Attempt[] }>();
  #writing = false;
  /** The drops since the write under way began. */
  #drops: ((attempt: Attempt) => boolean)[] = [];
  /** Callers of `settled`, each with the number of writes that must end before it goes on. */
  #waiting: { writes: number; resolve: () => void }[] = [];

  constructor(private readonly parts: QueueWriterParts) {}

  /** Resolves once the store has it; never if it is dropped before. */
  push(push: Push): Promise<void> {
    return new Promise((done) => {
      const { clock, table } = this.parts;
      const awaitedAt = push.visibleAt > clock.now() ? undefined : table.of(push.queue);
      if (awaitedAt !== undefined) awaitedAt.pushing += 1;
      this.#pushes.push({ push, done, awaitedAt });
      this.#schedule();
    });
  }

  /** Removes an attempt from its queue wherever it is there. */
  finish(queue: QueueName, attempt: Attempt): void {
    const key = queueKey(queue);
    const entry = this.#finished.get(key);
    if (entry) entry.attempts.push(attempt);
    else this.#finished.set(key, { queue, attempts: [attempt] });
    this.#schedule();
  }

  /**
   * Resolves once what was given before has been sent, or could not be: the write under way and the
   * next one have ended.
   */
  drained(): Promise<void> {
    if (!this.#writing) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ writes: 2, resolve }));
  }

  /**
   * Forgets what has not been sent: the executions it was derived from have been dropped and will
   * derive it again.
   */
  drop(isDropped: (attempt: Attempt) => boolean): void {
    const isKept = (attempt: Attempt): boolean => !isDropped(attempt);
    this.#pushes = keptOf(this.#pushes, isKept);
    for (const entry of this.#finished.values()) entry.attempts = entry.attempts.filter(isKept);
    this.#drops.push(isDropped);
  }

  #schedule(): void {
    if (this.#writing) return;
    this.#writing = true;
    setImmediate(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    while (this.#pushes.length > 0 || this.#finished.size > 0) {
      this.#drops = [];
      const pushes = this.#pushes.splice(0, pushesPerWriteMax);
      const finished = [...this.#finished.values()];
      this.#finished = new Map();
      try {
        await this.#write(pushes, finished);
      } catch (error) {
        this.parts.failed(error);
        this.#keepForRetry(pushes, finished);
        this.#wroteOnce();
        await sleep(this.parts.clock, retryDelayMs);
        continue;
      }
      this.#wroteOnce();
    }
    this.#writing = false;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  #wroteOnce(): void {
    if (this.#waiting.length === 0) return;
    for (const waiting of this.#waiting) if (--waiting.writes === 0) waiting.resolve();
    this.#waiting = this.#waiting.filter(({ writes }) => writes > 0);
  }

  #keepForRetry(
    pushes: readonly PendingPush[],
    finished: readonly { queue: QueueName; attempts: Attempt[] }[],
  ): void {
    const isKept = (attempt: Attempt): boolean => !this.#drops.some((drop) => drop(attempt));
    this.#pushes.unshift(...keptOf(pushes, isKept));
    for (const { queue, attempts } of finished) {
      for (const attempt of attempts.filter(isKept)) this.#refinish(queue, attempt);
    }
  }

  #refinish(queue: QueueName, attempt: Attempt): void {
    const key = queueKey(queue);
    const entry = this.#finished.get(key);
    if (entry) entry.attempts.unshift(attempt);
    else this.#finished.set(key, { queue, attempts: [attempt] });
  }

  async #write(
    pushes: PendingPush[],
    finished: { queue: QueueName; attempts: Attempt[] }[],
  ): Promise<void> {
    const { store, signals } = this.parts;
    const freed = new Set<string>();
    const writes = finished.map(async ({ queue, attempts }) => {
      if (attempts.length > 0 && (await store.finish(queue, attempts))) freed.add(queue.taskType);
    });
    if (pushes.length > 0) writes.push(store.push(pushes.map((pending) => pending.push)));
    await Promise.all(writes);
    for (const pending of pushes) pending.done();
    for (const pending of pushes) this.#pushed(pending);
    // Slots may be free again; only the nodes that popped know whether a task waits for one.
    for (const taskType of freed) signals.roomFor(taskType);
  }

  #pushed({ push: { queue, visibleAt }, awaitedAt }: PendingPush): void {
    const { clock, table, signals } = this.parts;
    if (visibleAt > clock.now()) signals.visibleAt(table.of(queue), visibleAt);
    else signals.becameReady(queue);
    arrived(awaitedAt);
  }
}

/** Of those that are dropped nobody awaits anything. */
function keptOf(
  pushes: readonly PendingPush[],
  isKept: (attempt: Attempt) => boolean,
): PendingPush[] {
  return pushes.filter(({ push, awaitedAt }) => {
    const kept = isKept(push.attempt);
    if (!kept) arrived(awaitedAt);
    return kept;
  });
}

function arrived(awaitedAt: TaskQueue | undefined): void {
  if (awaitedAt === undefined) return;
  awaitedAt.pushing -= 1;
  awaitedAt.settle();
}
