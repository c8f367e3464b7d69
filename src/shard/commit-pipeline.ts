// The life of a command, from its turn to what it lets out. Read it from top to bottom:
//
//   step     the engine carries the command out on the state in memory; its reply waits at the gate
//   match    tasks that became SCHEDULED go to polls that wait, or to ready, in the same commit
//   plan     at the next batch, what the execution has decided since its last one becomes a commit
//   commit   the batch is written; meanwhile executions go on from what is not yet confirmed
//   land     a confirmed commit opens the gate: replies leave
//   release  then everything else that was decided leaves: tasks to queues, messages, runs
//
// Outcomes (invariants M1 to M3): 'committed' and 'already-applied' land. 'stale-owner' gives up
// the shard, 'wrong-head' the execution. A failed or unclear write gives up the shards it was for:
// they are taken again and go on from what is stored. An execution whose commit cannot be encoded
// ends alone, with the reason (invariants M19, abandoned.ts).
//
// If a step throws, a promise of the engine is broken: the actor is dropped and reloaded from the
// store at its next use, the data are not touched (invariants 7.6).
import { randomBytes } from 'node:crypto';
import type { Clock } from '../std/clock.js';
import type { Port } from '../std/port.js';
import type { EventCounters } from '../telemetry/event-counters.js';
import { AppError } from '../model/errors.js';
import type { RetentionRules } from '../model/retention.js';
import { isTerminalWorkflow } from '../model/status.js';
import { whyUnwritable } from '../model/unwritable.js';
import type { Command } from '../engine/command.js';
import type { Output, Reply } from '../engine/decision.js';
import { isInterrupt } from '../engine/step.js';
import { nextWakeAt } from '../engine/wake-up.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Commit, CommitResult, LeaseGrant } from '../store/execution-store.js';
import type { PollHub } from '../queue/poll-hub.js';
import { cannotStart, type AbandonedExecutions } from './abandoned.js';
import { roughBytes } from './actor-size.js';
import type { ActorCache } from './actor-cache.js';
import { isDirty, isFinished, planCommit } from './commit-plan.js';
import { countCommit } from './count-events.js';
import type { DirtyMarks } from './dirty-marks.js';
import { type ExecutionActor, msBeforeReplyMax, type TurnEnd } from './execution-actor.js';
import { aboutExecution } from './about-execution.js';
import type { ExecutionFollower } from './execution-follower.js';
import type { CommitSpans } from './execution-spans.js';
import type { ShardMonitor } from './executions.js';
import { FairTurns, type Sharing } from './fair-turns.js';
import type { ExecutionTimers } from './execution-timers.js';
import type { GroupCommit, PendingGrant } from './group-commit.js';
import type { HeldLoads } from './held-loads.js';
import { matchInTurns, runOf } from './open-work.js';
import { SubmittedCommand, type SubmitOptions } from './submitted-command.js';
import type { OutputRelease } from './output-release.js';
import type { OwnedShards } from './owned-shards.js';
import type {
  DurableOutput,
  PendingCommit,
  ReleasedOutput,
  TracedOutputs,
} from './pending-commit.js';
import { changedElsewhere, unavailable } from './refusals.js';
import type { TaskDispatch } from './task-dispatch.js';
import type { ShardOutlook } from './shard-outlook.js';
import type { Watchers } from './watchers.js';

/** Takes the shards again whose memory may not be believed any more (invariants M3). */
export type LostShards = (shards: readonly number[], error: unknown) => void;

export interface CommitPartners {
  readonly follower: ExecutionFollower;
  /** Another owner has the shards, or a write for them has an unclear outcome. */
  readonly lost: LostShards;
}

export interface CommitPipelineParts {
  readonly clock: Clock;
  readonly sandbox: Pick<Sandbox, 'evaluate'>;
  readonly owned: OwnedShards;
  readonly cache: ActorCache;
  readonly abandoned: AbandonedExecutions;
  readonly hub: PollHub;
  readonly dispatch: TaskDispatch;
  readonly groupCommit: GroupCommit;
  readonly outputs: OutputRelease;
  readonly timers: ExecutionTimers;
  readonly outlook: ShardOutlook;
  readonly watchers: Watchers;
  readonly marks: DirtyMarks;
  readonly loads: HeldLoads;
  readonly monitor: ShardMonitor;
  readonly counters: EventCounters;
  readonly retention: RetentionRules;
  readonly sharing: Sharing;
  readonly partners: Port<CommitPartners>;
}

/** Outputs of one execution matched in one turn of the event loop, and those of one step more. */
const matchesPerTurnMax = 200;
/**
 * Task records, or moves, of a commit beyond which an execution waits for the one on its way; a
 * turn adds its own to them: `itemsPerStepMax` items of the agenda, or `matchesPerTurnMax` moves.
 */
const recordsPerCommitMax = 200;

/** A script that takes no longer, with its wait for a process, costs no commit of its own, ms. */
const quickScriptMs = 100;

interface Planned {
  readonly actor: ExecutionActor;
  readonly commit: Commit;
  /** Tells followers what the commit has stored. */
  readonly tell: (() => void) | undefined;
  readonly spans: CommitSpans | undefined;
}

function isStored(result: CommitResult): result is 'committed' | 'already-applied' {
  return result === 'committed' || result === 'already-applied';
}

export class CommitPipeline {
  /** Where long transitions, matches and releases go on. */
  readonly turns: FairTurns;
  /** Executions that have ended and are about to leave memory. */
  readonly #leaving = new Set<ExecutionActor>();
  #isScheduled = false;
  readonly #headPrefix = randomBytes(6).toString('base64url');
  #headCounter = 0;

  constructor(private readonly parts: CommitPipelineParts) {
    const { clock, groupCommit, sharing } = parts;
    this.turns = new FairTurns({ clock, isCrowded: () => groupCommit.isCrowded, sharing });
  }

  /**
   * Carries out a command; resolves when its reply is through the gate. Rejects with AppError: what
   * the execution refuses (behind the gate as well), 'unavailable' when it has been dropped,
   * 'unknown-outcome' when its commit may not have got through.
   */
  submit(
    actor: ExecutionActor,
    command: Command,
    { trace, payload, control }: SubmitOptions = {},
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      actor.accept(new SubmittedCommand(command, { trace, payload, control }, resolve, reject));
      if (!actor.isBusy) this.#work(actor);
      else if (actor.isParked && isInterrupt(command)) this.#interrupt(actor);
    });
  }

  // ---- step ----

  #work(actor: ExecutionActor): void {
    try {
      for (let end = actor.begin(); end !== undefined; end = actor.begin()) {
        if (!this.#afterTurn(actor, end)) return;
      }
    } catch (error) {
      this.#giveUp(actor, error);
    }
  }

  /** A terminate or pause does not wait for the script that the transition waits for. */
  #interrupt(actor: ExecutionActor): void {
    try {
      const end = actor.interrupt();
      if (end !== undefined && this.#afterTurn(actor, end)) this.#work(actor);
    } catch (error) {
      this.#giveUp(actor, error);
    }
  }

  #resume(actor: ExecutionActor, command: Command, isLateAnswer: boolean): void {
    if (actor.isDropped) return;
    try {
      if (this.#afterTurn(actor, actor.resume(command, isLateAnswer))) this.#work(actor);
    } catch (error) {
      this.#giveUp(actor, error);
    }
  }

  /** True when the command has settled, so that the next one may begin. */
  #afterTurn(actor: ExecutionActor, end: TurnEnd): boolean {
    if (end.kind === 'settled') {
      this.conclude(actor);
      return true;
    }
    if (end.kind === 'goes-on') {
      this.#writeSoFar(actor);
      this.#whenRoom(actor, () => this.#resume(actor, end.command, false));
      return false;
    }
    if (actor.isLong) this.#writeSoFar(actor);
    const { key, request } = end;
    const evaluation = actor.park();
    const isWanted = (): boolean => actor.awaits(evaluation);
    this.#writeIfSlow(actor, isWanted);
    void this.parts.sandbox
      .evaluate(request, { share: actor.share, isWanted })
      .then((result) => {
        if (isWanted()) this.#resume(actor, { kind: 'evaluated', key, result }, true);
      })
      .catch((error: unknown) => this.#giveUp(actor, error));
    return false;
  }

  #giveUp(actor: ExecutionActor, error: unknown): void {
    if (actor.isDropped) return;
    this.parts.monitor.failed(error, aboutExecution(actor.open));
    // A value that is too deep or too long: the same step would fail again.
    if (error instanceof RangeError) return this.#abandon(actor, whyUnwritable(error));
    if (error instanceof AppError && error.kind === 'unavailable') return this.#drop(actor, error);
    this.parts.monitor.count('assertions_failed', 'actor');
    const cause = error instanceof Error ? error.message : String(error);
    const text = `The execution ${actor.id} was reloaded after an internal error`;
    this.#drop(actor, new AppError('internal', text, { cause }));
  }

  /** It is loaded again as it is stored when somebody asks for it, or an audit finds it. */
  #drop(actor: ExecutionActor, error: AppError): void {
    actor.drop(error);
    this.parts.cache.remove(actor);
  }

  /**
   * The decisions of the execution cannot be written: it ends where it is stored, or does not
   * begin.
   */
  #abandon(actor: ExecutionActor, why: string): void {
    const { abandoned, cache, monitor } = this.parts;
    monitor.count('commits_unwritable', '');
    const error = actor.stored.head === '' ? cannotStart(why) : abandoned.add(actor.id, why);
    const unwritten = new Error(`Execution ${actor.id} cannot be written: ${why}`);
    monitor.failed(unwritten, aboutExecution(actor.open));
    actor.drop(error);
    cache.remove(actor);
  }

  /** A long transition: what it has changed so far may be written. */
  #writeSoFar(actor: ExecutionActor): void {
    if (actor.pending?.mustWrite) this.#ready(actor);
  }

  /**
   * Writes before a slow script is done. A reader of the execution, or of the reason why it waits,
   * waits until its decisions are written, but not for a script that takes long or that waits for
   * its turn. Nor does the caller of the command.
   */
  #writeIfSlow(actor: ExecutionActor, isParked: () => boolean): void {
    const { clock } = this.parts;
    const isStill = (): boolean => isParked() && !actor.isDropped;
    clock.after(quickScriptMs, () => {
      if (!isStill()) return;
      this.#writeSoFar(actor);
      clock.after(msBeforeReplyMax - quickScriptMs, () => {
        if (isStill()) actor.answerEarly();
      });
    });
  }

  /**
   * In a later turn. An execution that has decided a full commit while another one is on its way
   * waits for that: so none of its commits is large, and those of other executions go out between.
   */
  #whenRoom(actor: ExecutionActor, proceed: () => void): void {
    const soon = (): void => this.turns.add(actor.share, proceed);
    const isFull = actor.pending !== undefined && actor.pending.size >= recordsPerCommitMax;
    if (isFull) actor.gateNext({ pass: soon, fail: soon });
    else soon();
  }

  // ---- match ----

  /**
   * The actor is at rest, or something that it had promised is done: what it decided is made ready
   * for its commit. Without anything to write it may leave at once.
   */
  conclude(actor: ExecutionActor): void {
    if (actor.isDropped) return;
    this.#match(actor);
    this.parts.watchers.check(actor.id, actor.open);
    this.parts.timers.arm(actor.id, nextWakeAt(actor.open));
    if (this.#mustBecomeCompact(actor)) actor.collecting().isForced = true;
    if (actor.pending === undefined) this.#rest(actor);
    else if (actor.pending.mustWrite) this.#ready(actor);
    else this.#releaseUnwritten(actor);
  }

  /**
   * In portions: what a large fork has decided is matched over several turns and commits. Later
   * decisions come behind it.
   */
  #match(actor: ExecutionActor): void {
    if (actor.isBusy || this.#matching.has(actor)) return;
    // Behind the first portion a poll may wait for one that is on its way to ready.
    const mayMatch = !actor.work.has(matchInTurns);
    for (const { outputs, trace } of actor.takeOutputs(matchesPerTurnMax)) {
      const kept: ReleasedOutput[] = [];
      for (const output of outputs) {
        const left = this.#placed(actor, output, mayMatch);
        if (left !== undefined) kept.push(left);
      }
      if (kept.length > 0) actor.collecting().hold({ outputs: kept, trace });
    }
    if (!actor.hasOutputs) return void actor.work.end(matchInTurns);
    actor.work.begin(matchInTurns);
    this.#matching.add(actor);
    this.#whenRoom(actor, () => {
      this.#matching.delete(actor);
      this.conclude(actor);
    });
  }

  /** Those that go on in a turn of their own. */
  readonly #matching = new Set<ExecutionActor>();

  /**
   * Tasks go to polls that wait, or to ready with the commit; attempts that are over leave their
   * queue with it. The returned value waits for the gate.
   */
  #placed(actor: ExecutionActor, output: Output, mayMatch: boolean): ReleasedOutput | undefined {
    if (output.kind === 'schedule') return this.parts.dispatch.place(actor, output.task, mayMatch);
    if (output.kind === 'unschedule') return this.parts.dispatch.withdrawEarly(actor, output);
    if (output.kind === 'run-system-task') actor.work.begin(runOf(output.task));
    return output;
  }

  /** The work that was left when its last commit was planned is done by now. */
  #mustBecomeCompact(actor: ExecutionActor): boolean {
    return !actor.isUnconfirmed && !actor.stored.isCompact && isFinished(actor);
  }

  #releaseUnwritten(actor: ExecutionActor): void {
    const pending = actor.settleUnwritten();
    if (pending !== undefined) this.#pass(actor, pending);
  }

  // ---- plan, commit, land ----

  #ready(actor: ExecutionActor): void {
    this.parts.groupCommit.add(actor);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || !this.parts.groupCommit.isDue) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#writeBatch();
    });
  }

  async #writeBatch(): Promise<void> {
    const { groupCommit } = this.parts;
    if (!groupCommit.isDue) return;
    const batch = this.#planBatch(groupCommit.take());
    const grants = groupCommit.takeGrants();
    const large = groupCommit.takeLarge();
    this.turns.wake();
    if (large !== undefined) void this.#write(this.#planBatch([large]), [], 'large');
    if (batch.length === 0 && grants.length === 0) {
      this.#schedule();
      return groupCommit.rest();
    }
    this.parts.hub.nextBatch();
    await this.#write(batch, grants, 'usual');
  }

  async #write(batch: Planned[], grants: PendingGrant[], size: 'usual' | 'large'): Promise<void> {
    const { groupCommit, monitor, clock } = this.parts;
    const sentAt = clock.monotonic();
    const commits = batch.map(({ commit }) => commit);
    const writing = groupCommit.write(
      commits,
      grants.map(({ grant }) => grant),
      size,
    );
    this.#schedule();
    try {
      const results = await writing;
      monitor.batch(batch.length, clock.monotonic() - sentAt);
      for (const [i, one] of batch.entries()) {
        const result = results.commits[i] ?? 'wrong-head';
        if (one.spans !== undefined && isStored(result)) {
          one.actor.spans?.landed(one.spans, sentAt, batch.length);
        }
        this.#landed(one, result);
      }
      for (const [i, one] of grants.entries()) one.granted(results.grants[i] ?? []);
    } catch (error) {
      this.#lose(batch, grants, error);
    }
    this.#schedule();
    this.turns.wake();
    groupCommit.rest();
  }

  #planBatch(actors: readonly ExecutionActor[]): Planned[] {
    const batch: Planned[] = [];
    for (const actor of actors) {
      const planned = this.#planOne(actor);
      if (planned !== undefined) batch.push(planned);
    }
    return batch;
  }

  #planOne(actor: ExecutionActor): Planned | undefined {
    try {
      actor.tellOfPart();
      const commit = this.plan(actor, false);
      if (commit === undefined) {
        this.refuse(actor, 'stale-owner');
        return undefined;
      }
      countCommit(this.parts.counters, actor.collecting(), commit);
      const tell = this.#followed(actor, commit);
      const spans = actor.spans?.planned(commit);
      actor.depart();
      return { actor, commit, tell, spans };
    } catch (error) {
      this.#giveUp(actor, error);
      return undefined;
    }
  }

  /** The execution has been taken out of the store. */
  removed(actor: ExecutionActor): void {
    this.parts.loads.removed(actor);
    const { follower } = this.parts.partners.part;
    if (follower.isFollowing) follower.removed(actor.open);
  }

  #followed({ open }: ExecutionActor, { changes }: Commit): (() => void) | undefined {
    const { follower } = this.parts.partners.part;
    return follower.isFollowing ? follower.planned(open, changes) : undefined;
  }

  /** The commit of what is pending; undefined when the shard is not this node's any more. */
  plan(actor: ExecutionActor, remove: boolean): Commit | undefined {
    const fence = this.parts.owned.fenceOf(actor.shard);
    if (fence === undefined) return undefined;
    this.#headCounter += 1;
    const nextHead = `${this.#headPrefix}${this.#headCounter.toString(36)}`;
    const { retention } = this.parts;
    return planCommit(actor, actor.collecting(), { fence, nextHead, retention, remove });
  }

  /** A failure with one execution concerns no other of its batch. */
  #landed(planned: Planned, result: CommitResult): void {
    try {
      this.#land(planned, result);
    } catch (error) {
      this.#giveUp(planned.actor, error);
    }
  }

  #land({ actor, commit, tell }: Planned, result: CommitResult): void {
    if (isStored(result)) {
      this.parts.outlook.landed(actor.shard, commit);
      this.parts.loads.landed(actor, commit.head === '');
      tell?.();
    }
    if (actor.isDropped) return;
    if (typeof result === 'object') return this.#abandon(actor, result.reason);
    if (!isStored(result)) return this.refuse(actor, result);
    const landed = actor.land(commit);
    if (landed !== undefined) this.#pass(actor, landed);
    this.parts.cache.resize(actor, roughBytes(actor));
    // All that it had promised may have been done while the commit was on its way.
    if (this.#mustBecomeCompact(actor)) actor.collecting().isForced = true;
    if (actor.pending !== undefined) this.parts.groupCommit.add(actor);
    else this.#rest(actor);
  }

  /** Another writer was there: memory is not what is stored. */
  refuse(actor: ExecutionActor, result: 'stale-owner' | 'wrong-head'): void {
    const { cache, monitor, partners } = this.parts;
    if (result === 'stale-owner') {
      monitor.count('commits_refused_fence', '');
      partners.part.lost([actor.shard], new Error(`Shard ${actor.shard} has another owner`));
      // Dropped with its shard, or that was dropped before it came into memory.
      actor.drop(unavailable());
    } else {
      monitor.count('commits_refused_chain', '');
      actor.drop(changedElsewhere());
    }
    cache.remove(actor);
  }

  /** The write failed. Executions that have left memory since were dropped for the same reason. */
  #lose(batch: readonly Planned[], grants: readonly PendingGrant[], error: unknown): void {
    const lost = batch.filter(({ actor }) => !actor.isDropped).map(({ actor }) => actor.shard);
    for (const { shards } of grants) lost.push(...shards);
    if (lost.length > 0) this.parts.partners.part.lost([...new Set(lost)], error);
    for (const grant of grants) grant.fail(error);
  }

  /** Leases attempts for a poll with the next batch; resolves with whether each lease stands. */
  grant(grant: LeaseGrant, shards: readonly number[]): Promise<readonly boolean[]> {
    return new Promise((granted, fail) => {
      this.parts.groupCommit.addGrant({ grant, shards, granted, fail });
      this.#schedule();
    });
  }

  // ---- release ----

  #pass(actor: ExecutionActor, confirmed: PendingCommit): void {
    this.release(actor, confirmed.pass());
  }

  /** Lets out what a confirmed commit has decided, or what a recovery finds promised. */
  release(actor: ExecutionActor, portions: readonly TracedOutputs<DurableOutput>[]): void {
    this.parts.outputs.release(actor, portions, {
      done: () => this.conclude(actor),
      later: (turn) => this.turns.add(actor.share, turn),
    });
  }

  /** Memory and store agree, but perhaps for the mark in the dirty set. */
  #rest(actor: ExecutionActor): void {
    if (actor.stored.isDirty && !isDirty(actor)) this.parts.marks.strikeOff(actor);
    this.leaveIfFinished(actor);
  }

  /**
   * An execution that has ended and told everybody needs no memory. It leaves a turn later: a
   * synchronous caller that has just been told of the end asks for the result now, and loading it
   * again took two calls of Redis beside the one of the start.
   */
  leaveIfFinished(actor: ExecutionActor): void {
    if (!this.#mayLeave(actor)) return;
    this.#leaving.add(actor);
    if (this.#leaving.size === 1) setImmediate(() => this.#leave());
  }

  #leave(): void {
    const { cache } = this.parts;
    for (const actor of this.#leaving) if (this.#mayLeave(actor)) cache.remove(actor);
    this.#leaving.clear();
  }

  #mayLeave(actor: ExecutionActor): boolean {
    if (!isTerminalWorkflow(actor.open.execution.state.status)) return false;
    return actor.isAtRest && isFinished(actor) && !this.parts.watchers.has(actor.id);
  }

  /** Resolves when everything decided so far has been written. */
  drained(): Promise<void> {
    return this.parts.groupCommit.drained();
  }
}
