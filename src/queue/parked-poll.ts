// One long poll that waits. It is answered as soon as what was matched to it in one commit is
// through the gate, so that tasks which become ready together travel together and none waits for a
// later commit.
import type { Clock, TimerHandle } from '../std/clock.js';
import type { DirectTicket } from './attempt-owner.js';
import type { TaskText, PollRequest } from './task-queues.js';

interface Delivery {
  text: TaskText;
  giveBack: () => void;
}

export class ParkedPoll {
  readonly workerId: string | undefined;
  #remaining: number;
  #outstanding = 0;
  #batch = -1;
  #collected: Delivery[] = [];
  #state: 'waiting' | 'expired' | 'answered' | 'gone' = 'waiting';
  readonly #timer: TimerHandle;
  readonly #answer: (tasks: TaskText[]) => void;
  readonly #leave: (poll: ParkedPoll) => void;
  readonly #waitAgain: (poll: ParkedPoll) => void;

  constructor(options: {
    request: PollRequest;
    clock: Clock;
    answer: (tasks: TaskText[]) => void;
    /**
     * Called when the poll takes no more: all that it asked for is on its way to it, or it has
     * ended.
     */
    leave: (poll: ParkedPoll) => void;
    /** Called when something of that did not come after all. */
    waitAgain: (poll: ParkedPoll) => void;
  }) {
    this.workerId = options.request.workerId;
    this.#remaining = options.request.count;
    this.#answer = options.answer;
    this.#leave = options.leave;
    this.#waitAgain = options.waitAgain;
    this.#timer = options.clock.after(options.request.timeoutMs, () => this.expire());
    options.request.onAbort(() => this.#abort());
  }

  /**
   * How many tasks it would still take in the commit batch of this number; a poll takes from one
   * batch only.
   */
  wants(batch: number): number {
    if (this.#state !== 'waiting') return 0;
    return this.#batch === -1 || this.#batch === batch ? this.#remaining : 0;
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  /** Reserves room for one task; every ticket must be delivered or failed. */
  ticket(batch: number): DirectTicket {
    this.#batch = batch;
    this.#remaining -= 1;
    this.#outstanding += 1;
    if (this.#remaining === 0) this.#leave(this);
    return {
      workerId: this.workerId,
      deliver: (text, giveBack) => {
        this.#outstanding -= 1;
        if (this.#state === 'gone') return giveBack();
        this.#collected.push({ text, giveBack });
        this.#settle();
      },
      fail: () => {
        this.#outstanding -= 1;
        this.#remaining += 1;
        this.#settle();
        if (this.#remaining === 1 && this.#state === 'waiting') this.#waitAgain(this);
      },
    };
  }

  #settle(): void {
    if (this.#outstanding > 0 || this.#state === 'gone') return;
    if (this.#collected.length > 0 || this.#state === 'expired') return this.#finish();
    this.#batch = -1;
  }

  /** Its time is over: it takes nothing new and is answered with what is on its way to it. */
  expire(): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'expired';
    if (this.#outstanding === 0) this.#finish();
  }

  #finish(): void {
    if (this.#state === 'answered') return;
    this.#state = 'answered';
    this.#timer.cancel();
    this.#leave(this);
    this.#answer(this.#collected.map((delivery) => delivery.text));
  }

  #abort(): void {
    if (this.#state === 'answered') {
      // The answer was on its way: what it carried goes back at once instead of waiting for its
      // lease to end.
      for (const delivery of this.#collected) delivery.giveBack();
      return;
    }
    this.#state = 'gone';
    this.#timer.cancel();
    this.#leave(this);
    for (const delivery of this.#collected) delivery.giveBack();
    this.#answer([]);
  }
}
