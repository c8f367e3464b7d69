// Keys of files whose execution does not exist yet; all in one slot. Each names type, owner and
// life.
import { encodeName, namespace } from '../../redis/key-names.js';

export class EarlyFileKeys {
  constructor(
    /** Separates deployments that share a Redis. */
    readonly prefix: string,
  ) {}

  /** Hash: file id to the record of the file; entries go with their end or their execution. */
  files(): string {
    return `${this.prefix}:{ef}:${namespace}:files`;
  }

  /** Set: ids of the files that somebody has made. */
  filesOf(madeBy: string): string {
    return `${this.prefix}:{ef}:${namespace}:by:${encodeName(madeBy)}`;
  }

  /** Sorted set: file ids by the moment of their end. */
  ends(): string {
    return `${this.prefix}:{ef}:${namespace}:ends`;
  }
}
