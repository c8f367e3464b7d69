// Callers who wait for something to be handed out to them, such as long polls. Whatever changes
// rights (a key, a person, a group, a role, a grant, a tag, an ended session) has each of them
// checked again; one who may no longer have it stops waiting at once and is refused. So nothing is
// handed out by a right that has ended, as soon as this node knows of its end (docs/access.md).
import type { Caller } from '../model/caller.js';
import type { Clock, TimerHandle } from '../std/clock.js';

export interface Waiting {
  readonly caller: Caller;
  /** Throws AppError 'forbidden' when this caller, as it is now, may not wait for it any more. */
  readonly requireRight: (caller: Caller) => void;
  /** Called once, with why it may not. */
  readonly end: (refusal: unknown) => void;
}

export class WaitingCallers {
  readonly #waiting = new Set<Waiting>();
  #timer: TimerHandle | undefined;

  constructor(
    private readonly clock: Clock,
    /** The caller of the same token as it is now. Throws AppError 'unauthenticated'. */
    readonly renewed: (caller: Caller) => Caller,
  ) {}

  add(waiting: Waiting): void {
    this.#waiting.add(waiting);
  }

  remove(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  /** Something has changed that rights depend on; changes of one turn are checked together. */
  changed(): void {
    if (this.#waiting.size === 0) return;
    this.#timer ??= this.clock.after(0, () => {
      this.#timer = undefined;
      for (const waiting of [...this.#waiting]) this.#check(waiting);
    });
  }

  #check(waiting: Waiting): void {
    try {
      waiting.requireRight(this.renewed(waiting.caller));
    } catch (refusal) {
      this.#waiting.delete(waiting);
      waiting.end(refusal);
    }
  }
}
