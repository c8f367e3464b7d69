// Drives one bulk job, slice by slice, until it is over, stopped, or this node leads no more.
//
// A slice is stored before its first execution is acted on, with a token that this drive has drawn,
// and its outcome when the last one is done. When the node dies between the two, the next leader
// finds the slice, takes it over under its own token, and asks of each execution whether the action
// took place since the slice began (act.ts) before it acts. A drive whose token was replaced stores
// nothing any more (invariants M2). So after the death of a node each execution has been acted on
// once, and only the order of a slice is repeated.
//
// The canary is the first slice. Behind it the drive waits until these executions have ended, at
// most `canarySeconds`, and counts those that failed again.
import { randomUUID } from 'node:crypto';
import { sleep, type Clock } from '../../std/clock.js';
import type { SharedLimiter } from '../../std/shared-limiter.js';
import type { Caller } from '../../model/caller.js';
import { setsGoing, type BulkJob, type BulkSlice } from './bulk-job.js';
import { AppError } from '../../model/errors.js';
import { isTerminalWorkflow, type WorkflowStatus } from '../../model/status.js';
import { actOn, generationOf, hasTakenPlace, type Before } from './act.js';
import { bulkJobLifeMs, stopped } from './bulk-jobs.js';
import type { OperationContext } from '../../operation/context.js';
import { changeRecord } from '../../operation/records/change-record.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import { isTransient } from '../../operation/refusals.js';
import type { BulkJobStore, BulkRefusal } from './job-store.js';
import { plainId } from '../../model/subject.js';

export interface BulkDriveParts {
  readonly table: RecordTable<BulkJob>;
  readonly store: BulkJobStore;
  readonly operations: OperationContext;
  /** Store time. */
  readonly clock: Clock;
  /** The creator of a job, with the rights in force now; undefined: does not exist any more. */
  readonly callerOf: (id: string) => Caller | undefined;
  /** Places for executions that are acted on at the same time, which creators share. */
  readonly places: SharedLimiter;
  /** False: another node drives, or this one ends. */
  readonly mayGoOn: () => boolean;
}

const sliceMax = 100;
const attemptsMax = 5;
const againAfterMs = 300;
const lookAtCanaryEveryMs = 250;
const lookAtRestEveryMs = 250;

/** The drive is over: the job does not run any more, or another one drives it. */
class DriveOver extends Error {}

interface SliceOutcome {
  /** Executions of the slice with an outcome; fewer when it was interrupted. */
  readonly done: number;
  readonly refusals: ReadonlyMap<number, BulkRefusal>;
}

export class BulkJobDrive {
  readonly #token = randomUUID();

  constructor(
    private readonly parts: BulkDriveParts,
    private readonly id: string,
  ) {}

  /** Rejects when the store fails; another drive may go on then. */
  async run(): Promise<void> {
    try {
      while (await this.#step());
    } catch (error) {
      if (!(error instanceof DriveOver)) throw error;
    }
  }

  /** False: the job is over. */
  async #step(): Promise<boolean> {
    const job = this.#job();
    const caller = this.parts.callerOf(job.createdBy);
    if (caller === undefined) {
      const because = `${plainId(job.createdBy)} does not exist any more`;
      await this.#change((known) => stopped(known, because, this.#now));
      return false;
    }
    if (job.canaryUntil !== undefined) {
      await this.#endCanary(job, job.canaryUntil);
      return true;
    }
    if (job.slice === undefined && job.done >= job.count) {
      await this.#change((known) => ({ ...known, state: 'COMPLETED', endedAt: this.#now }));
      return false;
    }
    await this.#runSlice(caller);
    return true;
  }

  async #runSlice(caller: Caller): Promise<void> {
    const { clock } = this.parts;
    const startedAt = clock.monotonic();
    const inherited = this.#job().slice;
    const { from, to } = this.#sliceOf(this.#job());
    const ids = await this.parts.store.ids(this.id, from, to);
    if (ids.length < to - from) {
      await this.#change((known) => stopped(known, 'The list of executions is gone', this.#now));
      return;
    }
    const before = inherited === undefined ? await this.#before(ids) : {};
    const job = await this.#change((known) => ({
      ...known,
      slice: { ...this.#sliceOf(known), ...before },
    }));
    const outcome = await this.#actOnAll(job, ids, { caller, isRepeated: inherited !== undefined });
    await this.parts.store.refuse(this.id, outcome.refusals, bulkJobLifeMs);
    await this.#change((known) => this.#endSlice(known, outcome));
    const takesMs = (outcome.done / job.ratePerSecond) * 1000;
    await this.#restUntil(startedAt + takesMs);
  }

  /** How the executions of a new slice stand, for an action that sets them going. */
  async #before(ids: readonly string[]): Promise<Pick<BulkSlice, 'generations'>> {
    if (!setsGoing.has(this.#job().action)) return {};
    const { operations } = this.parts;
    const generations = await Promise.all(ids.map((id) => generationOf(operations, id)));
    return { generations: generations.map((generation) => generation ?? null) };
  }

  /** Monotonic. Ends early when the job does not go on here. */
  async #restUntil(at: number): Promise<void> {
    const { clock } = this.parts;
    for (let left = at - clock.monotonic(); left > 0; left = at - clock.monotonic()) {
      if (!this.#goesOn) return;
      await sleep(clock, Math.min(left, lookAtRestEveryMs));
    }
  }

  /** The slice that is under way, taken over, or the next one. */
  #sliceOf({ slice, done, count, canary, ratePerSecond }: BulkJob): BulkSlice {
    if (slice !== undefined) return { ...slice, token: this.#token };
    const size = done < canary ? canary - done : Math.min(sliceMax, ratePerSecond);
    const to = Math.min(count, done + size);
    return { from: done, to, begunAt: this.#now, token: this.#token };
  }

  #endSlice(known: BulkJob, { done, refusals }: SliceOutcome): BulkJob {
    const { slice, ...rest } = known;
    if (slice?.token !== this.#token) throw new DriveOver();
    const next: BulkJob = {
      ...rest,
      done: slice.from + done,
      refused: known.refused + refusals.size,
    };
    const isCanary = slice.from < known.canary && next.done >= Math.min(known.canary, known.count);
    const isWatched = isCanary && known.state === 'RUNNING' && setsGoing.has(known.action);
    const watched: BulkJob = isWatched
      ? { ...next, canaryUntil: this.#now + known.canarySeconds * 1000 }
      : next;
    return stoppedByFailures(watched, this.#now);
  }

  async #actOnAll(
    job: BulkJob,
    ids: readonly string[],
    { caller, isRepeated }: { caller: Caller; isRepeated: boolean },
  ): Promise<SliceOutcome> {
    const { from, begunAt, generations } = job.slice as BulkSlice;
    const refusals = new Map<number, BulkRefusal>();
    const act = async (workflowId: string, position: number): Promise<boolean> => {
      if (!this.#goesOn) return false;
      const generation = generations?.[position] ?? undefined;
      const before = { since: begunAt, generation };
      const message = await this.#actOnOne(job, workflowId, { caller, isRepeated, before });
      if (message !== undefined) refusals.set(from + position, { workflowId, message });
      return true;
    };
    // They begin in the order of the list, so those that did not are the last ones.
    const begun = await Promise.all(
      ids.map((id, i) => this.parts.places.run(job.createdBy, () => act(id, i))),
    );
    if (!this.parts.mayGoOn()) throw new DriveOver();
    return { done: begun.filter(Boolean).length, refusals };
  }

  /** Why it was refused; undefined: the action took place. */
  async #actOnOne(
    job: BulkJob,
    id: string,
    { caller, isRepeated, before }: { caller: Caller; isRepeated: boolean; before: Before },
  ): Promise<string | undefined> {
    const { operations, clock } = this.parts;
    const { generation } = before;
    const control = { caller, reason: job.reason || `Bulk job ${job.id}`, generation };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const mayBeDone = isRepeated || attempt > 1;
        if (mayBeDone && (await hasTakenPlace(operations, job.action, id, before)))
          return undefined;
        await actOn(operations, control, job, id);
        return undefined;
      } catch (error) {
        if (error instanceof AppError && !isTransient(error)) return error.message;
        if (!isTransient(error)) throw error;
        if (attempt === attemptsMax) return `The server could not: ${(error as Error).message}`;
        await sleep(clock, againAfterMs);
      }
    }
  }

  /** Waits for the executions of the canary, then counts those that failed again. */
  async #endCanary({ canary, count }: BulkJob, until: number): Promise<void> {
    const { clock, store } = this.parts;
    const ids = await store.ids(this.id, 0, Math.min(canary, count));
    let statuses = await this.#statuses(ids);
    while (statuses.some((status) => !isTerminalWorkflow(status)) && this.#now < until) {
      await sleep(clock, lookAtCanaryEveryMs);
      this.#job();
      statuses = await this.#statuses(ids);
    }
    const refused = new Set((await store.refusals(this.id)).map(({ workflowId }) => workflowId));
    const failedAgain = (await this.#statuses(ids.filter((id) => !refused.has(id)))).filter(
      (status) => status === 'FAILED' || status === 'TIMED_OUT',
    ).length;
    await this.#change(({ canaryUntil: _until, ...known }) =>
      stoppedByFailures({ ...known, failedAgain }, this.#now),
    );
  }

  /** Of those that are there. */
  async #statuses(ids: readonly string[]): Promise<WorkflowStatus[]> {
    const { executions } = this.parts.operations;
    const statuses = await Promise.all(
      ids.map((id) => executions.read(id, ({ execution }) => execution.state.status)),
    );
    return statuses.filter((status) => status !== undefined);
  }

  get #now(): number {
    return this.parts.clock.now();
  }

  get #goesOn(): boolean {
    return this.parts.mayGoOn() && this.parts.table.get(this.id)?.state === 'RUNNING';
  }

  #job(): BulkJob {
    const job = this.parts.table.get(this.id);
    if (job === undefined || !this.#goesOn) throw new DriveOver();
    return job;
  }

  /** A slice that was begun is ended also when the job was stopped meanwhile. */
  async #change(change: (known: BulkJob) => BulkJob): Promise<BulkJob> {
    return await changeRecord(this.parts.table, this.id, (known) => {
      if (known === undefined || !this.parts.mayGoOn()) throw new DriveOver();
      const isOurs = known.slice?.token === this.#token;
      if (known.state !== 'RUNNING' && !isOurs) throw new DriveOver();
      return change(known);
    });
  }
}

function stoppedByFailures(job: BulkJob, now: number): BulkJob {
  const failures = job.refused + job.failedAgain - job.forgiven;
  const { stopAfterFailures: max } = job;
  if (job.state !== 'RUNNING' || max === 0 || failures < max) return job;
  const because = `Stopped by itself after ${failures} failures`;
  // The last slice is behind it: there is nothing left that stopping could prevent.
  return job.done >= job.count ? job : stopped(job, because, now);
}
