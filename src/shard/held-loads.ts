// Loads of the executions of this node's shards (open tasks, bytes), by caller and by definition,
// for the quotas on both (docs/access.md section "Shares and quotas"). Kept in memory only: each
// commit that lands moves the sums by what it changed, and `RecountLoads` counts them anew from the
// records, so that they cannot drift for long. Between two counts they may be off by what happened
// to executions that were loaded while a count went over them, by expiry, and by shards that came.
import { smallBytes, type ExecutionLoad, type HeldLoad } from '../store/held-store.js';
import type { ExecutionActor } from './execution-actor.js';

export type HeldBy = 'caller' | 'definition';

/** Sums by name, of callers and of definitions. */
export type HeldSums = Readonly<Record<HeldBy, ReadonlyMap<string, HeldLoad>>>;

/** Names of each kind that are counted; a further one is left out until there is room. */
const namesMax = 100_000;

const nothing: HeldLoad = { openTasks: 0, bytes: 0 };

/** The load of an execution in memory, and its last count. */
interface Counted {
  load: HeldLoad;
  /** The count under way that has it, by its number; 0: none has. */
  count: number;
}

/** The open tasks and bytes that an execution in memory holds now. */
export function loadOf({ open }: ExecutionActor): HeldLoad {
  const { execution, openTasks, weight } = open;
  return {
    openTasks: openTasks.size,
    bytes: Math.max(smallBytes, weight.chars + execution.input.size),
  };
}

class Sums {
  readonly caller = new Map<string, HeldLoad>();
  readonly definition = new Map<string, HeldLoad>();

  add(caller: string, definition: string, { openTasks, bytes }: HeldLoad): void {
    if (openTasks === 0 && bytes === 0) return;
    // Nobody has a name without authentication.
    if (caller !== '') move(this.caller, caller, openTasks, bytes);
    move(this.definition, definition, openTasks, bytes);
  }

  scale(share: number): void {
    for (const sums of [this.caller, this.definition]) {
      for (const [name, { openTasks, bytes }] of sums) {
        sums.set(name, {
          openTasks: Math.ceil(openTasks * share),
          bytes: Math.ceil(bytes * share),
        });
      }
    }
  }
}

function move(sums: Map<string, HeldLoad>, name: string, openTasks: number, bytes: number): void {
  const before = sums.get(name);
  if (before === undefined && sums.size >= namesMax) return;
  const after = {
    openTasks: Math.max(0, (before?.openTasks ?? 0) + openTasks),
    bytes: Math.max(0, (before?.bytes ?? 0) + bytes),
  };
  if (after.openTasks === 0 && after.bytes === 0) sums.delete(name);
  else sums.set(name, after);
}

export class HeldLoads {
  readonly #counted = new WeakMap<ExecutionActor, Counted>();
  #sums = new Sums();
  /** Of the count under way. */
  #next: Sums | undefined;
  #countNumber = 0;

  get sums(): HeldSums {
    return this.#sums;
  }

  /** An execution came into memory as it is stored. */
  loaded(actor: ExecutionActor): void {
    this.#counted.set(actor, { load: loadOf(actor), count: 0 });
  }

  /** A commit of the execution is stored; `isFirst`: the store had nothing of it before. */
  landed(actor: ExecutionActor, isFirst: boolean): void {
    const known = this.#knownOf(actor, isFirst);
    const { load } = known;
    known.load = loadOf(actor);
    const openTasks = known.load.openTasks - load.openTasks;
    const bytes = known.load.bytes - load.bytes;
    this.#move(actor, { openTasks, bytes }, known.count);
  }

  /** The execution is taken out of the store. */
  removed(actor: ExecutionActor): void {
    const known = this.#counted.get(actor);
    if (known === undefined) return;
    this.#counted.delete(actor);
    const { openTasks, bytes } = known.load;
    this.#move(actor, { openTasks: -openTasks, bytes: -bytes }, known.count);
  }

  /** Other nodes have taken shards: ids are spread evenly, so this part of the sums stays. */
  keep(share: number): void {
    this.#sums.scale(share);
  }

  // ---- a count from the records ----

  /** Begins a count; one that is under way is given up. */
  begin(): void {
    this.#countNumber += 1;
    this.#next = new Sums();
  }

  /** An execution in memory is met; false when nothing is known of it here. */
  meet(actor: ExecutionActor): boolean {
    const known = this.#counted.get(actor);
    if (known === undefined) return false;
    if (known.count === this.#countNumber) return true;
    known.count = this.#countNumber;
    const { caller, definition } = actor.share;
    this.#next?.add(caller, definition, known.load);
    return true;
  }

  /** One that is read from the store. */
  add(load: ExecutionLoad): void {
    this.#next?.add(load.caller, load.definition, load);
  }

  /** Every execution has been met: the count takes the place of the sums. */
  end(): void {
    this.#sums = this.#next ?? this.#sums;
    this.#next = undefined;
  }

  #knownOf(actor: ExecutionActor, isFirst: boolean): Counted {
    const known = this.#counted.get(actor);
    if (known !== undefined) return known;
    // Those that start during a count belong to it from the start (`RecountLoads` leaves them out).
    const count = isFirst && this.#next !== undefined ? this.#countNumber : 0;
    const created = { load: isFirst ? nothing : loadOf(actor), count };
    this.#counted.set(actor, created);
    return created;
  }

  #move(actor: ExecutionActor, change: HeldLoad, count: number): void {
    const { caller, definition } = actor.share;
    this.#sums.add(caller, definition, change);
    if (count === this.#countNumber) this.#next?.add(caller, definition, change);
  }
}
