// The error of a request that got no answer. A part of the contract with plug-ins
// (docs/plugins.md), so it imports nothing of the rest of the server.

/**
 * No answer: refused, not connected, too late, too long, cut off. The message is fit to be shown.
 */
export class OutboundError extends Error {
  constructor(
    readonly kind: 'refused' | 'connect' | 'timeout' | 'too-large' | 'broken' | 'cancelled',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'OutboundError';
  }
}

/**
 * Whether an error is one. Told by its name: a plug-in may throw the class of its own copy of the
 * contract.
 */
export function isOutboundError(error: unknown): error is OutboundError {
  return error instanceof Error && error.name === 'OutboundError';
}
