// The parameter `window` of the operations that sum up: a length of time until now.
import { AppError } from '../model/errors.js';
import { parseWindowMs } from '../model/time-window.js';
import { query, type Endpoint } from './endpoint.js';
import * as schema from '../model/schema.js';
import type { RouteRequest } from './route.js';

export const inWindow: Endpoint['parameters'] = {
  window: query(
    schema.text('Length of time until now, such as `30m`, `1h`, `7d`', { default: '1d' }),
  ),
};

/** Milliseconds. Throws AppError 'bad-request'. */
export function windowOf(request: RouteRequest): number {
  const text = request.query('window') || '1d';
  const ms = parseWindowMs(text);
  if (ms !== undefined) return ms;
  throw new AppError(
    'bad-request',
    `Parameter 'window' is not a length of time up to 366d, such as 30m, 1h or 7d: '${text.slice(0, 20)}'`,
  );
}
