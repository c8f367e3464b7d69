// The bodies that set a secret or an environment variable: the name stands in the path, the value
// is the body. Client libraries send it raw, as a JSON string, or as a JSON string's content, and
// the content type does not tell which (contract-admin 0.3).
import { text as textSchema } from '../../model/schema.js';
import type { Intake } from '../../api/endpoint.js';
import { refused } from '../../model/record-reader.js';

export const sentText: Intake<string> = {
  schema: textSchema('The value: raw, or as a JSON string'),
  isRequired: true,
  of: (request) => textOf(request.text()),
};

/** The content of a JSON string; anything else as it is. */
function textOf(body: string): string {
  if (!body.startsWith('"') || !body.endsWith('"') || body.length < 2) return body;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? value : body;
  } catch {
    return body;
  }
}

/**
 * Throws AppError 'bad-request'. The name ends at the first dot in an expression, so it has none.
 * `bytesMax`: of the value.
 */
export function checkSent(name: string, value: string, bytesMax: number): void {
  if (!/^[\w-]{1,256}$/.test(name)) {
    throw refused('the name', 'may hold 1 to 256 letters, digits, _ and -');
  }
  if (Buffer.byteLength(value) > bytesMax) {
    throw refused('the value', `must have at most ${bytesMax} bytes`);
  }
}
