// A failure that ends a task without a retry.

/** The task fails for good: another attempt would fail in the same way. The message is shown. */
export class FinalFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FinalFailure';
  }
}
