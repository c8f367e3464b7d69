// Ends polls whose time is over. Polls that wait equally long end in the order in which they came,
// so one timer serves all of them: with a timer each, thousands of parked polls are thousands of
// objects more that the garbage collector copies (docs/performance.md).
import type { Clock } from '../std/clock.js';

/** Something that waits until a moment of the clock that never steps. */
export interface Ending {
  readonly endAt: number;
  readonly lengthMs: number;
  expire(): void;
}

export class PollEnds {
  readonly #lines = new Map<number, Line>();

  constructor(private readonly clock: Clock) {}

  /** When a poll that comes now ends. */
  endAt(lengthMs: number): number {
    return this.clock.monotonic() + lengthMs;
  }

  add(poll: Ending): void {
    let line = this.#lines.get(poll.lengthMs);
    if (line === undefined) {
      line = { polls: new Set() };
      this.#lines.set(poll.lengthMs, line);
      this.#arm(line, poll.lengthMs);
    }
    line.polls.add(poll);
  }

  /** The line keeps its timer: the next poll of its length needs it again. */
  remove(poll: Ending): void {
    this.#lines.get(poll.lengthMs)?.polls.delete(poll);
  }

  #arm(line: Line, lengthMs: number, delayMs = lengthMs): void {
    this.clock.after(delayMs, () => this.#end(line, lengthMs));
  }

  #end(line: Line, lengthMs: number): void {
    const now = this.clock.monotonic();
    try {
      for (const poll of line.polls) {
        if (poll.endAt > now) break;
        line.polls.delete(poll);
        poll.expire();
      }
    } finally {
      // Also after one that failed: those behind it have no other timer.
      this.#goOn(line, lengthMs, now);
    }
  }

  #goOn(line: Line, lengthMs: number, now: number): void {
    const [next] = line.polls;
    // Timers count whole milliseconds, and may come one too early.
    if (next !== undefined) this.#arm(line, lengthMs, Math.max(1, Math.ceil(next.endAt - now)));
    else this.#lines.delete(lengthMs);
  }
}

interface Line {
  /** Next to end first. */
  readonly polls: Set<Ending>;
}
