// Executions whose newest commit could not be written (invariants M19): what they decided is
// dropped, and they are loaded again, as they are stored, to be ended with the reason. Whatever is
// sent to them waits for that, so that nothing makes the same value again.
//
// One that cannot even be ended is not loaded any more while this node has its shard. A caller that
// asks for it is refused for good, so that nothing repeats it.
import type { ExecutionId } from '../std/ids.js';
import { AppError } from '../model/errors.js';

/** Refuses for good: repeating changes nothing. */
export class CannotBeWritten extends AppError {
  constructor(text: string) {
    super('conflict', text);
  }
}

interface Entry {
  readonly reason: string;
  /** Ending it failed too. */
  isGivenUp: boolean;
}

export class AbandonedExecutions {
  readonly #entries = new Map<ExecutionId, Entry>();

  /** `load` is called with executions that are to be loaded, in a later turn of the event loop. */
  constructor(private readonly load: (id: ExecutionId) => void) {}

  /** Its actor was dropped because of `why`, a clause; returns what its callers are told. */
  add(id: ExecutionId, why: string): CannotBeWritten {
    const known = this.#entries.get(id);
    if (known !== undefined) {
      known.isGivenUp = true;
      return new CannotBeWritten(`Execution ${id} can neither be written nor ended: ${why}`);
    }
    const reason = `The execution could not be written: ${why}`;
    this.#entries.set(id, { reason, isGivenUp: false });
    setImmediate(() => this.load(id));
    return new CannotBeWritten(`Execution ${id} is ended, because it could not be written: ${why}`);
  }

  /** Why the execution that is being loaded is to be ended. Throws CannotBeWritten. */
  reasonOf(id: ExecutionId): string | undefined {
    const entry = this.#entries.get(id);
    if (entry?.isGivenUp !== true) return entry?.reason;
    throw new CannotBeWritten(`Execution ${id} can neither be written nor ended`);
  }

  /** It has ended. */
  done(id: ExecutionId): void {
    this.#entries.delete(id);
  }

  /** The shards are not this node's any more: the next owner finds out for itself. */
  drop(isGone: (id: ExecutionId) => boolean): void {
    for (const id of this.#entries.keys()) if (isGone(id)) this.#entries.delete(id);
  }
}

/** The refusal of a start whose first commit could not be written. */
export function cannotStart(why: string): AppError {
  return new AppError('bad-request', `The execution cannot be started: ${why}`);
}
