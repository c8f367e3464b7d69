// Notes polls: which worker polled which queue when (contract-core 4.6 PollData, 17.2). Every poll
// is noted in memory; once a second the new ones go to the store, so that polls cost no write. The
// answer also decides which domain counts as active (semantics 5.6).
import type { Clock } from '../std/clock.js';
import { PeriodicLoop } from '../std/periodic-loop.js';
import type { Service } from '../std/service.js';
import type { QueueName } from '../engine/decision.js';
import type { PollData, PollDataStore } from '../store/queue-store.js';
import { queueKey } from './queue-key.js';

const saveEveryMs = 1000;
/**
 * Queues that are remembered, those polled last: names come from outside, and each stays in memory
 * and store.
 */
export const entriesMax = 20_000;
const keyCharsMax = 1024;
const workerIdCharsMax = 256;
/**
 * A domain whose worker polled within this time is active (semantics 5.6,
 * activeWorkerLastPollTimeout).
 */
const activeWorkerMs = 10_000;

export class PollLog implements Service {
  readonly #entries = new Map<string, PollData>();
  #unsaved = new Set<string>();
  readonly #saving: PeriodicLoop;

  constructor(
    private readonly store: PollDataStore,
    private readonly clock: Clock,
    private readonly failed: (error: unknown) => void,
  ) {
    this.#saving = new PeriodicLoop({
      name: 'PollLog',
      clock,
      everyMs: saveEveryMs,
      runsOn: 'node',
      runOnce: () => this.save(),
      failed,
    });
  }

  async start(): Promise<void> {
    for (const entry of await this.store.list(undefined)) {
      this.#entries.set(queueKey(queueOf(entry)), entry);
    }
    await this.#saving.start();
  }

  async stop(): Promise<void> {
    await this.#saving.stop();
    await this.save();
  }

  /** The size of a note is bounded: long ids are cut, queues of longer names are left out. */
  note(queue: QueueName, polledBy: string | undefined): void {
    const key = queueKey(queue);
    if (key.length > keyCharsMax) return;
    const workerId = polledBy?.slice(0, workerIdCharsMax);
    this.#unsaved.add(key);
    this.#entries.set(key, {
      queueName: queue.taskType,
      ...(queue.domain === undefined ? {} : { domain: queue.domain }),
      ...(workerId === undefined ? {} : { workerId }),
      lastPollTime: this.clock.now(),
    });
  }

  /** Epoch ms of the last poll of this queue, 0 = never. */
  lastPollAt(queue: QueueName): number {
    return this.#entries.get(queueKey(queue))?.lastPollTime ?? 0;
  }

  /**
   * The first of the domains that a worker polled this type in within 10 s, else the last
   * (semantics 5.6); undefined = none.
   */
  activeDomain(taskType: string, domains: readonly string[]): string | undefined {
    const since = this.clock.now() - activeWorkerMs;
    for (const domain of domains) {
      if (isNoDomain(domain)) continue;
      if (this.lastPollAt({ taskType, domain }) >= since) return domain;
    }
    const last = domains.at(-1);
    return last === undefined || isNoDomain(last) ? undefined : last;
  }

  /** All domains of a type, or everything. */
  list(taskType: string | undefined): PollData[] {
    const all = [...this.#entries.values()];
    return taskType === undefined ? all : all.filter((entry) => entry.queueName === taskType);
  }

  async save(): Promise<void> {
    const keys = [...this.#unsaved];
    if (keys.length === 0) return;
    this.#unsaved = new Set();
    const entries = keys
      .map((key) => this.#entries.get(key))
      .filter((entry) => entry !== undefined);
    try {
      await this.store.save(entries);
      await this.#forgetOldest();
    } catch (error) {
      for (const key of keys) this.#unsaved.add(key);
      this.failed(error);
    }
  }

  async #forgetOldest(): Promise<void> {
    const surplus = this.#entries.size - entriesMax;
    if (surplus <= 0) return;
    const oldest = [...this.#entries.values()]
      .sort((a, b) => a.lastPollTime - b.lastPollTime)
      .slice(0, surplus)
      .map(queueOf);
    for (const queue of oldest) this.#entries.delete(queueKey(queue));
    await this.store.remove(oldest);
  }
}

function isNoDomain(domain: string): boolean {
  return domain.toUpperCase() === 'NO_DOMAIN';
}

function queueOf(entry: PollData): QueueName {
  return entry.domain === undefined
    ? { taskType: entry.queueName }
    : { taskType: entry.queueName, domain: entry.domain };
}
