// Chooses the HTTP library: uWebSockets.js where its native binary is a known one and loads, else
// node:http with a warning. Nothing but the two implementations knows which one it is.
import type { ApiHandler, HttpServer, HttpServerSettings } from './http-server.js';
import { AppError } from '../model/errors.js';
import { requireKnownBinary, whyNotLoaded } from './listener-binary.js';
import { createNodeServer } from './node-server.js';

/** Setting `http.server`. */
export type HttpLibrary = 'auto' | 'uws' | 'node';

/**
 * Creates the server (not listening yet). `auto` falls back to node:http and tells `warn` why;
 * `uws` rejects where the binary is not a known one or does not load.
 */
export async function createHttpServer(
  library: HttpLibrary,
  settings: HttpServerSettings,
  handler: ApiHandler,
  warn: (message: string) => void,
): Promise<HttpServer> {
  if (library === 'node') return sharable(settings, handler);
  // Read by the library when it loads; its own default is 4096.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(settings.headerBytesMax);
  try {
    requireKnownBinary();
    const { createUwsServer } = await import('./uws-server.js');
    return createUwsServer(settings, handler);
  } catch (cause) {
    const why = whyNotLoaded(cause);
    if (library === 'uws') {
      throw new AppError(
        'unavailable',
        `uWebSockets.js cannot be used on this machine: ${why}. Set --http-server to auto or node.`,
      );
    }
    warn(`serving with node:http, which is slower: uWebSockets.js cannot be used here (${why})`);
    return sharable(settings, handler);
  }
}

/** Whether node:http of this version can share a port with other processes (`reusePort`). */
export function nodeSharesPorts(version = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
}

function sharable(settings: HttpServerSettings, handler: ApiHandler): HttpServer {
  if (settings.sharesPort && !nodeSharesPorts()) {
    throw new AppError(
      'unavailable',
      'Several processes on one port need uWebSockets.js here, or Node 22.12 or newer: set --processes to 1.',
    );
  }
  return createNodeServer(settings, handler);
}
