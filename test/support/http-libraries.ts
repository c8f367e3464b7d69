// The HTTP libraries that tests run on: both, or node:http alone where uWebSockets.js has no binary
// that loads with this Node.js and C library. CI has both.
import { loadBinary, requireKnownBinary, whyNotLoaded } from '../../src/api/listener-binary.js';
import { tell } from './figures.js';

export const isNativeMissing = process.env['CI'] !== 'true' && !isLoaded();

export const httpLibraries = isNativeMissing ? (['node'] as const) : (['uws', 'node'] as const);

function isLoaded(): boolean {
  try {
    requireKnownBinary();
    loadBinary();
    return true;
  } catch (error) {
    tell(`skipped: tests on uWebSockets.js, since it cannot be loaded: ${whyNotLoaded(error)}`);
    return false;
  }
}
