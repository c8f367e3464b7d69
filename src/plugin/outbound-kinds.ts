// Tells why a request of the outbound client got no answer (system-task/outbound-error.ts).

/** A request that got no answer. */
export interface OutboundFailure extends Error {
  readonly kind: 'refused' | 'connect' | 'timeout' | 'too-large' | 'broken' | 'cancelled';
}

export function isOutboundError(error: unknown): error is OutboundFailure {
  return error instanceof Error && error.name === 'OutboundError';
}
