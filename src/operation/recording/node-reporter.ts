// Tells the other nodes how this process does and who its workers are: one write each five seconds
// (NodeReport in store/statistics-store.ts). How long the store takes to answer is what that write
// takes. A process that stops removes its report; one that was killed leaves it, and the others
// remove it when it is an hour old.
import type { Clock } from '../../std/clock.js';
import { PeriodicLoop } from '../../std/periodic-loop.js';
import type { Service } from '../../std/service.js';
import type { NodeReport, StatisticsStore, WorkerReport } from '../../store/statistics-store.js';

/** The facts of a process about itself now. */
export type OwnState = Omit<NodeReport, 'nodeId' | 'at' | 'startedAt' | 'storeMs' | 'workers'>;

interface NodeReporterParts {
  readonly nodeId: string;
  readonly state: () => OwnState;
  readonly workers: () => readonly WorkerReport[];
  readonly store: Pick<StatisticsStore, 'saveReport' | 'reports' | 'removeReports'>;
  readonly clock: Clock;
  /** Name of this process, of no other one. */
  readonly writer: string;
  readonly failed: (error: unknown) => void;
}

export const reportEveryMs = 5000;
/** A report of a process that ended is kept so long, for its workers. */
const reportLifeMs = 3_600_000;
/** Round trips that are remembered: those of a minute. */
const tripsMax = 12;
/** Reports between two looks for those that are too old. */
const pruneEvery = 60;

export class NodeReporter implements Service {
  readonly #loop: PeriodicLoop;
  readonly #trips: number[] = [];
  #startedAt = 0;
  #written = 0;

  constructor(private readonly parts: NodeReporterParts) {
    const { clock, failed } = parts;
    this.#loop = new PeriodicLoop({
      ...{ name: 'NodeReporter', clock, everyMs: reportEveryMs, failed },
      runsOn: 'node',
      runOnce: () => this.runOnce(),
    });
  }

  async start(): Promise<void> {
    this.#startedAt = this.parts.clock.now();
    await this.runOnce();
    await this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    const { store, writer, failed } = this.parts;
    // Without the store the report is removed by another node, later.
    await store.removeReports([writer]).catch(failed);
  }

  async runOnce(): Promise<void> {
    const { nodeId, state, workers, store, clock, writer } = this.parts;
    const trips = [...this.#trips].sort((a, b) => a - b);
    const report: NodeReport = {
      ...{ nodeId, at: clock.now(), startedAt: this.#startedAt, ...state() },
      ...(trips.length === 0 ? {} : { storeMs: { p50: middle(trips), max: trips.at(-1) ?? 0 } }),
      workers: workers(),
    };
    const sentAt = performance.now();
    await store.saveReport(writer, report);
    this.#trips.push(Math.round((performance.now() - sentAt) * 100) / 100);
    if (this.#trips.length > tripsMax) this.#trips.shift();
    if (this.#written % pruneEvery === 0) await this.#prune();
    this.#written += 1;
  }

  async #prune(): Promise<void> {
    const { store, clock } = this.parts;
    const before = clock.now() - reportLifeMs;
    const old = (await store.reports()).filter(([, { at }]) => at < before);
    await store.removeReports(old.map(([writer]) => writer));
  }
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
