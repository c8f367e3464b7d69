// Which message of a partition may be committed while messages are handled at the same time: the
// last one before the first that is not done. A commit says that everything up to it is done.

interface Entry<T> {
  readonly message: T;
  isDone: boolean;
}

export class OffsetTracker<T> {
  readonly #partitions = new Map<string, Entry<T>[]>();

  /** In the order of offsets. Call what it returns when the message is done. */
  add(partition: string, message: T): () => T | undefined {
    const entries = this.#partitions.get(partition) ?? [];
    this.#partitions.set(partition, entries);
    const entry = { message, isDone: false };
    entries.push(entry);
    return () => {
      entry.isDone = true;
      return takeDone(entries);
    };
  }
}

/** The last of the done messages at the beginning, which leave; undefined when there is none. */
function takeDone<T>(entries: Entry<T>[]): T | undefined {
  const open = entries.findIndex(({ isDone }) => !isDone);
  const done = entries.splice(0, open < 0 ? entries.length : open);
  return done.at(-1)?.message;
}
