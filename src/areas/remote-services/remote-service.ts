// Remote services and their methods (contract-admin 15.1 to 15.3): parsing and checking.
import { wrongField } from '../../model/errors.js';
import type { JsonMap } from '../../model/json.js';
import type { Json } from '../../model/json.js';
import { numberFrom } from '../../model/json-text.js';
import { present, RecordReader } from '../../model/record-reader.js';
import { checkBytes, nameOf, textOf } from '../../model/registry/fields.js';

export const serviceTypes = ['HTTP', 'gRPC', 'MCP_REMOTE'] as const;
export const methodTypes = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'UNARY',
  'SERVER_STREAMING',
  'CLIENT_STREAMING',
  'BIDIRECTIONAL_STREAMING',
] as const;

/** Methods of one service. */
export const methodsMax = 5000;
const parametersMax = 200;
const serversMax = 100;
const bytesMax = 64 * 1024;

export interface RequestParameter {
  readonly name: string;
  readonly type?: string;
  readonly required: boolean;
  readonly schema?: JsonMap;
}

export interface MethodFields {
  readonly operationName: string;
  readonly methodName: string;
  readonly methodType: (typeof methodTypes)[number];
  readonly inputType?: string;
  readonly outputType?: string;
  readonly requestParams: readonly RequestParameter[];
  readonly exampleInput: JsonMap;
  readonly description?: string;
  readonly deprecated: boolean;
  readonly accept?: string;
  readonly requestContentType?: string;
  readonly responseContentType?: string;
}

export interface ServiceMethod extends MethodFields {
  /** Unique within the service. */
  readonly id: number;
}

export interface ServiceServer {
  readonly url: string;
  readonly type: 'OPENAPI_SPEC' | 'USER_DEFINED';
}

/** Percents, counts and milliseconds (contract-admin 15.2). */
export interface CircuitBreakerConfig {
  readonly failureRateThreshold: number;
  readonly slidingWindowSize: number;
  readonly minimumNumberOfCalls: number;
  readonly waitDurationInOpenState: number;
  readonly permittedNumberOfCallsInHalfOpenState: number;
  readonly slowCallRateThreshold: number;
  readonly slowCallDurationThreshold: number;
  readonly automaticTransitionFromOpenToHalfOpenEnabled: boolean;
  readonly maxWaitDurationInHalfOpenState: number;
}

/** What a caller writes of a service; what is absent stays as it was. */
export interface ServiceFields {
  readonly name: string;
  readonly type: (typeof serviceTypes)[number];
  readonly serviceURI: string;
  readonly methods?: readonly MethodFields[];
  readonly requestParams?: readonly RequestParameter[];
  readonly circuitBreakerConfig?: CircuitBreakerConfig;
  readonly circuitBreakerEnabled?: boolean;
  readonly servers?: readonly ServiceServer[];
  readonly authMetadata?: { readonly key: string; readonly value: string };
  readonly useSSL?: boolean;
  readonly trustCert?: boolean;
}

/** As it is stored: the value of `authMetadata` is encrypted. */
export interface RemoteService extends Omit<ServiceFields, 'methods' | 'authMetadata'> {
  readonly methods: readonly ServiceMethod[];
  readonly authMetadata?: { readonly key: string; readonly sealed: string };
}

/** Throws AppError 'bad-request' that names the field and the rule. */
export function parseService(input: unknown): ServiceFields {
  const reader = new RecordReader(input, '');
  const name = nameOf(reader);
  const type = reader.choice('type', serviceTypes);
  if (type === undefined) throw wrongField('type', `must be one of ${serviceTypes.join(', ')}`);
  const serviceURI = textOf(reader, 'serviceURI', 2000) ?? '';
  if (serviceURI.trim() === '') throw wrongField('serviceURI', 'is required');
  return {
    ...{ name, type, serviceURI },
    ...present({
      methods: reader.record('methods', (_value, path) =>
        atMost(reader.list('methods', parseMethod), methodsMax, path),
      ),
      requestParams: reader.record('requestParams', () => parametersOf(reader)),
      circuitBreakerConfig: reader.record('config', breakerOf),
      circuitBreakerEnabled: reader.optionalFlag('circuitBreakerEnabled'),
      servers: reader.record('servers', (_value, path) =>
        atMost(reader.list('servers', parseServer), serversMax, path),
      ),
      authMetadata: reader.record('authMetadata', parseAuth),
      useSSL: reader.optionalFlag('useSSL'),
      trustCert: reader.optionalFlag('trustCert'),
    }),
  };
}

/** Throws AppError 'bad-request'. */
export function parseMethod(input: unknown, path: string): MethodFields {
  const reader = new RecordReader(input, path);
  const methodType = reader.choice('methodType', methodTypes);
  if (methodType === undefined) {
    throw wrongField(reader.pathOf('methodType'), `must be one of ${methodTypes.join(', ')}`);
  }
  const exampleInput = reader.map('exampleInput');
  checkBytes(exampleInput, reader.pathOf('exampleInput'), bytesMax);
  return {
    operationName: nameOf(reader, 'operationName'),
    methodName: textOf(reader, 'methodName', 2000) ?? '',
    methodType,
    requestParams: parametersOf(reader),
    exampleInput,
    deprecated: reader.flag('deprecated', false),
    ...present({
      inputType: textOf(reader, 'inputType', 500),
      outputType: textOf(reader, 'outputType', 500),
      description: textOf(reader, 'description'),
      accept: textOf(reader, 'accept', 500),
      requestContentType: textOf(reader, 'requestContentType', 500),
      responseContentType: textOf(reader, 'responseContentType', 500),
    }),
  };
}

/** Saving the same key replaces a method (contract-admin 15.3). */
export function isSameMethod(a: MethodFields, b: MethodFields): boolean {
  return (
    a.operationName === b.operationName &&
    a.methodName === b.methodName &&
    a.methodType === b.methodType
  );
}

function parametersOf(reader: RecordReader): RequestParameter[] {
  const parameters = reader.list('requestParams', (item, path) => {
    const parameter = new RecordReader(item, path);
    const schema = parameter.optionalMap('schema');
    checkBytes(schema, parameter.pathOf('schema'), bytesMax);
    return {
      name: nameOf(parameter),
      required: parameter.flag('required', false),
      ...present({ type: textOf(parameter, 'type', 100), schema }),
    };
  });
  return atMost(parameters, parametersMax, reader.pathOf('requestParams'));
}

function parseServer(input: unknown, path: string): ServiceServer {
  const reader = new RecordReader(input, path);
  const type = reader.choice('type', ['OPENAPI_SPEC', 'USER_DEFINED']) ?? 'USER_DEFINED';
  return { url: textOf(reader, 'url', 2000) ?? '', type };
}

function parseAuth(input: unknown, path: string): { key: string; value: string } {
  const reader = new RecordReader(input, path);
  return { key: nameOf(reader, 'key'), value: textOf(reader, 'value') ?? '' };
}

type Rule = readonly [initial: number, least: number, most: number];

const percentRules = {
  failureRateThreshold: [50, 0, 100],
  slowCallRateThreshold: [50, 0, 100],
} as const satisfies Record<string, Rule>;
const integerRules = {
  slidingWindowSize: [100, 1, 1000],
  minimumNumberOfCalls: [100, 1, 1000],
  waitDurationInOpenState: [1000, 1000, 300_000],
  permittedNumberOfCallsInHalfOpenState: [100, 1, 100],
  slowCallDurationThreshold: [100, 0, 60_000],
  maxWaitDurationInHalfOpenState: [1, 0, 300_000],
} as const satisfies Record<string, Rule>;

/** What is left out has its default. */
export function breakerOf(input: unknown, path: string): CircuitBreakerConfig {
  const config = new RecordReader(input, path).map('circuitBreakerConfig');
  const reader = new RecordReader(config, `${path}.circuitBreakerConfig`);
  const percent = (name: keyof typeof percentRules): number =>
    within(
      reader,
      name,
      percentRules[name],
      numberFrom((reader.raw(name) as Json | undefined) ?? percentRules[name][0]),
    );
  const integer = (name: keyof typeof integerRules): number =>
    within(reader, name, integerRules[name], reader.optionalInteger(name) ?? integerRules[name][0]);
  const slidingWindowSize = integer('slidingWindowSize');
  return {
    failureRateThreshold: percent('failureRateThreshold'),
    slidingWindowSize,
    minimumNumberOfCalls: callsBefore(reader, slidingWindowSize, integer('minimumNumberOfCalls')),
    waitDurationInOpenState: integer('waitDurationInOpenState'),
    permittedNumberOfCallsInHalfOpenState: integer('permittedNumberOfCallsInHalfOpenState'),
    slowCallRateThreshold: percent('slowCallRateThreshold'),
    slowCallDurationThreshold: integer('slowCallDurationThreshold'),
    automaticTransitionFromOpenToHalfOpenEnabled: reader.flag(
      'automaticTransitionFromOpenToHalfOpenEnabled',
      true,
    ),
    maxWaitDurationInHalfOpenState: integer('maxWaitDurationInHalfOpenState'),
  };
}

function within(reader: RecordReader, name: string, [, least, most]: Rule, value: number): number {
  if (value >= least && value <= most) return value;
  throw wrongField(reader.pathOf(name), `must be a number from ${least} to ${most}`);
}

/** No more calls than the window holds: a default is cut, what is sent is refused. */
function callsBefore(reader: RecordReader, window: number, calls: number): number {
  if (calls <= window) return calls;
  if (reader.raw('minimumNumberOfCalls') === undefined) return window;
  throw wrongField(
    reader.pathOf('minimumNumberOfCalls'),
    `may not be more than slidingWindowSize, which is ${window}`,
  );
}

function atMost<T>(list: T[], most: number, path: string): T[] {
  if (list.length > most) throw wrongField(path, `may have ${most} entries at most`);
  return list;
}
