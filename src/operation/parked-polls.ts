// How many long polls of one caller may wait at a node. Each takes a connection and memory, and
// connections are for all (connectionsMax). Callers without a name, as without authentication, are
// bounded by parkedPollsMax alone.
import { AppError } from '../model/errors.js';
import { plainId } from '../model/subject.js';

export class ParkedPolls {
  readonly #byCaller = new Map<string, number>();

  constructor(
    private readonly perCallerMax: number,
    /** A poll was refused. */
    private readonly count: () => void,
  ) {}

  /** Carries a poll out and counts it until it is answered. Throws AppError 'too-many'. */
  during<T>(caller: string, poll: () => Promise<T>): Promise<T> {
    if (caller === '') return poll();
    const parked = this.#byCaller.get(caller) ?? 0;
    if (parked >= this.perCallerMax) {
      this.count();
      const reason = `${this.perCallerMax} long polls of ${plainId(caller)} wait at this node already (callerParkedPollsMax)`;
      return Promise.reject(new AppError('too-many', reason, { retryAfterSeconds: 1 }));
    }
    const polled = poll();
    this.#byCaller.set(caller, parked + 1);
    return this.#counted(caller, polled);
  }

  /** Apart from `during`, so that what waits keeps nothing of the poll. */
  #counted<T>(caller: string, polled: Promise<T>): Promise<T> {
    return polled.then(
      (answer) => {
        this.#leave(caller);
        return answer;
      },
      (error: unknown) => {
        this.#leave(caller);
        throw error;
      },
    );
  }

  #leave(caller: string): void {
    const left = (this.#byCaller.get(caller) ?? 1) - 1;
    if (left > 0) this.#byCaller.set(caller, left);
    else this.#byCaller.delete(caller);
  }
}
