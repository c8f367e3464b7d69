// Where a client reaches this server: what URLs in answers begin with.
import { header } from '../../api/endpoint.js';
import { text } from '../../model/schema.js';
import type { RouteRequest } from '../../api/route.js';
import type { Ports } from '../ports.js';

/** For entries whose answers hold URLs of this server. */
export const hostHeader = { Host: header(text('Where the client reaches the server')) };

export type AddressSettings = Ports['address'];

/** Without a slash at its end. */
export function serverAddress(settings: AddressSettings, request: RouteRequest): string {
  const { publicUrl, isTls } = settings;
  if (publicUrl !== '') return publicUrl.replace(/\/+$/, '');
  const address = `${isTls ? 'https' : 'http'}://${request.header('host') ?? ''}`;
  return URL.canParse(address) ? new URL(address).origin : 'http://localhost';
}
