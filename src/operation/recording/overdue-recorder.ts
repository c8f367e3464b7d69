// Tells the other nodes which timers of this one are overdue (shard/overdue-timers.ts): while there
// are any, one write a second; else none.
import type { Clock } from '../../std/clock.js';
import { PeriodicLoop } from '../../std/periodic-loop.js';
import type { Service } from '../../std/service.js';
import type { ExecutionId } from '../../std/ids.js';
import type { StatisticsStore } from '../../store/statistics-store.js';

export interface OverdueRecorderParts {
  /** Those of this node, oldest first. */
  readonly overdue: () => readonly { readonly id: ExecutionId; readonly at: number }[];
  readonly store: Pick<StatisticsStore, 'saveOverdue'>;
  readonly clock: Clock;
  /** Name of this process, of no other one. */
  readonly writer: string;
  readonly failed: (error: unknown) => void;
}

const everyMs = 1000;
/** Of one node. */
const timersToldMax = 100;

export class OverdueRecorder implements Service {
  readonly #loop: PeriodicLoop;
  #isTold = false;

  constructor(private readonly parts: OverdueRecorderParts) {
    const { clock, failed } = parts;
    this.#loop = new PeriodicLoop({
      ...{ name: 'OverdueRecorder', clock, everyMs, failed },
      runsOn: 'node',
      runOnce: () => this.runOnce(),
    });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    if (this.#isTold) await this.parts.store.saveOverdue(this.parts.writer, undefined);
    this.#isTold = false;
  }

  async runOnce(): Promise<void> {
    const { overdue, store, clock, writer } = this.parts;
    const late = overdue();
    if (late.length === 0 && !this.#isTold) return;
    if (late.length === 0) await store.saveOverdue(writer, undefined);
    else {
      const timers = late
        .slice(0, timersToldMax)
        .map(({ id, at }) => ({ workflowId: id, dueAt: at }));
      await store.saveOverdue(writer, { count: late.length, timers, lookedAt: clock.now() });
    }
    this.#isTold = late.length > 0;
  }
}
