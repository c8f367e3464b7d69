// A failure that ends a task without a retry.

/** The task fails for good: another attempt would fail in the same way. The message is shown. */
export class FinalFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FinalFailure';
  }
}

/**
 * Whether an error is such a failure. Told by its name: a plug-in may throw the class of its own
 * copy of the contract.
 */
export function isFinalFailure(error: unknown): error is FinalFailure {
  return error instanceof Error && error.name === 'FinalFailure';
}
