// Releases what a flight carries out of the gate in portions: a fork of 10,000 branches must not
// hold the node until all of them are offered. The order of an execution's outputs stays.
import type { Output } from '../engine/decision.js';
import { inTrace, isTracing } from '../telemetry/trace.js';
import { traceOf, type ExecutionActor } from './execution-actor.js';

/** Outputs of one execution released in one turn of the event loop. */
const outputsPerTurn = 200;

export class Releases {
  constructor(
    private readonly release: (actor: ExecutionActor, output: Output) => void,
    /** The last portion of several is out. */
    private readonly done: (actor: ExecutionActor) => void,
  ) {}

  add(actor: ExecutionActor, outputs: readonly Output[]): void {
    if (actor.releasing !== undefined) {
      for (const output of outputs) actor.releasing.push(output);
    } else if (outputs.length <= outputsPerTurn) {
      for (const output of outputs) this.#release(actor, output);
    } else {
      actor.releasing = [...outputs];
      this.#next(actor);
    }
  }

  #next(actor: ExecutionActor): void {
    const { releasing } = actor;
    if (releasing === undefined || actor.dropped) return;
    for (const output of releasing.splice(0, outputsPerTurn)) this.#release(actor, output);
    if (releasing.length > 0) {
      setImmediate(() => this.#next(actor));
      return;
    }
    actor.releasing = undefined;
    this.done(actor);
  }

  /** Under the trace of the request that decided it. */
  #release(actor: ExecutionActor, output: Output): void {
    if (isTracing()) inTrace(traceOf(output), () => this.release(actor, output));
    else this.release(actor, output);
  }
}
