// Calls to a cluster of which some primaries may be away: each has its own outcome, and none is
// waited for longer than a moment: a primary that has lost its power answers nothing at all.
import { late, systemClock, within } from '../std/clock.js';
import { StoreError } from '../store/execution-store.js';

export type Outcome = { readonly reply: unknown } | { readonly error: unknown };

/** A primary that needs longer counts as away, ms; a lease has time for several such waits. */
export const answersWithinMs = 300;

/** The outcomes in order; never rejects. */
export async function reached(calls: readonly Promise<unknown>[]): Promise<Outcome[]> {
  return await Promise.all(calls.map(outcomeOf));
}

async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    const reply = await within(systemClock, call, answersWithinMs);
    if (reply !== late) return { reply };
    throw new StoreError('unclear', `Redis has not answered within ${answersWithinMs} ms`);
  } catch (error) {
    return { error };
  }
}

/** Rejects with the first failure when nothing at all was reached. */
export function requireAny(outcomes: readonly Outcome[]): void {
  const [first] = outcomes;
  if (first === undefined || outcomes.some((outcome) => 'reply' in outcome)) return;
  throw (first as { error: unknown }).error;
}
