// Runs the bulk jobs of all nodes. Runs on the leader only; any node may create, start and stop.
import type { Service } from '../../std/service.js';
import { SharedLimiter } from '../../std/shared-limiter.js';
import type { BulkJob } from './bulk-job.js';
import type { Leadership } from '../../placement/leadership.js';
import { BulkJobDrive, type BulkDriveParts } from './bulk-job-drive.js';

export interface BulkJobRunnerParts extends Omit<BulkDriveParts, 'mayGoOn' | 'places'> {
  readonly leadership: Leadership;
  readonly failed: (error: unknown) => void;
}

/** Executions that all jobs together act on at a time; those of one creator are half as many. */
const atOnceMax = 8;
/** Before a job whose store failed is tried again. */
const againAfterMs = 500;

export class BulkJobRunner implements Service {
  readonly #places = new SharedLimiter(atOnceMax);
  readonly #driven = new Map<string, Promise<void>>();
  #isStopped = true;

  constructor(private readonly parts: BulkJobRunnerParts) {
    parts.table.onChange((_id, job) => job !== undefined && this.#look(job));
    parts.leadership.onChange(() => this.#lookAtAll());
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    this.#lookAtAll();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#driven.values());
  }

  get #mayDrive(): boolean {
    return !this.#isStopped && this.parts.leadership.leads;
  }

  #lookAtAll(): void {
    for (const job of this.parts.table.values()) this.#look(job);
  }

  #look({ id, state }: BulkJob): void {
    if (state !== 'RUNNING' || !this.#mayDrive || this.#driven.has(id)) return;
    const mayGoOn = (): boolean => this.#mayDrive;
    const drive = new BulkJobDrive({ ...this.parts, places: this.#places, mayGoOn }, id);
    const driven = drive.run().then(
      () => this.#rest(id),
      (error: unknown) => {
        this.parts.failed(error);
        this.parts.clock.after(againAfterMs, () => this.#rest(id));
      },
    );
    this.#driven.set(id, driven);
  }

  /** It may have been started again meanwhile. */
  #rest(id: string): void {
    this.#driven.delete(id);
    const job = this.parts.table.get(id);
    if (job !== undefined) this.#look(job);
  }
}
