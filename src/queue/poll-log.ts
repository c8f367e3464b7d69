// Notes polls: which worker polled which queue when (contract-core 4.6 PollData, 17.2). Every poll
// is noted in memory; once a second the new ones go to the store, so that polls cost no write.
//
// It also decides which domain is active (semantics 5.6). Polls of other nodes count: a node says
// for which queues polls wait there (placement/peer-notices.ts), which is known at once and without
// a read of the store.
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
 * How long a domain is active after a poll of it, ms, where polls wait for at most
 * `pollTimeoutMsMax`: 10 s (semantics 5.6, activeWorkerLastPollTimeout), or twice the wait, as a
 * poll is noted when it begins.
 */
export const activeDomainMs = (pollTimeoutMsMax: number): number =>
  Math.max(10_000, 2 * pollTimeoutMsMax);

export class PollLog implements Service {
  /** Of polls of this node, and of all that were in the store when it started. */
  readonly #entries = new Map<string, PollData>();
  #unsaved = new Set<string>();
  /** When polls of a queue with a domain waited at another node, epoch ms. */
  readonly #elsewhere = new Map<string, number>();
  readonly #saving: PeriodicLoop;

  constructor(
    private readonly store: PollDataStore,
    private readonly clock: Clock,
    private readonly failed: (error: unknown) => void,
    private readonly activeMs = activeDomainMs(0),
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

  /** Polls of this queue wait at another node, or did until now. */
  noteElsewhere(queue: QueueName): void {
    if (queue.domain === undefined) return;
    this.#elsewhere.set(queueKey(queue), this.clock.now());
  }

  /**
   * The first of the domains that are active for this type, else the last (semantics 5.6);
   * undefined = none.
   */
  activeDomain(taskType: string, domains: readonly string[]): string | undefined {
    const since = this.clock.now() - this.activeMs;
    for (const domain of domains) {
      if (isNoDomain(domain)) continue;
      const key = queueKey({ taskType, domain });
      const polledHere = this.#entries.get(key)?.lastPollTime ?? 0;
      if (Math.max(polledHere, this.#elsewhere.get(key) ?? 0) >= since) return domain;
    }
    const last = domains.at(-1);
    return last === undefined || isNoDomain(last) ? undefined : last;
  }

  /** All domains of a type, or everything, as polled at any node until a second ago. */
  async list(taskType: string | undefined): Promise<PollData[]> {
    const stored = await this.store.list(taskType);
    const known = new Map(stored.map((entry) => [queueKey(queueOf(entry)), entry]));
    for (const [key, entry] of this.#entries) {
      if (taskType !== undefined && entry.queueName !== taskType) continue;
      known.set(key, later(entry, known.get(key)));
    }
    return [...known.values()];
  }

  /** Epoch ms of the last poll of each queue at any node, 0 = never. */
  async lastPolls(queues: readonly QueueName[]): Promise<number[]> {
    const stored = await this.store.read(queues);
    return queues.map((queue, i) => {
      const here = this.#entries.get(queueKey(queue))?.lastPollTime ?? 0;
      return Math.max(here, stored[i]?.lastPollTime ?? 0);
    });
  }

  async save(): Promise<void> {
    this.#forgetElsewhere();
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

  #forgetElsewhere(): void {
    const since = this.clock.now() - this.activeMs;
    for (const [key, at] of this.#elsewhere) if (at < since) this.#elsewhere.delete(key);
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

function later(one: PollData, other: PollData | undefined): PollData {
  return other === undefined || one.lastPollTime >= other.lastPollTime ? one : other;
}

function isNoDomain(domain: string): boolean {
  return domain.toUpperCase() === 'NO_DOMAIN';
}

function queueOf(entry: PollData): QueueName {
  return entry.domain === undefined
    ? { taskType: entry.queueName }
    : { taskType: entry.queueName, domain: entry.domain };
}
