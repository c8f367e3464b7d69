// Requests of a load on a machine that may have other work: a server that cannot serve for a moment
// is asked again.
import type { ApiAnswer, ApiClient } from '../testkit/api-client.js';
import { until } from '../testkit/until.js';

/**
 * The answer of a POST. Asks again where the server says that it is busy and has done nothing, and
 * where it does not know, if `unsure` is there to be told: then it may be done twice. Rejects for
 * every other answer but 200.
 */
export function postAgain(
  client: ApiClient,
  path: string,
  body: unknown,
  unsure?: () => void,
): Promise<ApiAnswer> {
  return until(`an answer of ${path}`, async () => {
    const answer = await client.request('POST', path, body);
    if (answer.status === 200) return answer;
    const { metadata } = answer.body as { metadata?: { outcome?: string } };
    const isUnknown = metadata?.outcome === 'unknown';
    if (isUnknown) unsure?.();
    if (answer.status === 503 && (!isUnknown || unsure !== undefined)) return undefined;
    throw new Error(`POST ${path} was answered ${answer.status}: ${answer.text}`);
  });
}
