// Where a client reaches this server: what URLs in answers begin with.
import { header } from '../endpoint.js';
import { text } from '../form.js';
import type { RouteRequest } from '../route.js';

/** For entries whose answers hold URLs of this server. */
export const hostHeader = { Host: header(text('Where the client reaches the server')) };

export interface AddressSettings {
  /** Setting `publicUrl`; empty: what the request says. */
  readonly publicUrl: string;
  readonly isTls: boolean;
  /** Bytes that content may have which passes through this server. */
  readonly bodyBytesMax: number;
}

/** Without a slash at its end. */
export function serverAddress(settings: AddressSettings, request: RouteRequest): string {
  const { publicUrl, isTls } = settings;
  if (publicUrl !== '') return publicUrl.replace(/\/+$/, '');
  const address = `${isTls ? 'https' : 'http'}://${request.header('host') ?? ''}`;
  return URL.canParse(address) ? new URL(address).origin : 'http://localhost';
}
