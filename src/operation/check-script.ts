// Scripts that clients store outside of workflow definitions: conditions of event handlers and
// expressions of webhooks. One that does not parse would fail with every message, so it is refused
// when it is stored.
import { AppError } from '../model/errors.js';
import { checkSyntax } from '../sandbox/check-syntax.js';

/** Throws AppError 'bad-request' that names the field, for a script that does not parse. */
export function checkStoredScript(field: string, source: string | undefined): void {
  const trouble = source === undefined ? undefined : checkSyntax('javascript', source);
  if (trouble === undefined) return;
  throw new AppError('bad-request', `${field} is not well formatted: ${trouble}`);
}
