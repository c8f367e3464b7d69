// A call to a service with a key, as SENDGRID and OPSGENIE make it: JSON out, and the answer in the
// form in which tasks show it.
import {
  type Json,
  type JsonMap,
  parseJson,
  type PluginHttp,
  type TaskRun,
} from '@downbeat/plugin';

/** An answer as tasks show it. */
export interface ServiceAnswer extends JsonMap {
  readonly statusCode: number;
  readonly reasonPhrase: string;
  readonly headers: { [name: string]: string[] };
  /** JSON where it is some, else the text. */
  readonly body: Json;
}

const connectTimeMsMax = 10_000;
const silenceMsMax = 30_000;

/** Rejects with OutboundError without an answer. */
export async function postToService(
  client: PluginHttp,
  { attemptKey, signal }: Pick<TaskRun, 'attemptKey' | 'signal'>,
  {
    url,
    headers,
    body,
  }: { readonly url: string; headers: { [name: string]: string }; body: string },
): Promise<ServiceAnswer> {
  const response = await client.request({
    url: new URL(url),
    method: 'POST',
    headers: new Map([
      ['content-type', 'application/json'],
      ['idempotency-key', attemptKey],
      ...Object.entries(headers),
    ]),
    body,
    connectTimeoutMs: connectTimeMsMax,
    readTimeoutMs: silenceMsMax,
    followRedirects: false,
    signal,
  });
  const { statusCode, reasonPhrase, headers: answered } = response;
  return { statusCode, reasonPhrase, headers: answered, body: valueOf(response.body.toString()) };
}

function valueOf(text: string): Json {
  if (text === '') return null;
  try {
    return parseJson(text);
  } catch {
    return text; // Not JSON.
  }
}
