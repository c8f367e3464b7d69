// Errors for callers whose execution is not available here (kinds become statuses in
// api/errors.ts).
import { AppError } from '../model/errors.js';
import type { ExecutionId } from '../std/ids.js';

/** Nothing was done. */
export function unavailable(): AppError {
  return new AppError('unavailable', 'The store is not available, please repeat', {
    retryAfterSeconds: 1,
  });
}

/** The shard is not served by this node any more; nothing was done. */
export function shardMoved(): AppError {
  return new AppError('unavailable', shardMovedText, { retryAfterSeconds: 1 });
}

const shardMovedText = 'not the owner of the shard';

/** Also one that another node has answered. */
export function isShardMoved(error: unknown): boolean {
  return (
    error instanceof AppError && error.kind === 'unavailable' && error.message === shardMovedText
  );
}

/** A commit was refused: another writer was there (invariants M2). */
export function changedElsewhere(): AppError {
  return new AppError(
    'unknown-outcome',
    'The execution was changed elsewhere, repeat the request',
    { retryAfterSeconds: 1 },
  );
}

/** Its state in memory was given up; nothing was done. */
export function beingReloaded(): AppError {
  return new AppError('unavailable', 'The execution is being reloaded, please repeat', {
    retryAfterSeconds: 1,
  });
}

/** The commands that were sent may be stored or not (invariants M3). */
export function unknownOutcome(): AppError {
  return new AppError(
    'unknown-outcome',
    'The store did not confirm in time: the outcome is unknown, repeat the request',
    { retryAfterSeconds: 1 },
  );
}

/**
 * The execution is set aside (invariants M13). 'unavailable', because nothing is lost: who repeats
 * it succeeds once the execution is released, and a 'conflict' would end what waits in outboxes.
 */
export class Quarantined extends AppError {
  constructor(id: ExecutionId) {
    super(
      'unavailable',
      `Execution ${id} is in quarantine, because nodes died when they loaded it: nothing reaches it until ` +
        `an administrator releases it (POST /api/admin/quarantine/${id}/release)`,
      { retryAfterSeconds: 60 },
    );
  }
}
