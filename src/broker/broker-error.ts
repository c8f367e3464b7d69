// The error of a broker that cannot be used.

/** A broker cannot be used; the message is fit to be shown. */
export class BrokerError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BrokerError';
  }
}

/**
 * Whether an error says so. Told by its name: a plug-in may throw the class of its own copy of the
 * contract.
 */
export function isBrokerError(error: unknown): error is BrokerError {
  return error instanceof Error && error.name === 'BrokerError';
}

/** No integration or queue configuration has the name in the event. */
export class NoBrokerError extends BrokerError {}
