// Runs a few pieces of costly work at a time and lets a bounded number wait. Waiting work stands in
// lanes, one for each caller, and the lanes take turns, so one who asks for much delays himself and
// no one else. Lanes of known ones take every other turn: those are never behind all strangers.

export interface FairLanesLimits {
  /** Work under way. */
  readonly atOnceMax: number;
  /** Work that waits, in all. */
  readonly waitingMax: number;
  /** Work that waits in one lane. */
  readonly waitingOfLaneMax: number;
}

export interface Lane {
  readonly name: string;
  /** Half of the turns, and of the places to wait, are theirs. */
  readonly isKnown: boolean;
}

export class FairLanes {
  readonly #known: Turns = { lanes: new Map(), waiting: 0 };
  readonly #strangers: Turns = { lanes: new Map(), waiting: 0 };
  #running = 0;
  #tookKnown = false;

  constructor(private readonly limits: FairLanesLimits) {}

  get waiting(): number {
    return this.#known.waiting + this.#strangers.waiting;
  }

  /** Whether work of this lane would be taken now. */
  hasRoom(lane: Lane): boolean {
    const { atOnceMax, waitingMax, waitingOfLaneMax } = this.limits;
    if (this.#running < atOnceMax) return true;
    const turns = this.#turnsOf(lane);
    const ofLane = turns.lanes.get(lane.name)?.length ?? 0;
    return turns.waiting < waitingMax / 2 && ofLane < waitingOfLaneMax;
  }

  /** Resolves as the work does; undefined: there was no room, and it is not done. */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
    if (!this.hasRoom(lane)) return undefined;
    if (this.#running < this.limits.atOnceMax) this.#running++;
    else await new Promise<void>((start) => this.#add(lane, start));
    try {
      return { value: await work() };
    } finally {
      const next = this.#next();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  #turnsOf({ isKnown }: Lane): Turns {
    return isKnown ? this.#known : this.#strangers;
  }

  #add(lane: Lane, start: () => void): void {
    const turns = this.#turnsOf(lane);
    const same = turns.lanes.get(lane.name);
    if (same === undefined) turns.lanes.set(lane.name, [start]);
    else same.push(start);
    turns.waiting++;
  }

  #next(): (() => void) | undefined {
    const isTurnOfKnown = this.#strangers.waiting === 0 || !this.#tookKnown;
    const takesKnown = this.#known.waiting > 0 && isTurnOfKnown;
    this.#tookKnown = takesKnown;
    return take(takesKnown ? this.#known : this.#strangers);
  }
}

interface Turns {
  /** By lane, the next turn first. */
  readonly lanes: Map<string, (() => void)[]>;
  waiting: number;
}

/** The next of the lane whose turn it is; the lane goes to the end. */
function take(turns: Turns): (() => void) | undefined {
  for (const [name, same] of turns.lanes) {
    const next = same.shift();
    turns.lanes.delete(name);
    if (same.length > 0) turns.lanes.set(name, same);
    if (next === undefined) continue;
    turns.waiting--;
    return next;
  }
  return undefined;
}
