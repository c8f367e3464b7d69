// HTTP (semantics 4.16): one request, or several at once where the task asks for hedging; the first
// accepted answer completes the task.
//
// output.response = {statusCode, reasonPhrase, headers (name to list), body}, also when the answer
// fails the task; output.error then holds the text that is the task's reason, and is all there is
// when no answer came.
import { currentTrace } from '../telemetry/trace.js';
import { traceHeaders, type TraceContext } from '../telemetry/trace-context.js';
import { isMap, type Json, type JsonMap } from '../model/json.js';
import type { WorkflowTask } from '../model/workflow-def.js';
import { parseJson } from '../model/json-text.js';
import { Payload } from '../model/payload.js';
import { hasInput, required } from '../engine/task-types/checks.js';
import { charsetOf, decodedText } from './decoded-text.js';
import {
  fieldsOf,
  HttpInputError,
  httpHost,
  httpParameters,
  parseHttpRequest,
  type HttpRequest,
} from './http-request.js';
import type { OutboundClient } from './outbound-client.js';
import type { OutboundResponse } from './outbound-request.js';
import { OutboundError } from './outbound-error.js';
import { RemoteCallError, type RemoteTarget } from './remote-target.js';
import {
  failed,
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
  type TaskOutcome,
  type TaskRun,
} from './system-task.js';
import { checkInner, checkParameters, type Parameters } from './task-input.js';

/**
 * Characters of an answer's body inside an error text; the body itself stands in output.response.
 */
const bodyCharsShown = 2000;

export const httpTask: SystemTaskType = systemTaskType({
  name: 'HTTP',
  reaches: [{ right: 'READ', target: 'SERVICE_REGISTRY', named: '`service`' }],
  check(config, rules) {
    const isGiven = ['uri', 'method'].some((key) => Object.hasOwn(config.inputParameters, key));
    if (isGiven || hasInput(config, 'http_request', rules)) {
      return checkHttpFields(config, httpParameters);
    }
    return [required(config, 'inputParameters.http_request or inputParameters.uri')];
  },
  input: (source, { asyncComplete }) =>
    Payload.of({ ...source.withTemplate().value, asyncComplete }),
  shownInput: ({ asyncComplete }) => ({ asyncComplete }),
  needs: ['client', 'requestTimeMsMax', 'instance', 'remoteCalls'],
  create: createHttpTask,
});

/** Checks the literal fields of a configuration, in `http_request` or beside it. */
export function checkHttpFields(config: WorkflowTask, parameters: Parameters): readonly string[] {
  return isMap(config.inputParameters['http_request'])
    ? checkInner(config, 'http_request', parameters)
    : checkParameters(parameters)(config);
}

/** Without `remoteCalls` no task can name a remote service. */
export function createHttpTask(
  services: Pick<SystemTaskServices, 'client' | 'requestTimeMsMax' | 'instance'> &
    Partial<Pick<SystemTaskServices, 'remoteCalls'>>,
): SystemTask {
  const workerId = services.instance;
  return systemTask({
    lane: httpHost,
    async run(run) {
      try {
        const target = await services.remoteCalls?.target(fieldsOf(run.input), run);
        const input = target === undefined ? run.input : remoteInput(run.input, target);
        const http = parseHttpRequest(input, run.attemptKey, services.requestTimeMsMax);
        if (target !== undefined) requireOwnServer(target, http.request.url);
        const client = target === undefined ? services.client : guarded(services.client, target);
        return { ...(await firstSuccess(client, http, run)), workerId };
      } catch (error) {
        if (!(error instanceof HttpInputError || error instanceof RemoteCallError)) throw error;
        return { ...failed(error.message), workerId };
      }
    },
  });
}

type Client = Pick<OutboundClient, 'request'>;

/** Through the circuit breaker of the service; redirects do not take its header along. */
function guarded(client: Client, target: RemoteTarget): Client {
  const privateHeaders = target.header === undefined ? [] : [target.header.key];
  return {
    request: (request) =>
      target.guard(
        () => client.request({ ...request, privateHeaders }),
        ({ statusCode }) => statusCode >= 500,
      ),
  };
}

/**
 * The header of a service goes to its own servers only, whatever address a task names
 * (docs/access.md, Kept secrets). Throws HttpInputError.
 */
function requireOwnServer({ service, header }: RemoteTarget, url: URL): void {
  const servers = [service.serviceURI, ...(service.servers ?? []).map((server) => server.url)];
  if (header === undefined || servers.some((server) => originOf(server) === url.origin)) return;
  throw new HttpInputError(
    `${url.origin} is no server of the service ${service.name}, whose header ${header.key} goes to its own servers only`,
  );
}

/**
 * The input with what the service says of it: a path alone is one of its first server, and its
 * header is set.
 */
function remoteInput(input: JsonMap, { service, header }: RemoteTarget): JsonMap {
  const fields = { ...fieldsOf(input) };
  const { uri, headers } = fields;
  if (typeof uri === 'string' && uri.startsWith('/')) {
    const server = service.servers?.[0]?.url ?? originOf(service.serviceURI);
    fields['uri'] = server.replace(/\/$/, '') + uri;
  }
  if (header !== undefined) {
    fields['headers'] = { [header.key]: header.value, ...(isMap(headers) ? headers : {}) };
  }
  return fields;
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : '';
}

/** The first accepted outcome, else the first of all. */
async function firstSuccess(client: Client, http: HttpRequest, run: TaskRun): Promise<TaskOutcome> {
  const losers = new AbortController();
  const signal = AbortSignal.any([run.signal, losers.signal]);
  const attempts = Array.from({ length: http.attempts }, async () => {
    const outcome = await attempt(client, http, run, signal);
    return outcome.status === 'FAILED' ? Promise.reject(new FailedAttempt(outcome)) : outcome;
  });
  try {
    return await Promise.any(attempts);
  } catch (error) {
    const [first] = error instanceof AggregateError ? error.errors : [error];
    if (first instanceof FailedAttempt) return first.outcome;
    throw first;
  } finally {
    losers.abort();
  }
}

/**
 * The id of the request and the trace context are sent, unless the task's input says otherwise. A
 * trace state belongs to its traceparent.
 */
function traced(
  headers: HttpRequest['request']['headers'],
  trace: TraceContext | undefined,
): HttpRequest['request']['headers'] {
  const request = currentTrace();
  if (request === undefined && trace === undefined) return headers;
  const given = new Set([...headers.keys()].map((name) => name.toLowerCase()));
  const all = new Map(headers);
  if (request !== undefined && !given.has('x-request-id')) {
    all.set('X-Request-Id', request.requestId);
  }
  if (trace === undefined || given.has('traceparent')) return all;
  for (const [name, value] of traceHeaders(trace)) if (!given.has(name)) all.set(name, value);
  return all;
}

class FailedAttempt extends Error {
  constructor(readonly outcome: TaskOutcome) {
    super();
  }
}

async function attempt(
  client: Client,
  http: HttpRequest,
  { asyncComplete, trace }: Pick<TaskRun, 'asyncComplete' | 'trace'>,
  signal: AbortSignal,
): Promise<TaskOutcome> {
  let response: OutboundResponse;
  try {
    const headers = traced(http.request.headers, trace);
    response = await client.request({ ...http.request, headers, signal });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return failure(`I/O error on ${http.title}: ${error.message}`, {});
  }
  const shown = toOutput(response);
  if (http.accepts(response.statusCode)) {
    return { status: asyncComplete ? 'IN_PROGRESS' : 'COMPLETED', output: { response: shown } };
  }
  if (response.statusCode < 400) {
    return failed('No response from the remote service', { response: shown });
  }
  const { statusCode, reasonPhrase } = response;
  return failure(`${statusCode} ${reasonPhrase} on ${http.title}: ${shownBody(response)}`, {
    response: shown,
  });
}

function failure(text: string, output: JsonMap): TaskOutcome {
  return failed(`Failed to invoke HTTP task due to: ${text}`, { ...output, error: text });
}

function toOutput(response: OutboundResponse): JsonMap {
  return {
    statusCode: response.statusCode,
    reasonPhrase: response.reasonPhrase,
    headers: response.headers,
    body: toBodyValue(textOf(response)),
  };
}

/**
 * Objects and lists as such, numbers as numbers, other JSON scalars as text, everything else as it
 * came; empty is null.
 */
function toBodyValue(text: string): Json {
  if (text === '') return null;
  let value: Json;
  try {
    value = parseJson(text);
  } catch {
    return text; // Not JSON.
  }
  if (typeof value === 'object' && value !== null) return value;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return String(value);
}

function shownBody(response: OutboundResponse): string {
  const text = textOf(response);
  if (text === '') return '[no body]';
  return text.length > bodyCharsShown
    ? `"${text.slice(0, bodyCharsShown)}... (${text.length} characters)"`
    : `"${text}"`;
}

/** Decoded by the charset of the content type, UTF-8 where it names none that is known. */
function textOf(response: OutboundResponse): string {
  const name = Object.keys(response.headers).find((each) => each.toLowerCase() === 'content-type');
  const contentType = name === undefined ? '' : (response.headers[name]?.[0] ?? '');
  return decodedText(response.body, charsetOf(contentType));
}
