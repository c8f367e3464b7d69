// GRPC (semantics 4.23): calls a method of a gRPC server in one of its four types. The types of the
// messages come from the proto files of the remote service that the input names, else from the
// server itself, which then has to offer reflection.
//
// output.response = the answer, or the list of answers of a stream; output.error = {status,
// details} where the call failed.
import {
  Lru,
  isMap,
  type Json,
  type JsonMap,
  numberFrom,
  textFrom,
  missingInputs,
  methodNamed,
  type GrpcMethod,
  isRemoteCallError,
  type RemoteTarget,
  failed,
  type PluginTask,
  type PluginServices,
  type PluginTaskType,
  type TaskOutcome,
  type TaskRun,
} from '@downbeat/plugin';
import { GrpcClient, GrpcError, type GrpcCall, type GrpcServer } from './grpc-client.js';
import { grpcAddress, reflectedMethods } from './reflection.js';

export const grpcTask: PluginTaskType = {
  name: 'GRPC',
  reaches: [{ right: 'READ', target: 'SERVICE_REGISTRY', named: '`service`' }],
  check: (config, rules) => missingInputs(config, ['method'], rules),
  create: createGrpcTask,
};

/** Servers whose own description is kept, and for how long. */
const reflectedServersMax = 100;
const reflectedLifeMs = 60_000;
const hedgingAttemptsMax = 5;
/** Statuses that say nothing of the health of the service (contract-admin 15.2). */
const callersMistakes = new Set([
  'CANCELLED',
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'FAILED_PRECONDITION',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'UNAUTHENTICATED',
]);

/** The input cannot be sent; the message becomes the task's reason. */
class GrpcInputError extends Error {}

interface Reflected {
  readonly methods: readonly GrpcMethod[];
  /** Monotonic ms. */
  readonly until: number;
}

type Lent = Pick<
  PluginServices,
  | 'clock'
  | 'guard'
  | 'instance'
  | 'readProtos'
  | 'remoteCalls'
  | 'requestTimeMsMax'
  | 'responseBytesMax'
>;
type Services = Lent & { readonly grpc: GrpcClient };

export function createGrpcTask(lent: Lent): PluginTask {
  const services = { ...lent, grpc: new GrpcClient(lent) };
  const reflected = new Lru<string, Reflected>(reflectedServersMax);
  return {
    lane: ({ host, port, service }) =>
      host ? `${textFrom(host)}:${textFrom(port)}` : textFrom(service),
    async run(run) {
      const workerId = services.instance;
      try {
        const target = await services.remoteCalls.target(run.input, run);
        const call = await callOf(services, reflected, run, target);
        return { ...(await outcomeOf(services, run, target, call)), workerId };
      } catch (error) {
        if (error instanceof GrpcError) return { ...failure(run, error), workerId };
        if (error instanceof GrpcInputError || isRemoteCallError(error)) {
          return { ...failed(error.message), workerId };
        }
        throw error;
      }
    },
  };
}

interface PreparedCall {
  readonly method: GrpcMethod;
  readonly call: GrpcCall;
}

/** Rejects with GrpcError, GrpcInputError. */
async function callOf(
  services: Services,
  reflected: Lru<string, Reflected>,
  run: TaskRun,
  target: RemoteTarget | undefined,
): Promise<PreparedCall> {
  const { input, signal } = run;
  const server = serverOf(input, target);
  const headers = headersOf(input, target);
  const asked = { server, headers, timeoutMs: services.requestTimeMsMax, signal };
  const method = await methodOf(services, reflected, { asked, input, target });
  const wanted = textFrom(input['methodType'] ?? '').toUpperCase();
  const type = wanted === 'BIDI_STREAMING' ? 'BIDIRECTIONAL_STREAMING' : wanted;
  if (type !== '' && type !== method.type) {
    throw new GrpcInputError(`The method ${method.path.slice(1)} is ${method.type}, not ${wanted}`);
  }
  const given = input['request'] ?? {};
  const isStream = method.type === 'CLIENT_STREAMING' || method.type === 'BIDIRECTIONAL_STREAMING';
  const messages = (isStream ? [given].flat() : [given]).map((message) => encoded(method, message));
  const compressed = input['compressionCodec'] === 'gzip';
  return { method, call: { ...asked, path: method.path, type: method.type, messages, compressed } };
}

function serverOf(input: JsonMap, target: RemoteTarget | undefined): GrpcServer {
  const { host, port } = input;
  const given = host === undefined || host === null ? '' : `${textFrom(host)}:${textFrom(port)}`;
  const address = given === '' ? (target?.service.serviceURI ?? '') : given;
  const found = grpcAddress(address);
  if (found === undefined) throw new GrpcInputError('Missing input host and port');
  const flag = (name: 'useSSL' | 'trustCert'): boolean =>
    textFrom(input[name] ?? target?.service[name] ?? false) === 'true';
  const server = { ...found, useSSL: flag('useSSL'), trustCert: flag('trustCert') };
  if (target !== undefined) requireOwnServer(target, server);
  return server;
}

/**
 * The header of a service goes to its own server only, over a connection as the service has it
 * (docs/access.md, Kept secrets). Throws GrpcInputError.
 */
function requireOwnServer({ service, header }: RemoteTarget, server: GrpcServer): void {
  if (header === undefined) return;
  const own = grpcAddress(service.serviceURI);
  const { useSSL = false, trustCert = false } = service;
  const isOwn = own?.host === server.host && own.port === server.port;
  if (isOwn && server.useSSL === useSSL && server.trustCert === trustCert) return;
  throw new GrpcInputError(
    `host, port, useSSL and trustCert must be those of the service ${service.name}, whose header ${header.key} goes to its own server only`,
  );
}

function headersOf(input: JsonMap, target: RemoteTarget | undefined): Map<string, string> {
  const headers = new Map<string, string>();
  if (target?.header !== undefined) {
    headers.set(target.header.key.toLowerCase(), target.header.value);
  }
  const given = isMap(input['headers']) ? input['headers'] : {};
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    if (!/^[\w.-]+$/.test(name) || name.toLowerCase().startsWith('grpc-')) {
      throw new GrpcInputError(`Not a header that a call can carry: ${name}`);
    }
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    if (!/^[\x20-\x7e]*$/.test(text)) {
      throw new GrpcInputError(`The header ${name} holds characters that a header cannot carry`);
    }
    headers.set(name.toLowerCase(), text);
  }
  return headers;
}

async function methodOf(
  { remoteCalls, grpc, clock, readProtos }: Services,
  reflected: Lru<string, Reflected>,
  {
    asked,
    input,
    target,
  }: {
    readonly asked: Parameters<typeof reflectedMethods>[2];
    readonly input: JsonMap;
    readonly target: RemoteTarget | undefined;
  },
): Promise<GrpcMethod> {
  const name = textFrom(input['method'] ?? '');
  if (name === '') throw new GrpcInputError('Missing input method');
  const own = target === undefined ? [] : await remoteCalls.methods(target.service);
  const known = methodNamed(own, name);
  if (known !== undefined) return known;
  const { server } = asked;
  const key = `${server.host}:${server.port}`;
  let found = reflected.get(key);
  if (found === undefined || clock.monotonic() >= found.until) {
    const methods = await reflectedMethods(grpc, readProtos, asked);
    found = { methods, until: clock.monotonic() + reflectedLifeMs };
    reflected.set(key, found);
  }
  const method = methodNamed(found.methods, name);
  if (method === undefined) throw new GrpcInputError(`The server ${key} has no method ${name}`);
  return method;
}

function encoded(method: GrpcMethod, message: Json): Buffer {
  try {
    return method.encode(message);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new GrpcInputError(`The request is no ${method.inputType}: ${why}`, { cause });
  }
}

/** The first answer of the parallel calls that succeeds, else the first failure. */
async function outcomeOf(
  { grpc }: Services,
  run: TaskRun,
  target: RemoteTarget | undefined,
  { method, call }: PreparedCall,
): Promise<TaskOutcome> {
  const losers = new AbortController();
  const signal = AbortSignal.any([run.signal, losers.signal]);
  const attempt = async (): Promise<Buffer[]> => {
    const answer = guarded(target, () => grpc.call({ ...call, signal }));
    const result = await answer;
    if (result instanceof GrpcError) throw result;
    return result;
  };
  try {
    const attempts = Array.from({ length: attemptsOf(run.input) }, attempt);
    const answers = (await Promise.any(attempts)).map((answer) => method.decode(answer));
    const isStream = method.type.startsWith('SERVER') || method.type.startsWith('BIDI');
    const response = isStream ? answers : (answers[0] ?? {});
    return { status: run.asyncComplete ? 'IN_PROGRESS' : 'COMPLETED', output: { response } };
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    losers.abort();
  }
}

/** A mistake of the caller comes back as a value: it does not speak against the service. */
async function guarded(
  target: RemoteTarget | undefined,
  call: () => Promise<Buffer[]>,
): Promise<Buffer[] | GrpcError> {
  if (target === undefined) return await call();
  const judged = async (): Promise<Buffer[] | GrpcError> => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof GrpcError && callersMistakes.has(error.status)) return error;
      throw error;
    }
  };
  return await target.guard(judged, () => false);
}

function attemptsOf({ hedgingConfig }: JsonMap): number {
  const attempts = isMap(hedgingConfig) ? Math.floor(numberFrom(hedgingConfig['maxAttempts'])) : 1;
  return attempts >= 1 ? Math.min(attempts, hedgingAttemptsMax) : 1;
}

function failure({ input }: TaskRun, { status, details, message }: GrpcError): TaskOutcome {
  const reason = `The gRPC call ${textFrom(input['method'])} failed: ${message}`;
  return failed(reason, { error: { status, details } });
}
