// Gauges of the task queues of the whole cluster, which the leader tells: how many tasks wait, how
// long the oldest one has, how many are with workers, and when somebody last polled. It is read
// when the page of metrics is asked for, at most once in ten seconds, and summed by task type over
// its domains. The other nodes tell nothing, so a sum over nodes counts each queue once.
import { within, type Clock } from '../../std/clock.js';
import type { PollData, QueueStore } from '../../store/queue-store.js';

export interface QueueGaugesParts {
  readonly queues: Pick<QueueStore, 'queues' | 'sizes' | 'oldestReady'>;
  readonly polls: { list(taskType: undefined): Promise<readonly PollData[]> };
  readonly leadership: { readonly leads: boolean };
  /** Store time. */
  readonly clock: Clock;
  /** Task types that are told apart: those with the most tasks. */
  readonly namesMax: number;
  readonly failed: (error: unknown) => void;
}

/** By task type. */
type Numbers = Record<string, number>;

interface TypeFacts {
  waiting: number;
  leased: number;
  /** Epoch ms; undefined: none is ready. */
  oldestAt: number | undefined;
  polledAt: number | undefined;
}

const sampleLifeMs = 10_000;
/** How long the page waits for a store that is slow; it shows the sample before then. */
const waitMsMax = 2000;
const none: readonly (readonly [string, TypeFacts])[] = [];

export class QueueGauges {
  #types = none;
  #takenAt = -sampleLifeMs;
  #taking: Promise<void> | undefined;

  constructor(private readonly parts: QueueGaugesParts) {}

  /** Resolves once the sample is fresh enough, or the wait for it is over. */
  async refresh(): Promise<void> {
    const { leadership, clock, failed } = this.parts;
    if (!leadership.leads) {
      this.#types = none;
      return;
    }
    if (clock.monotonic() - this.#takenAt < sampleLifeMs) return;
    this.#taking ??= this.#take()
      .catch(failed)
      .finally(() => (this.#taking = undefined));
    await within(clock, this.#taking, waitMsMax);
  }

  get depth(): Numbers {
    return this.#by(({ waiting }) => waiting);
  }

  get leased(): Numbers {
    return this.#by(({ leased }) => leased);
  }

  get oldestSeconds(): Numbers {
    return this.#by(({ oldestAt }) => this.#since(oldestAt));
  }

  get lastPollSeconds(): Numbers {
    return this.#by(({ polledAt }) => this.#since(polledAt));
  }

  #since(at: number | undefined): number | undefined {
    return at === undefined ? undefined : Math.max(0, this.parts.clock.now() - at) / 1e3;
  }

  #by(read: (facts: TypeFacts) => number | undefined): Numbers {
    const numbers: Numbers = {};
    for (const [taskType, facts] of this.#types) {
      const number = read(facts);
      if (number !== undefined) numbers[taskType] = number;
    }
    return numbers;
  }

  async #take(): Promise<void> {
    const { queues: store, polls, clock, namesMax } = this.parts;
    const queues = await store.queues();
    const [sizes, oldest, polled] = await Promise.all([
      queues.length === 0 ? [] : store.sizes(queues),
      queues.length === 0 ? [] : store.oldestReady(queues),
      polls.list(undefined),
    ]);
    const types = new Map<string, TypeFacts>();
    const of = (taskType: string): TypeFacts => {
      let facts = types.get(taskType);
      if (facts === undefined) {
        facts = { waiting: 0, leased: 0, oldestAt: undefined, polledAt: undefined };
        types.set(taskType, facts);
      }
      return facts;
    };
    for (const [i, { taskType }] of queues.entries()) {
      const facts = of(taskType);
      facts.waiting += sizes[i]?.waiting ?? 0;
      facts.leased += sizes[i]?.leased ?? 0;
      const at = oldest[i];
      if (at !== undefined) facts.oldestAt = Math.min(at, facts.oldestAt ?? at);
    }
    for (const { queueName, lastPollTime } of polled) {
      const facts = of(queueName);
      facts.polledAt = Math.max(lastPollTime, facts.polledAt ?? 0);
    }
    this.#types = [...types]
      .sort(([, a], [, b]) => b.waiting - a.waiting || b.leased - a.leased)
      .slice(0, namesMax);
    this.#takenAt = clock.monotonic();
  }
}
