// Which executions are in memory (architecture section 4, "live actors are bounded"). Activation
// loads one from the store, once however many ask; the least recently used at rest leave when the
// bound is passed. An execution at rest can leave at any time: the store has everything, and the
// queues remember who works on what.
import type { ExecutionId } from '../std/ids.js';
import { Limiter } from '../std/limiter.js';
import type { ExecutionActor } from './execution-actor.js';

const loadsAtOnceMax = 256;

export class Residency {
  /** Least recently used first. */
  readonly #actors = new Map<ExecutionId, ExecutionActor>();
  readonly #loading = new Map<ExecutionId, Promise<ExecutionActor | undefined>>();
  readonly #limiter = new Limiter(loadsAtOnceMax);
  #bytes = 0;

  constructor(
    private readonly bytesMax: number,
    private readonly load: (id: ExecutionId) => Promise<ExecutionActor | undefined>,
    /** False while something outside the actor needs it in memory. */
    private readonly mayLeave: (actor: ExecutionActor) => boolean,
  ) {}

  get count(): number {
    return this.#actors.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The actor if it is in memory; counts as use. */
  live(id: ExecutionId): ExecutionActor | undefined {
    const actor = this.#actors.get(id);
    if (actor !== undefined) {
      this.#actors.delete(id);
      this.#actors.set(id, actor);
    }
    return actor;
  }

  /** The actor if it is in memory; does not count as use. */
  peek(id: ExecutionId): ExecutionActor | undefined {
    return this.#actors.get(id);
  }

  /** The actor, loaded if need be; undefined when the store knows no such running execution. */
  async get(id: ExecutionId): Promise<ExecutionActor | undefined> {
    const live = this.live(id);
    if (live !== undefined) return live;
    let loading = this.#loading.get(id);
    if (loading === undefined) {
      const mine = this.#limiter
        .run(() => this.load(id))
        .finally(() => {
          if (this.#loading.get(id) === mine) this.#loading.delete(id);
        });
      loading = mine;
      this.#loading.set(id, loading);
    }
    return loading;
  }

  add(actor: ExecutionActor): void {
    this.#actors.set(actor.id, actor);
    this.#bytes += actor.bytes;
    if (this.#bytes > this.bytesMax) this.#shrink();
  }

  /**
   * The actor that may be given a command. One that has ended leaves memory with the last command;
   * who waited for it to be loaded together with that caller still holds it, and others may have
   * loaded the execution anew: two would write against each other.
   */
  rejoined(actor: ExecutionActor): ExecutionActor {
    const live = this.live(actor.id);
    if (live === undefined && !actor.dropped) this.add(actor);
    return live ?? actor;
  }

  /** The actor has grown (or shrunk) to `bytes`. */
  resize(actor: ExecutionActor, bytes: number): void {
    if (this.#actors.get(actor.id) !== actor) {
      actor.bytes = bytes;
      return;
    }
    this.#bytes += bytes - actor.bytes;
    actor.bytes = bytes;
    if (this.#bytes > this.bytesMax) this.#shrink();
  }

  remove(actor: ExecutionActor): void {
    if (this.#actors.get(actor.id) !== actor) return;
    this.#actors.delete(actor.id);
    this.#bytes -= actor.bytes;
  }

  all(): IterableIterator<ExecutionActor> {
    return this.#actors.values();
  }

  /**
   * Empties the memory. Loads that are under way end with their callers; who asks from now on
   * starts a new one.
   */
  clear(): ExecutionActor[] {
    const actors = [...this.#actors.values()];
    this.#actors.clear();
    this.#loading.clear();
    this.#bytes = 0;
    return actors;
  }

  /**
   * Lets the least recently used at rest go; looks at a bounded number, so a crowd of busy ones
   * costs little.
   */
  #shrink(): void {
    let looked = 0;
    for (const actor of this.#actors.values()) {
      if (this.#bytes <= this.bytesMax || looked >= 64) return;
      looked += 1;
      if (actor.atRest && this.mayLeave(actor)) {
        this.remove(actor);
        continue;
      }
      // In use, so it is a recently used one: else a few dozen busy ones in front would keep all
      // others in memory.
      this.#actors.delete(actor.id);
      this.#actors.set(actor.id, actor);
    }
  }
}
