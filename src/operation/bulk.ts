// One operation on up to 1000 executions (contract-core 11). Each id is handled by itself: a
// refusal of one does not affect the others.
import { Limiter } from '../std/limiter.js';
import { AppError } from '../model/errors.js';
import type { Json } from '../model/json.js';
import { parseTexts } from '../model/record-reader.js';
import { StoreError } from '../store/execution-store.js';
import { violated } from './refusals.js';

export interface BulkOutcome<T> {
  /** In the order of the request. */
  readonly succeeded: readonly { id: string; value: T }[];
  readonly failed: ReadonlyMap<string, string>;
}

/** Contract-core 11. */
export const bulkIdsMax = 1000;
const atOnceMax = 32;

/**
 * Reads the list of ids. `path` names the operation in violations, as in "pauseWorkflow.arg0".
 * Throws AppError 'validation' or 'bad-request'.
 */
export function parseBulkIds(body: Json, path: string): string[] {
  if (body === null || (Array.isArray(body) && body.length === 0)) {
    throw violated(path, 'WorkflowIds list cannot be null.');
  }
  const ids = parseTexts(body, '');
  if (ids.length > bulkIdsMax) {
    throw violated(
      path,
      `Cannot process more than ${bulkIdsMax} workflows. Please use multiple requests.`,
    );
  }
  return ids;
}

/**
 * Carries out `operation` for every id. Throws only what is neither a refusal nor a failure of the
 * store.
 */
export async function runBulk<T>(
  ids: readonly string[],
  operation: (id: string) => Promise<T>,
): Promise<BulkOutcome<T>> {
  const limiter = new Limiter(atOnceMax);
  const outcomes = await Promise.allSettled(ids.map((id) => limiter.run(() => operation(id))));
  const succeeded: { id: string; value: T }[] = [];
  const failed = new Map<string, string>();
  for (const [i, outcome] of outcomes.entries()) {
    const id = ids[i] as string;
    if (outcome.status === 'fulfilled') succeeded.push({ id, value: outcome.value });
    else failed.set(id, messageOf(outcome.reason));
  }
  return { succeeded, failed };
}

function messageOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  if (error instanceof StoreError) {
    return error.outcome === 'unclear'
      ? 'The store did not confirm the change: it may or may not have happened'
      : 'The store is not available, nothing was changed';
  }
  throw error;
}
