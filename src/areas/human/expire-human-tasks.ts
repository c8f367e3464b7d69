// Human tasks that ended leave their index after the retention of executions.
import type { Clock } from '../../std/clock.js';
import type { Job } from '../../std/job.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';

export function humanTaskExpiry(parts: {
  readonly store: HumanTaskStore;
  readonly clock: Clock;
  readonly lifeMs: number;
}): Job {
  const { store, clock, lifeMs } = parts;
  return {
    name: 'HumanTaskExpiry',
    everyMs: 60_000,
    runsOn: 'node',
    runOnce: async (stopping) => {
      while (!stopping.aborted && (await store.expire(clock.now() - lifeMs)));
    },
  };
}
