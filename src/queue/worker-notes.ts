// Notes the workers that talk to this node: where their polls come from, the name that their client
// gives itself, which queues they poll, and how many of their reports within the last hour were
// failures. Everything is in memory and bounded, as the names come from outside; the node tells the
// others with its report (operation/recording/node-reporter.ts).
//
// A poll that a worker repeats costs two look-ups in maps. Its address and client are read once a
// second, since both stand in headers that must be searched.
import type { Clock } from '../std/clock.js';
import type { WorkerReport } from '../store/statistics-store.js';

/** Where a poll comes from. */
export interface WorkerOrigin {
  readonly address: string;
  /** The name that the client gives itself; undefined: none. */
  readonly client: string | undefined;
}

interface PollNote {
  readonly workerId: string | undefined;
  readonly taskType: string;
  readonly domain: string | undefined;
}

/** Workers that are remembered: those that polled last. */
export const workersMax = 1000;
/** Queues that are remembered of one worker. */
const queuesPerWorkerMax = 100;
/** Queues of all workers together in one report, some 60 bytes each. */
export const queuesToldMax = 5000;
const textCharsMax = 256;
const originLifeMs = 1000;
/** A worker that has not polled for so long is forgotten. */
const lifeMs = 3_600_000;
const slotMs = 300_000;
const slots = 12;

export class WorkerNotes {
  /** The one that polled longest ago first. */
  readonly #workers = new Map<string, Worker>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** `origin` absent: not told with this poll. */
  polled({ workerId, taskType, domain }: PollNote, origin?: () => WorkerOrigin): void {
    const now = this.clock.now();
    const worker = this.#of(cut(workerId ?? ''));
    if (origin !== undefined && now - worker.originAt >= originLifeMs) {
      const { address, client = '' } = origin();
      worker.originAt = now;
      worker.address = cut(address);
      worker.client = cut(client);
    }
    worker.poll(cut(taskType), cut(domain ?? ''), now);
  }

  /** A task of the worker ended. */
  reported(workerId: string | undefined, isFailure: boolean): void {
    const worker = this.#workers.get(cut(workerId ?? ''));
    if (worker === undefined) return;
    const now = this.clock.now();
    worker.reported.add(now);
    if (isFailure) worker.failed.add(now);
  }

  /** Those that have polled within the last hour, the last one first; as many as fit a report. */
  list(): WorkerReport[] {
    const now = this.clock.now();
    for (const [id, { lastPollAt }] of this.#workers) {
      if (now - lastPollAt > lifeMs) this.#workers.delete(id);
    }
    let left = queuesToldMax;
    return [...this.#workers]
      .sort(([, a], [, b]) => b.lastPollAt - a.lastPollAt)
      .filter(([, { queuesKnown }]) => (left -= queuesKnown) >= 0)
      .map(([workerId, worker]) => ({
        ...{ workerId, address: worker.address, client: worker.client },
        polled: worker.polled(),
        reported: worker.reported.sum(now),
        failed: worker.failed.sum(now),
      }));
  }

  #of(workerId: string): Worker {
    const known = this.#workers.get(workerId);
    if (known !== undefined) return known;
    if (this.#workers.size >= workersMax) this.#forgetOne();
    const worker = new Worker();
    this.#workers.set(workerId, worker);
    return worker;
  }

  #forgetOne(): void {
    let [oldest, oldestAt] = ['', Infinity];
    for (const [id, { lastPollAt }] of this.#workers) {
      if (lastPollAt < oldestAt) [oldest, oldestAt] = [id, lastPollAt];
    }
    this.#workers.delete(oldest);
  }
}

class Worker {
  address = '';
  client = '';
  /** When both were looked at, epoch ms. */
  originAt = Number.NEGATIVE_INFINITY;
  lastPollAt = 0;
  readonly reported = new HourCount();
  readonly failed = new HourCount();
  /** By domain, then task type: when it polled last. */
  readonly #queues = new Map<string, Map<string, number>>();
  queuesKnown = 0;

  poll(taskType: string, domain: string, at: number): void {
    this.lastPollAt = at;
    let ofDomain = this.#queues.get(domain);
    if (ofDomain?.has(taskType) !== true) {
      if (this.queuesKnown >= queuesPerWorkerMax) return;
      this.queuesKnown += 1;
    }
    if (ofDomain === undefined) this.#queues.set(domain, (ofDomain = new Map<string, number>()));
    ofDomain.set(taskType, at);
  }

  polled(): (readonly [string, string, number])[] {
    return [...this.#queues].flatMap(([domain, types]) =>
      [...types].map(([taskType, at]) => [taskType, domain, at] as const),
    );
  }
}

/** How often something happened within the last hour, to five minutes. */
class HourCount {
  readonly #counts = new Array<number>(slots).fill(0);
  #slot = 0;

  add(now: number): void {
    const at = this.#turnTo(now);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  sum(now: number): number {
    this.#turnTo(now);
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** Empties the slots that are over. */
  #turnTo(now: number): number {
    const slot = Math.floor(now / slotMs);
    for (let passed = 0; this.#slot < slot && passed < slots; passed += 1) {
      this.#slot = Math.max(this.#slot + 1, slot - slots + 1);
      this.#counts[this.#slot % slots] = 0;
    }
    this.#slot = Math.max(this.#slot, slot);
    return slot % slots;
  }
}

function cut(text: string): string {
  return text.length > textCharsMax ? text.slice(0, textCharsMax) : text;
}
