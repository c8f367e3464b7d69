// The single writer of one execution (architecture section 1.2): its state in memory, the commands
// that wait for it, and what it has decided and not yet had confirmed. Commands are carried out one
// after the other; commit-pipeline.ts drives that and everything that follows.
//
// A transition may need several steps: a user script, or a used-up budget. Until it has settled,
// further commands wait in the mailbox. It goes on in turns of the event loop, so that no execution
// holds the others up, however many scripts it asks for. One that does not settle (a loop without
// end whose tasks need no worker) answers its caller after `turnsBeforeReplyMax` turns. Terminate
// and pause step in between its turns, and at once where it waits for a script.
import type { ExecutionId } from '../std/ids.js';
import type { LoopNote } from '../telemetry/loop-note.js';
import type { Tracing } from '../telemetry/tracing.js';
import type { Trace } from '../telemetry/trace.js';
import type { Control } from '../model/caller.js';
import type { Task } from '../model/execution.js';
import type { Command } from '../engine/command.js';
import type { EngineContext } from '../engine/context.js';
import { addToHistory } from '../engine/control-history.js';
import { claimAttempt, releaseClaim, type Claim } from '../engine/command-handlers/claim-task.js';
import { taskPart, type Decision, type Next, type Reply } from '../engine/decision.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type { ScriptRequest } from '../engine/script.js';
import { isInterrupt, stepToRest, type StepDriver } from '../engine/step.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Commit } from '../store/execution-store.js';
import { spansOf, type ExecutionSpans } from './execution-spans.js';
import type { WorkShare } from './fair-turns.js';
import { OpenWork } from './open-work.js';
import { openGate, PendingCommit, type GateWaiter, type TracedOutputs } from './pending-commit.js';
import { QueuedAttempts } from './queued-attempts.js';
import { beingReloaded } from './refusals.js';

/** The parts of the node that steps use. */
export interface StepWorld {
  /** `now` is read at each step. */
  readonly context: EngineContext;
  readonly sandbox: Pick<Sandbox, 'tryInPlace'>;
  readonly note: LoopNote;
  /** Absent: nobody takes spans. */
  readonly tracing?: Tracing | undefined;
}

/** A command that waits for its turn, then for its reply's gate. */
export interface QueuedCommand extends GateWaiter {
  readonly command: Command;
  readonly trace: Trace | undefined;
  /** The sender and the reason, when the execution's history is to tell of it. */
  readonly control: Control | undefined;
  /** Set before the gate. */
  reply: Reply | undefined;
}

/** How a turn of the event loop has left a command. */
export type TurnEnd =
  /** Settled; its reply waits at the gate. */
  | { readonly kind: 'settled' }
  /** It goes on with this command in a later turn. */
  | { readonly kind: 'goes-on'; readonly command: Command }
  /** A worker has to evaluate a script. */
  | { readonly kind: 'script'; readonly key: string; readonly request: ScriptRequest };

const settled: TurnEnd = { kind: 'settled' };

/** The parts of an execution that the store is known to hold. */
export interface StoredFacts {
  /** Newest confirmed head; '' before the first commit. */
  head: string;
  /** Durable wake-up as the newest commit left it, 0 = none. */
  wakeAt: number;
  /** Whether the dirty set has a mark; undefined: not known, the next commit says it anew. */
  isDirty: boolean | undefined;
  /** As the compact record of a finished execution. */
  isCompact: boolean;
}

/**
 * Scripts answered in place in one turn of the event loop; each begins a new budget of the engine.
 */
const answersPerTurnMax = 16;
/** Turns after which a caller is answered although its transition still goes on: about 1 s. */
const turnsBeforeReplyMax = 500;
/** The same in ms of store time: where many share the node, turns are rare. */
export const msBeforeReplyMax = 1000;
/** An answer of a worker thread takes as long as so many turns. */
const turnsPerLateAnswer = 20;

export class ExecutionActor implements StepDriver {
  readonly work = new OpenWork();
  readonly #stored: StoredFacts;
  /** A mark is being removed; a load of the execution may still see it. */
  #isClearingMark = false;
  readonly queued: QueuedAttempts;
  /** Absent: the execution is not traced. Set by its start, before its first command. */
  spans: ExecutionSpans | undefined;
  /** Collects what is not yet taken by group commit. */
  #pending: PendingCommit | undefined;
  /** Taken by group commit, not yet confirmed. */
  #inFlight: PendingCommit | undefined;
  /** Outputs of the turns so far that nobody has looked at. */
  #fresh: TracedOutputs[] = [];
  #isDropped = false;
  #isBusy = false;
  #mailbox: QueuedCommand[] = [];
  #current: QueuedCommand | undefined;
  /** Whether the current command has changed anything, and the history tells of it. */
  #hasChanged = false;
  #isTold = false;
  /** Turns that the transition under way has taken, and scripts answered in this one. */
  #turns = 0;
  #answers = 0;
  /** When its second turn began, store time; 0 before. */
  #beganAt = 0;
  #turnEnd: TurnEnd = settled;
  /** The evaluation that the transition waits for, 0 = none; an answer to another one is late. */
  #evaluation = 0;
  #evaluations = 0;

  /** `stored`: undefined for an execution that is started now. */
  constructor(
    readonly id: ExecutionId,
    readonly shard: number,
    readonly open: OpenExecution,
    stored: StoredFacts | undefined,
    private readonly world: StepWorld,
  ) {
    this.#stored = stored ?? { head: '', wakeAt: 0, isDirty: false, isCompact: false };
    this.queued = new QueuedAttempts(stored === undefined);
    const { trace } = open.execution.attributes;
    this.spans = trace === undefined ? undefined : spansOf(world.tracing, open, trace);
  }

  /** The names that pay for its work: its starter, and its definition. */
  get share(): WorkShare {
    const { attributes, snapshot } = this.open.execution;
    return { caller: attributes.createdBy ?? '', definition: snapshot.def.name };
  }

  get stored(): Readonly<StoredFacts> {
    return this.#stored;
  }

  get isDropped(): boolean {
    return this.#isDropped;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Not yet taken by group commit. */
  get pending(): PendingCommit | undefined {
    return this.#pending;
  }

  get isUnconfirmed(): boolean {
    return this.#pending !== undefined || this.#inFlight !== undefined;
  }

  /** A command is carried out or waits, or something is not confirmed yet. */
  get isUnsettled(): boolean {
    return this.#isBusy || this.#mailbox.length > 0 || this.isUnconfirmed;
  }

  get isInFlight(): boolean {
    return this.#inFlight !== undefined;
  }

  /** Nothing under way, waiting or unconfirmed: memory and store agree. */
  get isAtRest(): boolean {
    return (
      !this.#isBusy &&
      !this.#stored.isDirty &&
      !this.#isClearingMark &&
      this.#mailbox.length === 0 &&
      !this.isUnconfirmed &&
      this.work.isEmpty
    );
  }

  // ---- step ----

  /** Puts a command into the mailbox. */
  accept(queued: QueuedCommand): void {
    if (this.#isDropped) queued.fail(beingReloaded());
    else this.#mailbox.push(queued);
  }

  /** Begins the next command; undefined when there is none. Throws when the engine breaks. */
  begin(): TurnEnd | undefined {
    const queued = this.#isDropped ? undefined : this.#mailbox.shift();
    if (queued === undefined) return undefined;
    this.#isBusy = true;
    this.#current = queued;
    this.#hasChanged = false;
    this.#isTold = false;
    this.#turns = 0;
    this.#beganAt = 0;
    return this.#turn(queued.command);
  }

  /** Goes on with the transition under way, or with a command that may interrupt it. */
  resume(command: Command, isLateAnswer: boolean): TurnEnd {
    const interrupted = this.interrupt();
    if (interrupted !== undefined) return interrupted;
    this.#turns += isLateAnswer ? turnsPerLateAnswer : 1;
    const { now } = this.world.context;
    this.#beganAt ||= now;
    const isOverdue = now - this.#beganAt >= msBeforeReplyMax;
    if (isOverdue || this.#turns >= turnsBeforeReplyMax) this.answerEarly();
    return this.#turn(command);
  }

  /** Answers the caller of the command, although its transition still goes on. */
  answerEarly(): void {
    this.#answer(this.#takeReply());
  }

  /**
   * Begins a waiting command that ends or stops the transition under way; undefined when there is
   * none.
   */
  interrupt(): TurnEnd | undefined {
    const urgent = this.#takeUrgent();
    if (urgent === undefined) return undefined;
    this.answerEarly();
    this.#current = urgent;
    this.#hasChanged = false;
    this.#isTold = false;
    return this.#turn(urgent.command);
  }

  /** The transition waits for a script from now on; the number of the evaluation. */
  park(): number {
    this.#evaluations += 1;
    this.#evaluation = this.#evaluations;
    return this.#evaluation;
  }

  /** The transition still waits for this evaluation. */
  awaits(evaluation: number): boolean {
    return this.#evaluation === evaluation && !this.#isDropped;
  }

  get isParked(): boolean {
    return this.#evaluation !== 0;
  }

  get isLong(): boolean {
    return this.#turns > 0;
  }

  get context(): EngineContext {
    return this.world.context;
  }

  decided(decision: Decision): void {
    if (!decision.changes.isEmpty) {
      this.collecting().add(decision.changes);
      this.#hasChanged = true;
    }
    const { outputs } = decision;
    if (outputs.length > 0) this.#fresh.push({ outputs, trace: this.#current?.trace });
  }

  proceed(next: Next): Command | undefined {
    if (next.kind === 'wait') return undefined;
    if (next.kind === 'continue') {
      this.#turnEnd = { kind: 'goes-on', command: { kind: 'continue' } };
      return undefined;
    }
    const { key, request } = next;
    const result = this.world.sandbox.tryInPlace(request);
    if (result === undefined) {
      this.#turnEnd = { kind: 'script', key, request };
      return undefined;
    }
    const answer: Command = { kind: 'evaluated', key, result };
    this.#answers += 1;
    if (this.#answers < answersPerTurnMax) return answer;
    this.#turnEnd = { kind: 'goes-on', command: answer };
    return undefined;
  }

  /**
   * Hands an attempt out at once, without a step: nothing follows from it in the execution.
   * undefined when it is not wanted, or in the middle of a transition.
   */
  claim(claim: Claim): Task | undefined {
    if (this.#isBusy || this.#isDropped) return undefined;
    const { now } = this.world.context;
    const claimed = claimAttempt(this.open, claim, now);
    if (claimed?.mustStore) this.#touch(claimed.task, now);
    return claimed?.task;
  }

  /** Takes a claim back whose lease did not come about. */
  unclaim(task: Task, reopenCount: number): void {
    if (this.#isDropped) return;
    if (releaseClaim(this.open, task, reopenCount)) this.#touch(task, this.world.context.now);
  }

  #touch(task: Task, now: number): void {
    const changes = this.collecting().collected();
    changes.touch(task, taskPart.record);
    changes.state = true;
    this.open.execution.state.updateTime = now;
  }

  /**
   * The outputs of the steps so far, once no transition is under way, in the order in which they
   * were decided: about `most`, and at least one step's. The caller takes them over.
   */
  takeOutputs(most: number): readonly TracedOutputs[] {
    if (this.#fresh.length === 0 || this.#isBusy) return [];
    let steps = 0;
    for (let count = 0; steps < this.#fresh.length && count < most; steps++) {
      count += (this.#fresh[steps] as TracedOutputs).outputs.length;
    }
    const taken = this.#fresh;
    this.#fresh = taken.splice(steps);
    return taken;
  }

  /** Something that the steps want to let out has not been taken. */
  get hasOutputs(): boolean {
    return this.#fresh.length > 0;
  }

  #turn(command: Command): TurnEnd {
    this.#answers = 0;
    this.#evaluation = 0;
    const reply = this.#step(command);
    if (reply === undefined) return this.#turnEnd;
    this.#isBusy = false;
    this.#answer(reply);
    return settled;
  }

  /** Under the eyes of the watchdog. */
  #step(command: Command): Reply | undefined {
    const { note } = this.world;
    const { spans } = this;
    const beganAt = spans?.now() ?? 0;
    note.execution = this.id;
    try {
      return stepToRest(this.open, command, this);
    } finally {
      note.execution = '';
      spans?.decided(command, beganAt, this.#current?.trace);
    }
  }

  /** A waiting command that ends or stops the transition under way. */
  #takeUrgent(): QueuedCommand | undefined {
    if (this.#mailbox.length === 0 || this.open.execution.state.status !== 'RUNNING')
      return undefined;
    const index = this.#mailbox.findIndex(({ command }) => isInterrupt(command));
    return index < 0 ? undefined : this.#mailbox.splice(index, 1)[0];
  }

  /** The reply that the transition under way owes. */
  #takeReply(): Reply {
    const reply = this.open.pendingReply ?? { kind: 'ok' };
    this.open.pendingReply = undefined;
    return reply;
  }

  #answer(reply: Reply): void {
    const queued = this.#current;
    this.#current = undefined;
    if (queued === undefined) return;
    queued.reply = reply;
    if (queued.control !== undefined && reply.kind !== 'refused')
      this.#tell(queued, queued.control);
    this.gate(queued);
  }

  /**
   * A part of what the command under way decides is about to be written. The history tells of the
   * command in the same commit: what follows may be decided by another node.
   */
  tellOfPart(): void {
    if (this.#current?.control !== undefined) this.#tell(this.#current, this.#current.control);
  }

  #tell({ command }: QueuedCommand, control: Control): void {
    if (!this.#hasChanged || this.#isTold) return;
    this.#isTold = true;
    const { now, limits } = this.world.context;
    const bound = { now, entriesMax: limits.historyEntriesMax };
    addToHistory(this.open.execution, command, control, bound);
    this.collecting().collected().history = true;
  }

  // ---- commit ----

  /** Where changes, outputs and waiters gather until group commit takes them. */
  collecting(): PendingCommit {
    return (this.#pending ??= new PendingCommit());
  }

  /** Lets somebody through when everything decided so far is durable. */
  gate(waiter: GateWaiter): void {
    const pending = this.#pending ?? this.#inFlight;
    if (this.#isDropped) waiter.fail(beingReloaded());
    else if (pending === undefined) waiter.pass(openGate);
    else pending.wait(waiter);
  }

  /** Lets somebody through when the next commit is durable: one that is on its way, if there is. */
  gateNext(waiter: GateWaiter): void {
    if (this.#inFlight === undefined) this.gate(waiter);
    else this.#inFlight.wait(waiter);
  }

  /** Group commit takes what is pending. */
  depart(): void {
    this.#inFlight = this.#pending;
    this.#pending = undefined;
  }

  /** The commit in flight is confirmed. */
  land(commit: Commit): PendingCommit | undefined {
    const landed = this.#inFlight;
    this.#inFlight = undefined;
    this.#stored.head = commit.nextHead;
    if (commit.wakeAt !== undefined) this.#stored.wakeAt = commit.wakeAt;
    if (commit.dirty !== undefined) this.#stored.isDirty = commit.dirty;
    this.#stored.isCompact = commit.compactUntilAt !== undefined;
    return landed;
  }

  /**
   * Nothing of what is pending needs a write: it goes with the commit in flight. Without one it is
   * returned, and may leave at once.
   */
  settleUnwritten(): PendingCommit | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined || this.#inFlight === undefined) return pending;
    pending.join(this.#inFlight);
    return undefined;
  }

  /** The mark in the dirty set is being removed, or that has succeeded or failed. */
  clearMark(step: 'begun' | 'done' | 'failed'): void {
    if (step === 'begun') this.#stored.isDirty = undefined;
    // Unless a commit has said it meanwhile.
    if (step === 'done') this.#stored.isDirty ??= false;
    this.#isClearingMark = step === 'begun';
  }

  /** Forgets everything; waiting callers get `error`. */
  drop(error: Error): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#current?.fail(error);
    for (const queued of this.#mailbox) queued.fail(error);
    this.#mailbox = [];
    const unconfirmed = [this.#inFlight, this.#pending];
    this.#inFlight = undefined;
    this.#pending = undefined;
    for (const pending of unconfirmed) pending?.fail(error);
  }
}
