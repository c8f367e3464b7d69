// Refusals that several operations share, with the texts clients know (recorded answers;
// contract-core 10, 14, 15).
import { AppError } from '../model/errors.js';
import { validationFailed } from '../model/validation.js';
import { StoreError } from '../store/execution-store.js';

/** One violated rule of a whole request (contract-core 2.2). */
export function violated(path: string, message: string, invalidValue?: string): AppError {
  return validationFailed([
    invalidValue === undefined ? { path, message } : { path, message, invalidValue },
  ]);
}

/** Whether the same attempt may work later: the store is away, or too much waits for it. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreError || (error instanceof AppError && error.isTransient);
}

/**
 * The refusal that an attempt ends with. Throws on any other error, and on one that a repetition
 * may not meet.
 */
export function lastingRefusal(error: unknown): AppError {
  if (error instanceof AppError && !isTransient(error)) return error;
  throw error;
}
