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
  if (library === 'node') return createNodeServer(settings, handler);
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
    return createNodeServer(settings, handler);
  }
}
