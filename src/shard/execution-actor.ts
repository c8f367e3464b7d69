// The single writer of one execution (architecture idea 2). Commands are carried out one after the
// other on the state in memory; what they decide gathers in a Flight until group commit takes it.
// The actor goes on from uncommitted state meanwhile; whatever leaves it waits for the newest
// flight that it may depend on.
//
// A transition may need several steps: a user script (`evaluate`) or a used-up budget (`continue`).
// Until it has settled, further commands wait in the mailbox. It goes on in turns of the event
// loop, so that no execution holds the others up, however many scripts it asks for. One that does
// not come to rest (a loop without end whose tasks need no worker) answers its caller after
// `turnsBeforeReplyMax` turns, and terminate and pause step in between its turns.
//
// If a step throws, a promise of the engine is broken: the actor is dropped and reloaded from the
// store at its next use, the data are not touched (invariants section 7, rule 6).
import type { ExecutionId } from '../std/ids.js';
import { SparseSet } from '../std/sparse.js';
import { AppError } from '../model/errors.js';
import type { Command } from '../engine/command.js';
import type { EngineContext } from '../engine/context.js';
import type { Decision, Next, Output, Reply } from '../engine/decision.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { isInterrupt, step } from '../engine/step.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Trace } from '../telemetry/trace.js';
import { Flight } from './flight.js';

/** What an actor needs from its node. */
export interface ActorHost {
  /** The engine's context with `now` set. */
  context(): EngineContext;
  readonly sandbox: Sandbox;
  /** A transition has settled: match, index, arm timers, flush. */
  settled(actor: ExecutionActor): void;
  /** A long transition goes on in a later turn: what it has changed so far may be written. */
  progressed(actor: ExecutionActor): void;
  /** The actor can no longer be trusted. */
  broken(actor: ExecutionActor, error: unknown): void;
}

/**
 * Scripts answered in place in one turn of the event loop; each begins a new budget of the engine.
 */
const answersPerTurnMax = 16;
/** Turns after which a caller is answered although its transition still goes on: about 1 s. */
const turnsBeforeReplyMax = 500;
/** An answer of a worker thread takes as long as so many turns. */
const turnsPerLateAnswer = 20;

interface Mail {
  command: Command;
  trace: Trace | undefined;
  resolve: (reply: Reply) => void;
  reject: (error: Error) => void;
}

export class ExecutionActor {
  /** Newest confirmed head; '' before the first commit. */
  head: string;
  /** Durable wake-up as the newest commit left it, 0 = none. */
  wakeStoredAt = 0;
  /** Wake-up armed in this node's timers, 0 = none. */
  wakeArmedAt = 0;
  /** Whether the newest commit left a mark in the dirty set. */
  dirtyStored = false;
  /** That mark is being struck off; who loads the execution now may still see it. */
  clearingMark = false;
  /**
   * Attempts that the store's queues may hold, as `attemptKey`; undefined when that is not known,
   * because the execution was loaded: then any may be there. Sync matches never go there, and a
   * task that ends need not be searched for.
   */
  queued: SparseSet<string> | undefined;
  /** The store holds the compact record of a finished execution. */
  compactStored = false;
  /** Attempts that are SCHEDULED and not known to be in their queue (key of the attempt). */
  readonly unqueued = new SparseSet<string>();
  /** Outbox messages being delivered now. */
  readonly delivering = new SparseSet<number>();
  /** System tasks with I/O that run now or are about to (task numbers). */
  readonly running = new SparseSet<number>();
  /** Outputs of the running turn, not yet looked at by the host. */
  fresh: Output[] = [];
  /** Collects what is not yet taken by group commit. */
  pending: Flight | undefined;
  /** Taken by group commit, not yet confirmed. */
  inFlight: Flight | undefined;
  /** Confirmed outputs that follow in later turns of the event loop. */
  releasing: Output[] | undefined;
  dropped = false;
  /** Rough size in memory. */
  bytes = 0;
  #busy = false;
  #mail: Mail[] = [];
  #current: Mail | undefined;
  /** Turns that the transition under way has taken. */
  #turns = 0;

  constructor(
    readonly id: ExecutionId,
    readonly shard: number,
    readonly open: OpenExecution,
    head: string,
    private readonly host: ActorHost,
  ) {
    this.head = head;
  }

  /** Nothing under way, waiting or unconfirmed: memory and store agree. */
  get atRest(): boolean {
    return (
      !this.#busy &&
      !this.dirtyStored &&
      !this.clearingMark &&
      this.#mail.length === 0 &&
      this.pending === undefined &&
      this.inFlight === undefined &&
      this.releasing === undefined &&
      this.unqueued.size === 0 &&
      this.delivering.size === 0 &&
      this.running.size === 0
    );
  }

  get isBusy(): boolean {
    return this.#busy;
  }

  /**
   * Carries out a command; the reply passes the gate before it resolves. `trace`: the request it is
   * given for.
   */
  submit(command: Command, trace?: Trace): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const mail = { command, trace, resolve, reject };
      if (this.dropped) reject(droppedError());
      else if (this.#busy) this.#mail.push(mail);
      else this.#run(mail);
    });
  }

  /**
   * Carries out a command at once and gives its reply without waiting for the gate, for callers
   * that register with the gate themselves; undefined when the actor is in the middle of a
   * transition.
   */
  submitNow(command: Command): Reply | undefined {
    if (this.#busy || this.dropped) return undefined;
    this.#busy = true;
    try {
      const decision = step(this.open, command, this.host.context());
      this.#collect(decision);
      return decision.reply;
    } catch (error) {
      this.host.broken(this, error);
      return undefined;
    } finally {
      this.#busy = false;
    }
  }

  /** Calls back when everything decided so far is durable, or the actor was dropped. */
  gate(pass: () => void, fail: (error: Error) => void): void {
    if (this.dropped) {
      fail(droppedError());
      return;
    }
    const flight = this.pending ?? this.inFlight;
    if (flight === undefined) pass();
    else flight.waiters.push({ pass, fail });
  }

  collecting(): Flight {
    return (this.pending ??= new Flight());
  }

  /** Forgets everything; waiting callers get `error`. */
  drop(error: Error): void {
    if (this.dropped) return;
    this.dropped = true;
    this.#current?.reject(error);
    for (const mail of this.#mail) mail.reject(error);
    this.#mail = [];
    const flights = [this.inFlight, this.pending];
    this.inFlight = undefined;
    this.pending = undefined;
    for (const flight of flights) flight?.fail(error);
  }

  #run(mail: Mail): void {
    this.#busy = true;
    this.#current = mail;
    this.#turns = 0;
    this.#step(mail.command);
  }

  #step(command: Command): void {
    let next: Command | undefined = command;
    for (let answers = 0; next !== undefined; answers++) {
      if (answers === answersPerTurnMax) {
        this.#inNextTurn(next);
        return;
      }
      let decision: Decision;
      try {
        decision = step(this.open, next, this.host.context());
      } catch (error) {
        this.host.broken(this, error);
        return;
      }
      this.#collect(decision);
      if (decision.reply !== undefined) {
        this.#settle(decision.reply);
        return;
      }
      try {
        next = this.#goOn(decision.next);
      } catch (error) {
        this.host.broken(this, error);
        return;
      }
    }
  }

  /** Gathers what a step decided. */
  #collect(decision: Decision): void {
    const trace = this.#current?.trace;
    if (trace !== undefined) for (const output of decision.outputs) traces.set(output, trace);
    if (!decision.changes.isEmpty) this.collecting().add(decision.changes);
    for (const output of decision.outputs) this.fresh.push(output);
  }

  /**
   * The next command of an unsettled transition when it is known at once; else it arrives later.
   */
  #goOn(needed: Next): Command | undefined {
    if (needed.kind === 'continue') {
      this.#inNextTurn({ kind: 'continue' });
      return undefined;
    }
    if (needed.kind === 'wait') return undefined;
    const result = this.host.sandbox.tryInPlace(needed.request);
    if (result !== undefined) return { kind: 'evaluated', key: needed.key, result };
    if (this.#turns > 0) this.host.progressed(this);
    void this.host.sandbox.evaluate(needed.request).then((late) => {
      this.#turns += turnsPerLateAnswer - 1;
      this.#later({ kind: 'evaluated', key: needed.key, result: late });
    });
    return undefined;
  }

  #inNextTurn(command: Command): void {
    this.host.progressed(this);
    setImmediate(() => this.#later(command));
  }

  #later(command: Command): void {
    if (this.dropped) return;
    const urgent = this.#takeUrgent();
    if (urgent !== undefined) {
      this.#answer(this.#takeReply());
      this.#current = urgent;
      this.#step(urgent.command);
      return;
    }
    this.#turns += 1;
    if (this.#turns >= turnsBeforeReplyMax) this.#answer(this.#takeReply());
    this.#step(command);
  }

  /** A waiting command that ends or stops the transition under way. */
  #takeUrgent(): Mail | undefined {
    if (this.#mail.length === 0 || this.open.execution.state.status !== 'RUNNING') return undefined;
    const index = this.#mail.findIndex(({ command }) => isInterrupt(command));
    return index < 0 ? undefined : this.#mail.splice(index, 1)[0];
  }

  /** The reply that the transition under way owes. */
  #takeReply(): Reply {
    const reply = this.open.pendingReply ?? { kind: 'ok' };
    this.open.pendingReply = undefined;
    return reply;
  }

  #answer(reply: Reply): void {
    const mail = this.#current;
    this.#current = undefined;
    if (mail) this.gate(() => mail.resolve(reply), mail.reject);
  }

  #settle(reply: Reply): void {
    this.#busy = false;
    this.#answer(reply);
    this.host.settled(this);
    const following = this.#mail.shift();
    if (following && !this.dropped) this.#run(following);
  }
}

const traces = new WeakMap<Output, Trace>();

/** The request whose command decided an output. */
export function traceOf(output: Output): Trace | undefined {
  return traces.get(output);
}

function droppedError(): AppError {
  return new AppError('unavailable', 'The execution is being reloaded, please repeat', {
    retryAfterSeconds: 1,
  });
}
