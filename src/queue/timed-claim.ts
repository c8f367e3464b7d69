// Claims an attempt at its owner within a bound (invariants M7): what the owner does not answer in
// time is left to its provisional lease.
import { late, within, type Clock } from '../std/clock.js';
import type { Attempt } from '../store/queue-store.js';
import type { AttemptOwner, Claimed } from './attempt-owner.js';

export interface TimedClaimParts {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly owner: Pick<AttemptOwner, 'claim'>;
  readonly failed: (error: unknown) => void;
}

/** undefined: the attempt is no longer wanted. */
export async function claimInTime(
  { clock, timeoutMs, owner, failed }: TimedClaimParts,
  attempt: Attempt,
  workerId: string | undefined,
): Promise<Claimed | undefined | 'no-answer'> {
  try {
    const claimed = await within(clock, owner.claim(attempt, workerId), timeoutMs);
    return claimed === late ? 'no-answer' : claimed;
  } catch (error) {
    failed(error);
    return 'no-answer';
  }
}
