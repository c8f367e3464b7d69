// Reads a body that is a list of definitions.
import type { Json } from '../../model/json.js';
import { validationFailed } from '../../model/validation.js';
import type { RouteRequest } from '../route.js';

/** A body of `null` is a violated rule, not a parse error (contract-core 5.3, 6.6). */
export function listBody(request: RouteRequest, path: string, message: string): Json {
  const body = request.json();
  if (body === null) throw validationFailed([{ path, message }]);
  return body;
}
