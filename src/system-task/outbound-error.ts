// Why a request got no answer: the library's many errors in the few kinds that callers tell apart,
// with messages that are fit to be shown.
import { RefusedAddressError } from './outbound-access.js';
import { OutboundError } from './outbound-failure.js';

export { OutboundError };

/** undici reports a connection that ended before the answer under this code. */
export function isSocketEnd(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'UND_ERR_SOCKET';
}

/** Any error of a request as one of these. */
export function toOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  if (error instanceof RefusedAddressError) {
    return new OutboundError('refused', error.message, { cause: error });
  }
  if (error instanceof AggregateError && error.errors.length > 0) {
    return toOutboundError(error.errors[0]);
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const text = connectTexts[code];
  if (text !== undefined) return new OutboundError('connect', text(error), { cause: error });
  // Errors of sockets name the address that the host has here.
  const isOfAddress = error instanceof Error && 'address' in error;
  if (isOfAddress) return new OutboundError('connect', `No connection (${code})`, { cause: error });
  const message = error instanceof Error && error.message !== '' ? error.message : 'unknown error';
  return new OutboundError('broken', message, { cause: error });
}

const hostOf = (error: unknown): string =>
  error instanceof Error && 'hostname' in error ? String(error.hostname) : 'the host';

const connectTexts: { readonly [code: string]: (error: unknown) => string } = {
  ENOTFOUND: (error) => `${hostOf(error)}: unknown host`,
  EAI_AGAIN: (error) => `${hostOf(error)}: the name could not be resolved`,
  ECONNREFUSED: () => 'Connection refused',
  EHOSTUNREACH: () => 'No route to the host',
  ENETUNREACH: () => 'The network is unreachable',
  ETIMEDOUT: () => 'Connect timed out',
  UND_ERR_CONNECT_TIMEOUT: () => 'Connect timed out',
};
