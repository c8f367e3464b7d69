// The keys of bulk jobs; all in one slot. Each names type, owner and life.
import { encodeName, namespace } from '../../redis/key-names.js';

export class BulkJobKeys {
  constructor(
    /** Separates deployments that share a Redis. */
    readonly prefix: string,
  ) {}

  /** List: ids of the executions of a bulk job, in its order; expires with the job. */
  ids(jobId: string): string {
    return `${this.prefix}:{bulk}:${namespace}:ids:${encodeName(jobId)}`;
  }

  /** Hash: position in that list to why it was refused, bounded; expires with the job. */
  refusals(jobId: string): string {
    return `${this.prefix}:{bulk}:${namespace}:refused:${encodeName(jobId)}`;
  }
}
