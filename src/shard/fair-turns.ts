// Work that goes on and on shares the event loop here: loops without end, large forks, crowds of
// starts. It goes in turns, of which a round of the event loop takes a few milliseconds, so that
// requests get in between however much there is. Callers take turns by the time that their work has
// taken, and within a caller its definitions (std/fair-queue.ts). While many commits wait, nothing
// goes on that would add to them. While other callers are active, rounds leave a pause behind them,
// so that the collector of memory, which stops everybody, has less to do as well.
import type { Clock } from '../std/clock.js';
import { FairQueue, type Path } from '../std/fair-queue.js';
import type { WeightOf } from '../std/weights.js';

/** Whose work it is: who started the execution, and the name of its definition. */
export interface WorkShare {
  readonly caller: string;
  readonly definition: string;
}

interface Turn {
  readonly path: Path;
  readonly work: () => void;
}

/** Turns and ms of one round; a round has one turn at least. */
const turnsPerRoundMax = 16;
const msPerRoundMax = 3;
/** The least cost of a turn, ms: its later effects are not measured. */
const leastCostMs = 0.1;

/** A turn that took long for reasons of the machine is not made up for entirely. */
const pauseMsMax = 100;

export interface FairTurnsParts {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Whether so many commits wait that nothing is to be added; `wake` is called when that ends. */
  readonly isCrowded: () => boolean;
  readonly sharing: Sharing;
}

/** How a node is shared between callers. */
export interface Sharing {
  /** Whether another caller than this one is active. */
  othersThan(caller: string): boolean;
  /** Share of the time that such work may take while other callers are active, per cent. */
  readonly longWorkPercentMax: number;
  /** Of callers; absent: all count the same. */
  readonly weightOf?: WeightOf;
}

/** Nobody shares the node. */
export const unshared: Sharing = { othersThan: () => false, longWorkPercentMax: 100 };

export class FairTurns {
  readonly #waiting: FairQueue<Turn>;
  #isScheduled = false;

  constructor(private readonly parts: FairTurnsParts) {
    this.#waiting = new FairQueue(parts.sharing.weightOf);
  }

  /** In a later round. */
  add({ caller, definition }: WorkShare, work: () => void): void {
    const path = [caller, definition];
    this.#waiting.push(path, { path, work });
    this.wake();
  }

  /** Resolves in a later round. */
  next(share: WorkShare): Promise<void> {
    return new Promise((resolve) => this.add(share, resolve));
  }

  /** There may be room again. */
  wake(): void {
    if (this.#isScheduled || this.#waiting.size === 0 || this.parts.isCrowded()) return;
    this.#isScheduled = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    const { clock, sharing } = this.parts;
    const beganAt = clock.monotonic();
    let turnAt = beganAt;
    let isShared = false;
    // Those that come during the round wait for the next one, so that one alone does not fill it.
    const most = Math.min(turnsPerRoundMax, this.#waiting.size);
    for (let turns = 0; turns < most && turnAt - beganAt < msPerRoundMax; turns++) {
      const turn = this.#waiting.take();
      if (turn === undefined) break;
      turn.work();
      const now = clock.monotonic();
      this.#waiting.charge(turn.path, Math.max(leastCostMs, now - turnAt));
      turnAt = now;
      isShared ||= sharing.othersThan(turn.path[0] ?? '');
    }
    const proceed = (): void => {
      this.#isScheduled = false;
      this.wake();
    };
    const pauseMs = (turnAt - beganAt) * (100 / sharing.longWorkPercentMax - 1);
    if (isShared && pauseMs > 0) clock.after(Math.min(pauseMsMax, Math.ceil(pauseMs)), proceed);
    else proceed();
  }
}
