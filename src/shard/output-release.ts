// The one place where outputs leave an execution (invariants M4, M5). commit-pipeline.ts calls it
// for confirmed commits, and for what a recovery or an audit finds promised. It takes durable
// outputs only (std/durable.ts), as every way out does that it calls: nothing unpersisted leaves
// the process.
import { madeOf } from '../std/durable.js';
import type { Port } from '../std/port.js';
import { inTrace, isTracing, type Trace } from '../telemetry/trace.js';
import type { ExecutionActor } from './execution-actor.js';
import type { ShardMonitor, SystemTasks } from './executions.js';
import { releaseInTurns, runOf } from './open-work.js';
import type {
  DurableOutput,
  DurableOutputOf,
  ReleasedOutput,
  TracedOutputs,
} from './pending-commit.js';
import type { TaskDispatch } from './task-dispatch.js';

/** The weight of the outputs of one execution that are released in one turn of the event loop. */
const releasesPerTurnMax = 200;
/** A message may start another execution. */
const weightOf = ({ kind }: ReleasedOutput): number => (kind === 'send' ? 5 : 1);

/** Carries messages to other executions. */
export interface MessageCarrier {
  deliver(actor: ExecutionActor, output: DurableOutputOf<'send'>): void;
}

/** Where messages and runs go; they give commands to executions in turn. */
export interface ReleasePartners {
  readonly delivery: MessageCarrier;
  readonly systemTasks: Pick<SystemTasks, 'run' | 'cancel'>;
}

export interface ReleaseWay {
  /** Something that the execution had promised is done. */
  readonly done: () => void;
  /** Goes on in a later turn. */
  readonly later: (turn: () => void) => void;
}

export class OutputRelease {
  /** Outputs that are released in turns. */
  readonly #waiting = new Map<ExecutionActor, TracedOutputs<DurableOutput>[]>();

  constructor(
    private readonly dispatch: TaskDispatch,
    private readonly monitor: ShardMonitor,
    private readonly partners: Port<ReleasePartners>,
  ) {}

  /**
   * In portions: a fork of 10,000 branches must not hold the node until all of them are offered.
   * The order of an execution's outputs stays.
   */
  release(
    actor: ExecutionActor,
    portions: readonly TracedOutputs<DurableOutput>[],
    way: ReleaseWay,
  ): void {
    const { done } = way;
    const waiting = this.#waiting.get(actor);
    if (waiting !== undefined) return void waiting.push(...portions);
    let left = releasesPerTurnMax;
    for (const [i, { outputs, trace }] of portions.entries()) {
      for (const output of outputs) left -= weightOf(output);
      if (left < 0) return this.#releaseInTurns(actor, portions.slice(i), way);
      for (const output of outputs) this.#releaseTraced(actor, output, trace, done);
    }
  }

  #releaseInTurns(
    actor: ExecutionActor,
    portions: readonly TracedOutputs<DurableOutput>[],
    { done, later }: ReleaseWay,
  ): void {
    actor.work.begin(releaseInTurns);
    const waiting = [...portions];
    this.#waiting.set(actor, waiting);
    let position = 0;
    const turn = (): void => {
      for (let left = releasesPerTurnMax; left > 0 && !actor.isDropped;) {
        while (waiting[0] !== undefined && position >= waiting[0].outputs.length) {
          waiting.shift();
          position = 0;
        }
        const next = waiting[0]?.outputs[position++];
        if (next === undefined) break;
        left -= weightOf(next);
        this.#releaseTraced(actor, next, waiting[0]?.trace, done);
      }
      if (waiting.length > 0 && !actor.isDropped) return later(turn);
      this.#waiting.delete(actor);
      actor.work.end(releaseInTurns);
      done();
    };
    turn();
  }

  /** Under the trace of the request that decided it. */
  #releaseTraced(
    actor: ExecutionActor,
    output: DurableOutput,
    trace: Trace | undefined,
    done: () => void,
  ): void {
    const open = isTracing()
      ? inTrace(trace, () => this.#releaseOne(actor, output))
      : this.#releaseOne(actor, output);
    void open?.then(done);
  }

  /** A promise when the execution has to wait for something: it resolves when that is done. */
  #releaseOne(actor: ExecutionActor, output: DurableOutput): Promise<unknown> | undefined {
    switch (output.kind) {
      case 'enqueued':
        this.dispatch.announce(output);
        return undefined;
      case 'push':
        return this.dispatch.release(actor, output);
      case 'requeue':
        return this.dispatch.requeue(actor, output);
      case 'unschedule':
        this.dispatch.withdraw(actor, output);
        return undefined;
      case 'extend':
        this.dispatch.extend(actor, output);
        return undefined;
      case 'run-system-task':
        return this.#run(actor, output);
      case 'cancel-system-task':
        this.partners.part.systemTasks.cancel(actor.open, madeOf(output, output.task));
        return undefined;
      case 'send':
        this.partners.part.delivery.deliver(actor, output);
        return undefined;
      case 'count':
        this.monitor.count(output.metric, output.label);
        return undefined;
    }
  }

  async #run(actor: ExecutionActor, output: DurableOutputOf<'run-system-task'>): Promise<void> {
    const { task } = output;
    actor.work.begin(runOf(task));
    await this.partners.part.systemTasks.run(actor.open, madeOf(output, task));
    actor.work.end(runOf(task));
  }
}
