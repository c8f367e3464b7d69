// Which executions are in memory (architecture section 4, "live actors are bounded"). The least
// recently used at rest leave when the bound is passed: the store has everything, and the queues
// remember who works on what.
//
// A use costs a mark, not a move in the list: an actor that is to be evicted and has been used
// since it was last checked goes to the end of the list instead.
import type { ExecutionId } from '../std/ids.js';
import type { ExecutionActor } from './execution-actor.js';
import type { Watchers } from './watchers.js';

/** Entries looked at when one has to leave; a crowd of busy ones costs little. */
const checkedPerShrinkMax = 64;

interface Entry {
  readonly actor: ExecutionActor;
  bytes: number;
  wasUsed: boolean;
}

export class ActorCache {
  readonly #entries = new Map<ExecutionId, Entry>();
  /** Being brought to where their last owner left them; nobody else may use them yet. */
  readonly #recovering = new Set<ExecutionActor>();
  /** Being removed from the store: may not be loaded until that has settled. */
  readonly #removing = new Map<ExecutionId, Promise<void>>();
  #bytes = 0;

  constructor(
    private readonly bytesMax: number,
    private readonly watchers: Pick<Watchers, 'has'>,
  ) {}

  get count(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The actor if it is in memory; counts as use. */
  live(id: ExecutionId): ExecutionActor | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    entry.wasUsed = true;
    return entry.actor;
  }

  /** The actor if it is in memory; does not count as use. */
  peek(id: ExecutionId): ExecutionActor | undefined {
    return this.#entries.get(id)?.actor;
  }

  add(actor: ExecutionActor, bytes = 0): void {
    this.remove(actor);
    this.#entries.set(actor.id, { actor, bytes, wasUsed: false });
    this.#bytes += bytes;
    if (this.#bytes > this.bytesMax) this.#shrink(actor);
  }

  /**
   * The actor that may be given a command. `actor` may have left memory since its caller got it,
   * because its execution has ended. If the execution has been loaded again meanwhile, that actor
   * is the one: two of them would write against each other.
   */
  rejoin(actor: ExecutionActor, bytes = 0): ExecutionActor {
    const live = this.live(actor.id);
    if (live === undefined && !actor.isDropped) this.add(actor, bytes);
    return live ?? actor;
  }

  /** The actor has grown (or shrunk) to `bytes`. */
  resize(actor: ExecutionActor, bytes: number): void {
    const entry = this.#entries.get(actor.id);
    if (entry?.actor !== actor) return;
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
    if (this.#bytes > this.bytesMax) this.#shrink();
  }

  remove(actor: ExecutionActor): void {
    const entry = this.#entries.get(actor.id);
    if (entry?.actor !== actor) return;
    this.#entries.delete(actor.id);
    this.#bytes -= entry.bytes;
  }

  recovering(actor: ExecutionActor, isUnderWay: boolean): void {
    if (isUnderWay) this.#recovering.add(actor);
    else this.#recovering.delete(actor);
  }

  /** Nobody may load the execution until `removal` has settled; it must not reject. */
  block(id: ExecutionId, removal: Promise<void>): void {
    this.#removing.set(id, removal);
    void removal.then(() => this.#removing.delete(id));
  }

  blocked(id: ExecutionId): Promise<void> | undefined {
    return this.#removing.get(id);
  }

  /** Those in memory; for test servers. */
  *all(): Generator<ExecutionActor> {
    for (const { actor } of this.#entries.values()) yield actor;
  }

  /** Executions of these shards with something under way or unconfirmed. */
  unsettled(shards: ReadonlySet<number>): ExecutionActor[] {
    const found: ExecutionActor[] = [];
    for (const { actor } of this.#entries.values()) {
      if (shards.has(actor.shard) && actor.isUnsettled) found.push(actor);
    }
    return found;
  }

  /** Takes the executions of some shards out of memory, those being recovered too. */
  takeOut(shards: ReadonlySet<number>): ExecutionActor[] {
    const actors: ExecutionActor[] = [];
    for (const { actor } of this.#entries.values()) if (shards.has(actor.shard)) actors.push(actor);
    for (const actor of actors) this.remove(actor);
    for (const actor of this.#recovering) if (shards.has(actor.shard)) actors.push(actor);
    return actors;
  }

  /** `added` stays also when memory is full: the caller that loaded it is about to use it. */
  #shrink(added?: ExecutionActor): void {
    let checked = 0;
    for (const [id, entry] of this.#entries) {
      if (this.#bytes <= this.bytesMax || checked >= checkedPerShrinkMax) return;
      checked += 1;
      const isWanted = entry.wasUsed || entry.actor === added || this.watchers.has(id);
      if (!isWanted && entry.actor.isAtRest) {
        this.remove(entry.actor);
        continue;
      }
      // Busy ones in front would keep all others in memory.
      entry.wasUsed = false;
      this.#entries.delete(id);
      this.#entries.set(id, entry);
    }
  }
}
