// Reads a JSON document from an address that a caller names, for discovery.
import { AppError } from '../../model/errors.js';
import type { Json } from '../../model/json.js';
import { parseJson } from '../../model/json-text.js';

export interface Fetched {
  readonly statusCode: number;
  readonly body: Buffer;
}

/** `get` rejects when no answer comes; its message is fit to be shown. */
export async function fetchJson(
  address: string,
  get: (url: URL) => Promise<Fetched>,
): Promise<Json> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new AppError('bad-request', 'serviceURI must be an address that begins with http');
  }
  const answer = await get(url).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('bad-request', `serviceURI cannot be read: ${why}`, { cause });
  });
  if (answer.statusCode !== 200) {
    throw new AppError('bad-request', `serviceURI answered with status ${answer.statusCode}`);
  }
  try {
    return parseJson(answer.body.toString('utf8'));
  } catch (cause) {
    throw new AppError('bad-request', 'serviceURI is no JSON document', { cause });
  }
}
