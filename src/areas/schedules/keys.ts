// The keys of schedules; all in one slot. Each names type, owner and life.
import { encodeName, namespace } from '../../redis/key-names.js';

export class ScheduleKeys {
  constructor(
    /** Separates deployments that share a Redis. */
    readonly prefix: string,
  ) {}

  /** String: fence of the newest leadership of the scheduler, a number that grows; stays. */
  fence(): string {
    return `${this.prefix}:{sched}:${namespace}:fence`;
  }

  /** Hash: schedule name to how far it has come; entries go with the schedule. */
  cursors(): string {
    return `${this.prefix}:{sched}:${namespace}:cursors`;
  }

  /** Hash: execution id to the record of a scheduled run; entries expire by retention. */
  runs(): string {
    return `${this.prefix}:{sched}:${namespace}:runs`;
  }

  /** Sorted set: execution ids of all scheduled runs by due time; entries expire by retention. */
  runOrder(): string {
    return `${this.prefix}:{sched}:${namespace}:order`;
  }

  /** Sorted set: execution ids of a schedule's newest runs by due time; expires by retention. */
  runsOf(name: string): string {
    return `${this.prefix}:{sched}:${namespace}:of:${encodeName(name)}`;
  }
}
