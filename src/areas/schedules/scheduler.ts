// The cron scheduler (semantics 7.3): starts what schedules are due to start. Runs on the leader
// only.
//
// For each cron entry of a schedule the store keeps a cursor: every due time up to it has been
// dealt with. A due time is dealt with in two steps: the execution is started, under an id made
// from schedule and due time, then its record and the new cursor are stored in one write, under the
// leader's fence. If the node dies between the two, the next leader finds the cursor where it was,
// deals with the same due time again and meets the execution that is there. So each due time starts
// one execution, or has a record that says why not.
//
// A due time that has passed (the server was down, or overloaded) runs late. Of several passed ones
// the first runs and the others are recorded as skipped; with catch-up all of them run, in order,
// up to a bound. A due time before the schedule was created, changed or resumed never counts:
// cursors start at its `activeFrom`.
//
// Next due times stand in a heap in memory, so idle schedules cost nothing but their memory: the
// timer is set for the earliest one. It is set for a second at most, because the clock may jump.
import { sleep, within, type Clock, type TimerHandle } from '../../std/clock.js';
import { addDueSource, removeDueSource, type DueSource } from '../../std/due-sources.js';
import { DueTimes } from '../../std/due-times.js';
import type { Service } from '../../std/service.js';
import type { WorkflowSchedule } from './schedule.js';
import type { ScheduledStartContext } from './start-scheduled-run.js';
import type { RecordTable } from '../../operation/records/record-table.js';
import type { ScheduleCursor, ScheduleRunStore } from './run-store.js';
import type { Leadership } from '../../placement/leadership.js';
import { AdvanceWriter, FenceLostError } from './advance-writer.js';
import { SchedulePlan, type ScheduleStep } from './schedule-plan.js';

export interface SchedulerParts {
  readonly clock: Clock;
  readonly leadership: Leadership;
  readonly schedules: RecordTable<WorkflowSchedule>;
  readonly store: ScheduleRunStore;
  readonly operations: ScheduledStartContext;
  /** Schedules that are being dealt with at the same time. */
  readonly runsAtOnceMax: number;
  /** Late due times that run with catch-up, by cron entry; the others are skipped. */
  readonly catchupMax: number;
  /** Runs are kept so long, ms. */
  readonly runLifeMs: number;
  readonly failed: (error: unknown) => void;
}

/** The longest the timer is set for. */
const lookEveryMs = 1000;
/** Records of runs wait so long for further runs to start. */
const recordsWaitMs = 500;
/** Before something that the store refused is tried again. */
const againAfterMs = 500;
const expireEveryMs = 600_000;

/** One term as leader: what is known and done under one fence. */
interface Term {
  /** Due times after this moment were not dealt with in an earlier term, epoch ms. */
  readonly since: number;
  readonly writer: AdvanceWriter;
  readonly plans: Map<string, SchedulePlan>;
  readonly due: DueTimes<string>;
}

export class Scheduler implements Service, DueSource {
  #term: Term | undefined;
  #timer: TimerHandle | undefined;
  /** Infinity: not set. */
  #ringsAt = Infinity;
  #isStopped = true;
  #isHeld = false;
  #expiredAt = -Infinity;
  readonly #running = new Set<Promise<unknown>>();
  /** Schedules whose due times are being started. */
  #starting = 0;
  #allStarted: (() => void)[] = [];

  constructor(private readonly parts: SchedulerParts) {
    parts.schedules.onChange((name, schedule) => this.#follow(name, schedule));
    parts.leadership.onChange((leads) => (leads ? this.#lead() : this.#rest()));
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    addDueSource(this.parts.clock, this);
    if (this.parts.leadership.leads) await this.#takeTerm();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    removeDueSource(this.parts.clock, this);
    this.#rest();
    await Promise.all(this.#running);
  }

  /** For test servers (due-sources.ts). The next due time stands once what runs has been stored. */
  async nextDueAt(): Promise<number> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    return this.#isHeld ? Infinity : this.#term?.due.nextAt || Infinity;
  }

  async timeMoved(): Promise<void> {
    this.#silence();
    this.#tick();
    // Their next due times stand once the starts are done.
    await Promise.all(this.#running);
  }

  /** Holds back everything that is due on this node until `resume`. */
  pause(): void {
    this.#isHeld = true;
  }

  /** Runs that were due meanwhile run late, as after a time without server. */
  resume(): void {
    this.#isHeld = false;
    this.#tick();
  }

  /**
   * Plans everything anew from what is stored. Resolves with the names of schedules whose newest
   * step was not stored by then.
   */
  async requeue(): Promise<string[]> {
    const now = this.parts.clock.now();
    const unfinished = [...(this.#term?.plans.values() ?? [])].filter(
      (plan) => plan.isRunning || (!this.#isHeld && plan.isDue(now)),
    );
    if (this.parts.leadership.leads && !this.#isStopped) await this.#takeTerm();
    return unfinished.map(({ schedule }) => schedule.name);
  }

  #lead(): void {
    if (this.#isStopped) return;
    this.#takeTerm().catch((error: unknown) => {
      this.parts.failed(error);
      this.#leadLater();
    });
  }

  #leadLater(): void {
    this.parts.clock.after(againAfterMs, () => {
      if (this.parts.leadership.leads && this.#term === undefined) this.#lead();
    });
  }

  /**
   * Another node has taken a fence. One that was deposed may have done so, late: then this node
   * still leads, nobody else does, and it takes a term anew.
   */
  #loseTerm(): void {
    this.#rest();
    this.#leadLater();
  }

  #rest(): void {
    this.#term = undefined;
    this.#silence();
  }

  async #takeTerm(): Promise<void> {
    const { store, schedules } = this.parts;
    const fence = await store.takeFence();
    const cursors = await store.cursors();
    const term: Term = {
      since: this.parts.clock.now(),
      writer: new AdvanceWriter(store, fence, () => this.#untilStarted()),
      plans: new Map(),
      due: new DueTimes(),
    };
    for (const schedule of schedules.values()) {
      const plan = this.#planOf(schedule, cursors.get(schedule.name));
      term.plans.set(schedule.name, plan);
      term.due.arm(schedule.name, plan.nextAt);
      cursors.delete(schedule.name);
    }
    if (this.#isStopped || !this.parts.leadership.leads) return;
    this.#term = term;
    this.#arm();
    // The rest belongs to schedules that were deleted while nobody led.
    await store.forget([...cursors.keys()]);
  }

  #planOf(schedule: WorkflowSchedule, cursor: ScheduleCursor | undefined): SchedulePlan {
    return new SchedulePlan(schedule, cursor, this.parts.catchupMax);
  }

  #follow(name: string, schedule: WorkflowSchedule | undefined): void {
    const term = this.#term;
    if (term === undefined) return;
    if (schedule === undefined) {
      term.plans.delete(name);
      term.due.arm(name, 0);
      return this.#forget(name);
    }
    const known = term.plans.get(name);
    const plan = known ?? this.#planOf(schedule, undefined);
    if (known === undefined) term.plans.set(name, plan);
    else known.replace(schedule);
    if (!plan.isRunning) term.due.arm(name, plan.nextAt);
    this.#arm();
  }

  /** The cursor of a schedule that is gone. */
  #forget(name: string): void {
    this.parts.store.forget([name]).catch(this.parts.failed);
  }

  /** Sets the timer for the next due time, unless it rings before. */
  #arm(): void {
    const nextAt = this.#term?.due.nextAt ?? 0;
    if (nextAt === 0 || nextAt >= this.#ringsAt || !this.#hasRoom) return;
    this.#ringIn(nextAt - this.parts.clock.now());
  }

  #ringIn(ms: number): void {
    const { clock } = this.parts;
    const delayMs = Math.min(Math.max(0, ms), lookEveryMs);
    this.#timer?.cancel();
    this.#ringsAt = clock.now() + delayMs;
    this.#timer = clock.after(delayMs, () => {
      this.#ringsAt = Infinity;
      this.#tick();
    });
  }

  #silence(): void {
    this.#timer?.cancel();
    this.#ringsAt = Infinity;
  }

  #tick(): void {
    if (this.#term === undefined) return;
    this.#startDue(this.#term);
    this.#expire();
    if (this.#isHeld) this.#ringIn(lookEveryMs);
    else this.#arm();
  }

  get #hasRoom(): boolean {
    return this.#starting < this.parts.runsAtOnceMax;
  }

  /**
   * Begins as many due schedules as may run at the same time. The others stay in the heap, where
   * they cost nothing, until one of these has started: `#started` calls this again.
   */
  #startDue(term: Term): void {
    const now = this.parts.clock.now();
    while (!this.#isHeld && this.#hasRoom) {
      const name = term.due.popDue(now);
      if (name === undefined) return;
      const plan = term.plans.get(name);
      if (plan !== undefined && !plan.isRunning) this.#run(term, plan);
    }
  }

  #run(term: Term, plan: SchedulePlan): void {
    plan.isRunning = true;
    const running: Promise<unknown> = this.#deal(term, plan).then(() =>
      this.#running.delete(running),
    );
    this.#running.add(running);
  }

  async #deal(term: Term, plan: SchedulePlan): Promise<void> {
    try {
      const step = await this.#start(term, plan);
      await this.#untilDone(term, () => term.writer.write(step.advance));
      plan.done(step);
    } catch (error) {
      if (!(error instanceof FenceLostError)) this.parts.failed(error);
      else if (this.#term === term) this.#loseTerm();
    }
    plan.isRunning = false;
    const { name } = plan.schedule;
    if (this.#term !== term) return;
    // Its step may have been stored behind its deletion.
    if (!term.plans.has(name)) return this.#forget(name);
    if (term.plans.get(name) !== plan) return;
    term.due.arm(name, plan.nextAt);
    this.#arm();
  }

  /** Starts what of the schedule is due. Rejects with FenceLostError when the term is over. */
  async #start(term: Term, plan: SchedulePlan): Promise<ScheduleStep> {
    this.#starting += 1;
    try {
      return await this.#begin(term, plan);
    } finally {
      this.#started();
    }
  }

  #begin(term: Term, plan: SchedulePlan): Promise<ScheduleStep> {
    let { since } = term;
    return this.#untilDone(term, () => {
      const tried = plan.step(this.parts.operations, since);
      // Another attempt cannot know what became of this one.
      since = Infinity;
      return tried;
    });
  }

  /** One has started: its place goes to the next that is due. */
  #started(): void {
    const wasFull = !this.#hasRoom;
    this.#starting -= 1;
    if (wasFull && this.#term !== undefined) {
      this.#startDue(this.#term);
      this.#arm();
    }
    if (this.#starting > 0) return;
    for (const resolve of this.#allStarted.splice(0)) resolve();
  }

  async #untilStarted(): Promise<void> {
    // Those that are ready in the same turn of the event loop belong together.
    await Promise.resolve();
    if (this.#starting === 0) return;
    const allStarted = new Promise<void>((resolve) => this.#allStarted.push(resolve));
    await within(this.parts.clock, allStarted, recordsWaitMs);
  }

  async #untilDone<T>(term: Term, work: () => Promise<T>): Promise<T> {
    for (;;) {
      if (this.#term !== term) throw new FenceLostError('the term is over');
      try {
        return await work();
      } catch (error) {
        if (error instanceof FenceLostError) throw error;
        this.parts.failed(error);
        await sleep(this.parts.clock, againAfterMs);
      }
    }
  }

  #expire(): void {
    const { clock, store, runLifeMs, failed } = this.parts;
    if (clock.monotonic() - this.#expiredAt < expireEveryMs) return;
    this.#expiredAt = clock.monotonic();
    const expireAll = async (): Promise<void> => {
      while ((await store.expire(clock.now() - runLifeMs)) && !this.#isStopped);
    };
    expireAll().catch(failed);
  }
}
