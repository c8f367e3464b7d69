// Claims an attempt at its owner within a bound (invariants M7): what the owner does not answer in
// time is left to its provisional lease.
import type { Clock } from '../std/clock.js';
import type { Attempt } from '../store/queue-store.js';
import type { AttemptOwner, Claimed } from './attempt-owner.js';

export interface TimedClaimParts {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly owner: Pick<AttemptOwner, 'claim'>;
  readonly failed: (error: unknown) => void;
}

/** undefined: the attempt is no longer wanted. */
export function claimInTime(
  { clock, timeoutMs, owner, failed }: TimedClaimParts,
  attempt: Attempt,
  workerId: string | undefined,
): Promise<Claimed | undefined | 'no-answer'> {
  return new Promise((resolve) => {
    const timer = clock.after(timeoutMs, () => resolve('no-answer'));
    owner.claim(attempt, workerId).then(
      (claimed) => {
        timer.cancel();
        resolve(claimed);
      },
      (error: unknown) => {
        timer.cancel();
        failed(error);
        resolve('no-answer');
      },
    );
  });
}
