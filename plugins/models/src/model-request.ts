// Requests to a provider of models: JSON out, an answer with a good status back. A provider that is
// busy (429, 503) is asked again after the time that it names (RFC 9110 10.2.3), a few times.
// Other refusals are final when another attempt would meet them again.
import {
  FinalFailure,
  headerOf,
  isMap,
  parseJson,
  toJsonText,
  type Json,
  type JsonMap,
  type OutboundResponse,
  type PluginServices,
} from '@downbeat/plugin';
import { createHash } from 'node:crypto';
import type { ModelEndpoint } from './model-endpoint.js';

export interface ModelRequestParts extends Pick<PluginServices, 'client' | 'clock'> {
  /** Longest silence of a provider while it answers, ms. */
  readonly silenceMsMax: number;
}

export interface ModelCall {
  readonly endpoint: ModelEndpoint;
  /** Below the endpoint's base. */
  readonly path: string;
  /** Absent: the request is a GET. */
  readonly body?: JsonMap;
  /** The same for every repetition of an attempt. */
  readonly attemptKey: string;
  readonly signal: AbortSignal;
}

const connectTimeMsMax = 10_000;
/** Requests of one call, the first included. */
const triesMax = 5;
/** Longest time that a provider may ask for between two tries, ms. */
const waitMsMax = 60_000;
/** Before the second try when the provider names no time; doubles with each try. */
const firstWaitMs = 500;
const busy = new Set([429, 503]);
const reasonCharsMax = 1000;

/** Rejects with OutboundError without an answer, FinalFailure or ProviderError for a bad one. */
export async function callModel(
  parts: ModelRequestParts,
  call: ModelCall,
): Promise<OutboundResponse> {
  for (let tries = 1; ; tries++) {
    const response = await send(parts, call);
    if (response.statusCode >= 200 && response.statusCode < 300) return response;
    const waitMs = busy.has(response.statusCode)
      ? waitOf(response, tries, parts.clock.now())
      : undefined;
    if (waitMs === undefined || waitMs > waitMsMax || tries === triesMax) {
      throw refusal(call.endpoint, response);
    }
    await pause(parts.clock, waitMs, call.signal);
  }
}

/** The body of an answer as JSON. Throws an Error when it is none. */
export function jsonOf(endpoint: ModelEndpoint, response: OutboundResponse): JsonMap {
  let value: Json;
  try {
    value = parseJson(response.body.toString('utf8'));
  } catch {
    throw new Error(`The answer of ${endpoint.provider} is not JSON`);
  }
  if (!isMap(value)) throw new Error(`The answer of ${endpoint.provider} is no JSON object`);
  return value;
}

/** The text of a provider's error object (`{"error": {"message"}}` and its variants). */
export function errorTextOf(value: Json): string {
  if (typeof value === 'string') return value;
  if (!isMap(value)) return '';
  return errorTextOf(value['error'] ?? value['message'] ?? value['detail'] ?? null);
}

async function send(parts: ModelRequestParts, call: ModelCall): Promise<OutboundResponse> {
  const { endpoint, path, body, attemptKey, signal } = call;
  const text = body === undefined ? undefined : toJsonText(body);
  const headers = new Map<string, string>([
    ['accept', 'application/json'],
    ['idempotency-key', keyOf(attemptKey, path, text ?? '')],
    ...endpoint.headers,
  ]);
  if (body !== undefined) headers.set('content-type', 'application/json');
  return await parts.client.request({
    url: new URL(endpoint.base + path),
    method: body === undefined ? 'GET' : 'POST',
    headers,
    body: text,
    connectTimeoutMs: connectTimeMsMax,
    readTimeoutMs: parts.silenceMsMax,
    followRedirects: false,
    signal,
  });
}

/** An attempt may send several requests; each has a key, the same when the attempt is repeated. */
function keyOf(attemptKey: string, path: string, text: string): string {
  const digest = createHash('sha256').update(`${path}\n${text}`).digest('base64url');
  return `${attemptKey}:${digest.slice(0, 16)}`;
}

/** Time until the next try, ms. */
function waitOf(response: OutboundResponse, tries: number, now: number): number {
  const after = headerOf(response, 'retry-after').trim();
  if (after === '') return firstWaitMs * 2 ** (tries - 1);
  if (/^\d+(?:\.\d+)?$/.test(after)) return Number(after) * 1000;
  const moment = Date.parse(after);
  return Number.isNaN(moment) ? firstWaitMs : Math.max(0, moment - now);
}

function refusal({ provider }: ModelEndpoint, response: OutboundResponse): Error {
  const { statusCode, reasonPhrase } = response;
  const said = saidIn(response).slice(0, reasonCharsMax);
  const message = `${provider} answered ${statusCode} ${reasonPhrase}${said === '' ? '' : `: ${said}`}`;
  const mayPass =
    statusCode >= 500 || statusCode === 408 || statusCode === 409 || busy.has(statusCode);
  return mayPass ? new ProviderError(message) : new FinalFailure(message);
}

function saidIn(response: OutboundResponse): string {
  const text = response.body.toString('utf8').trim();
  try {
    return errorTextOf(parseJson(text)) || text;
  } catch {
    return text; // No JSON: shown as it came.
  }
}

/** Resolves early when the run is cancelled; the next request then ends at once. */
async function pause(
  clock: PluginServices['clock'],
  delayMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = clock.after(delayMs, done);
    function done(): void {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}

/** The provider refused or failed, and may answer another attempt. */
export class ProviderError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProviderError';
  }
}
