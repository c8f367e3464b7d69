// Bulk jobs as callers use them (docs/bulk-jobs.md): created with a frozen preview, started,
// stopped, shown. Any node does these; the leader drives what runs (leader/bulk-jobs). A job is
// shown to who created it and to administrators, and to nobody else.
import type { BulkJobInFull, ShownJob } from './port.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import { restsNow, type BulkJob } from './bulk-job.js';
import type { BulkJobRequest } from './bulk-job-request.js';
import { AppError } from '../../model/errors.js';
import type { Clock } from '../../std/clock.js';
import type { BulkJobStore } from './job-store.js';
import { changeRecord } from '../../operation/records/change-record.js';
import {
  jsonCodec,
  type RecordCodec,
  type RecordTable,
} from '../../operation/records/record-table.js';
import type { SearchContext } from '../../operation/search/request.js';
import { freeze } from './freeze.js';
import { outcomesOf, type OutcomesAsked, type OutcomesPage } from './outcomes.js';
import { plainId, withPlainIds } from '../../model/subject.js';

export const bulkJobCodec: RecordCodec<BulkJob> = jsonCodec('bulk-job', ({ id }) => id);

export interface BulkJobsParts {
  readonly table: RecordTable<BulkJob>;
  readonly store: BulkJobStore;
  readonly search: SearchContext;
  readonly clock: Clock;
  readonly randomId: () => string;
  readonly jobsMax: number;
  readonly executionsMax: number;
}

/** A job and its lists go so long after it was created. */
export const bulkJobLifeMs = 30 * 86_400_000;
const sampleMax = 10;

export class BulkJobs {
  constructor(private readonly parts: BulkJobsParts) {}

  /**
   * `gone`: aborted when the caller waits no more. Throws AppError 'bad-request', or 'conflict'
   * when there is no room for another job.
   */
  async create(
    caller: Caller,
    { plan, selection }: BulkJobRequest,
    gone: AbortSignal,
  ): Promise<BulkJob> {
    const { table, store, search, clock, randomId, executionsMax } = this.parts;
    const { action } = plan;
    const frozen = await freeze({ ...search, gone }, { caller, action, selection, executionsMax });
    const { ids, matched, excluded } = frozen;
    // Not before: a request that is refused, or that nobody waits for, makes no other job go.
    await this.#makeRoom();
    const id = randomId();
    await store.create(id, ids, bulkJobLifeMs);
    const job: BulkJob = {
      ...plan,
      ...{ id, createdBy: caller.id, createdAt: clock.now(), state: 'PREVIEW' },
      ...{ matched, excluded, count: ids.length, sample: ids.slice(0, sampleMax) },
      ...{ done: 0, refused: 0, failedAgain: 0, forgiven: 0 },
    };
    await table.put(job, 'absent');
    return job;
  }

  /** Those of the caller, of everybody for administrators; newest first. */
  list(caller: Caller): BulkJob[] {
    return [...this.parts.table.values()]
      .filter((job) => isShownTo(caller, job))
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Throws AppError 'not-found'. */
  get(caller: Caller, id: string): BulkJob {
    const job = this.parts.table.get(id);
    if (job === undefined || !isShownTo(caller, job)) throw noSuchJob(id);
    return job;
  }

  /** As it is shown by itself: with why executions were refused, the first ones. */
  async inFull(job: BulkJob): Promise<BulkJobInFull> {
    const errors = job.refused === 0 ? [] : await this.parts.store.refusals(job.id);
    return { ...shownJob(job), errors };
  }

  /** The outcomes of its executions. Throws AppError 'not-found' or 'bad-request'. */
  async outcomes(id: string, asked: OutcomesAsked): Promise<OutcomesPage> {
    return await outcomesOf(this.parts, this.get(asked.caller, id), asked);
  }

  /** Starts a job, or goes on with a stopped one; a running one stays as it is. */
  async start(caller: Caller, id: string): Promise<BulkJob> {
    this.#requireTurn(caller, this.get(caller, id));
    return await this.#change(id, (job) => {
      if (job.state === 'RUNNING') return job;
      if (job.state === 'COMPLETED') throw new AppError('conflict', `Bulk job ${id} is COMPLETED`);
      if (job.count === 0) {
        throw new AppError('conflict', `Bulk job ${id} has no execution to act on`);
      }
      const { stoppedBecause: _because, endedAt: _ended, ...rest } = job;
      const startedAt = job.startedAt ?? this.parts.clock.now();
      const forgiven = job.refused + job.failedAgain;
      return { ...rest, state: 'RUNNING', startedAt, forgiven };
    });
  }

  /** Nothing further is begun; what is under way ends. One that does not run stays as it is. */
  async stop(caller: Caller, id: string): Promise<BulkJob> {
    this.get(caller, id);
    const by = caller.id === '' ? '' : ` by ${plainId(caller.id)}`;
    return await this.#change(id, (job) =>
      job.state === 'RUNNING' ? stopped(job, `Stopped${by}`, this.parts.clock.now()) : job,
    );
  }

  /** Half of the places are left to others. Throws AppError 'too-many'. */
  #requireTurn(caller: Caller, { id, createdBy }: BulkJob): void {
    if (isAdministrator(caller)) return;
    const runningMax = Math.ceil(this.parts.jobsMax / 2);
    const running = [...this.parts.table.values()].filter(
      (job) => job.createdBy === createdBy && job.id !== id && !restsNow(job),
    );
    if (running.length < runningMax) return;
    throw new AppError(
      'too-many',
      `${running.length} bulk jobs of ${plainId(createdBy)} run already, half of bulkJobsMax`,
      { retryAfterSeconds: 5 },
    );
  }

  async #change(id: string, change: (job: BulkJob) => BulkJob): Promise<BulkJob> {
    return await changeRecord(this.parts.table, id, (job) => {
      if (job === undefined) throw noSuchJob(id);
      return change(job);
    });
  }

  /** Removes what has expired, and when there are too many, one of who has most of them. */
  async #makeRoom(): Promise<void> {
    const { table, clock, jobsMax } = this.parts;
    const isOld = (job: BulkJob): boolean => job.createdAt + bulkJobLifeMs < clock.now();
    for (const job of [...table.values()].filter(restsNow).filter(isOld)) {
      await this.#remove(job.id);
    }
    while (table.size >= jobsMax) {
      const leaving = leastMissed([...table.values()]);
      if (leaving === undefined) {
        throw new AppError('conflict', `${table.size} bulk jobs run already (bulkJobsMax)`);
      }
      if (!(await this.#remove(leaving.id))) await table.refresh();
    }
  }

  /** False: it has changed since this node heard of it; it may run by now. */
  async #remove(id: string): Promise<boolean> {
    const { table, store } = this.parts;
    const isGone = await table.remove(id, table.revisionOf(id));
    if (isGone) await store.forget(id);
    return isGone;
  }
}

/** Without what only the drive needs. */
export function shownJob(job: BulkJob): ShownJob {
  const { id, slice: _slice, canaryUntil: _until, forgiven: _forgiven, ...open } = job;
  return { jobId: id, ...withPlainIds(open) };
}

export function stopped(job: BulkJob, stoppedBecause: string, endedAt: number): BulkJob {
  return { ...job, state: 'STOPPED', stoppedBecause, endedAt };
}

/**
 * The oldest job that rests, of the creator who has most of all jobs: so the jobs of one caller
 * make none of another one go. undefined: all run.
 */
function leastMissed(jobs: readonly BulkJob[]): BulkJob | undefined {
  const held = new Map<string, number>();
  for (const { createdBy } of jobs) held.set(createdBy, (held.get(createdBy) ?? 0) + 1);
  const heldBy = ({ createdBy }: BulkJob): number => held.get(createdBy) ?? 0;
  const [first] = jobs
    .filter(restsNow)
    .sort((a, b) => heldBy(b) - heldBy(a) || a.createdAt - b.createdAt);
  return first;
}

function isShownTo(caller: Caller, { createdBy }: BulkJob): boolean {
  return isAdministrator(caller) || createdBy === caller.id;
}

function noSuchJob(id: string): AppError {
  return new AppError('not-found', `There is no bulk job ${id}`);
}
