// Remote services with their methods and circuit breakers (contract-admin 15.1 to 15.3).
import { integer as integerSchema, number } from '../../model/schema.js';
import {
  anyMap,
  choice,
  custom,
  flag,
  integer,
  list,
  optionalList,
  part,
  text,
  told,
} from '../../model/field.js';
import { noun, type ShownOf, type StoredOf, type WrittenOf } from '../../declare/noun.js';
import { record, type Values } from '../../model/record.js';
import { resourceName } from '../../declare/resource-fields.js';
import { wrongField } from '../../model/errors.js';
import { numberFrom } from '../../model/json-text.js';
import type { Json, JsonMap } from '../../model/json.js';
import {
  checkBytes,
  checkName,
  descriptionCharsMax,
  nameCharsMax,
} from '../../model/registry/fields.js';
import { grpcMethodTypes } from '../../system-task/grpc-method.js';

/** Methods of one service. */
export const methodsMax = 5000;
const parametersMax = 200;
const serversMax = 100;
const bytesMax = 64 * 1024;

const httpMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const;

const address = text({ default: '', charsMax: 2000 });
const shortText = text({ charsMax: 500 });
const boundedMap = (map: JsonMap, path: string): void => checkBytes(map, path, bytesMax);

const parameter = record('RequestParam', {
  name: resourceName,
  type: text({ about: 'Query, Header or Path', charsMax: 100 }),
  required: flag({ default: false }),
  schema: anyMap({ check: boundedMap }),
});
const parameters = { itemsMax: parametersMax };

const methodFields = {
  id: told<number>(integerSchema('Set by the server; unique within the service')),
  operationName: resourceName,
  methodName: text({ about: 'HTTP: the path', default: '', charsMax: 2000 }),
  methodType: choice([...httpMethods, ...grpcMethodTypes], { required: true }),
  inputType: shortText,
  outputType: shortText,
  requestParams: list(parameter, parameters),
  exampleInput: anyMap({ default: {}, check: boundedMap }),
  description: text({ charsMax: descriptionCharsMax }),
  deprecated: flag({ default: false }),
  accept: shortText,
  requestContentType: shortText,
  responseContentType: shortText,
};
export const method = record('ServiceMethod', methodFields);
export type ServiceMethod = Values<typeof methodFields>;
export type RequestParameter = ServiceMethod['requestParams'][number];

const server = record('ServiceServer', {
  url: address,
  type: choice(['OPENAPI_SPEC', 'USER_DEFINED'], { default: 'USER_DEFINED' }),
});

const callsMin = 100;
const percent = custom(number('Percent'), percentOf, { default: 50 });
const breaker = record('OrkesCircuitBreakerConfig', {
  failureRateThreshold: percent,
  slidingWindowSize: integer({ default: 100, check: within(1, 1000) }),
  minimumNumberOfCalls: integer({ check: within(1, 1000) }),
  waitDurationInOpenState: milliseconds(1000, 1000, 300_000),
  permittedNumberOfCallsInHalfOpenState: integer({ default: 100, check: within(1, 100) }),
  slowCallRateThreshold: percent,
  slowCallDurationThreshold: milliseconds(100, 0, 60_000),
  automaticTransitionFromOpenToHalfOpenEnabled: flag({ default: true }),
  maxWaitDurationInHalfOpenState: milliseconds(1, 0, 300_000),
});

/** Percents, counts and milliseconds (contract-admin 15.2). */
export type CircuitBreakerConfig = ReturnType<typeof parseBreaker>;

const circuitBreakerConfig = custom(breaker.schema, parseBreaker, {
  default: parseBreaker({}, ''),
});
const config = record('ServiceRegistryConfig', { circuitBreakerConfig });

/** An absent member has its default. */
export function breakerOf(input: unknown, path: string): CircuitBreakerConfig {
  return config.parse(input, path).circuitBreakerConfig;
}

const authMetadata = record('AuthMetadata', {
  key: text({ about: 'Header', required: true, charsMax: nameCharsMax, check: checkName }),
  value: text({ about: 'Answered as ***', default: '', charsMax: descriptionCharsMax }),
});

/** Fields that a save leaves out stay as they were. */
export const remoteService = noun({
  title: 'ServiceRegistry',
  labels: {
    serviceURI: 'Address',
    requestParams: 'Parameters of all requests',
    circuitBreakerEnabled: 'Circuit breaker',
    useSSL: 'TLS',
    trustCert: 'Trust any certificate',
    config: 'Configuration',
    authMetadata: 'Authentication',
  },
  written: {
    name: resourceName,
    type: choice(['HTTP', 'gRPC', 'MCP_REMOTE'], { required: true }),
    serviceURI: text({
      about: 'HTTP: address of the OpenAPI description',
      required: true,
      charsMax: 2000,
    }),
    methods: optionalList(method, { itemsMax: methodsMax }),
    requestParams: optionalList(parameter, parameters),
    circuitBreakerEnabled: flag(),
    servers: optionalList(server, { itemsMax: serversMax }),
    useSSL: flag(),
    trustCert: flag(),
  },
  beside: { config: part(config), authMetadata: part(authMetadata) },
  kept: { methods: list(method) },
  hidden: {
    circuitBreakerConfig: told<CircuitBreakerConfig>(breaker.schema),
    authMetadata: told<{ readonly key: string; readonly sealed: string }>(authMetadata.schema),
  },
  stored: {
    kind: 'remote-service',
    idOf: ({ name }) => name,
    sealed: {
      of: ({ authMetadata: header }) => header?.sealed,
      owner: ({ name }) => ownerOf(name),
      with: (service, sealed) => ({
        ...service,
        ...(service.authMetadata && { authMetadata: { ...service.authMetadata, sealed } }),
      }),
    },
  },
});

export type ServiceFields = WrittenOf<typeof remoteService>;
/** The value of the header is encrypted. */
export type RemoteService = StoredOf<typeof remoteService>;
export type ShownService = ShownOf<typeof remoteService>;

/** The owner of the sealed header of a service. */
export function ownerOf(name: string): string {
  return `remote-service:${name}`;
}

/** Saving the same key replaces a method (contract-admin 15.3). */
export function isSameMethod(a: ServiceMethod, b: ServiceMethod): boolean {
  return (
    a.operationName === b.operationName &&
    a.methodName === b.methodName &&
    a.methodType === b.methodType
  );
}

/** No more calls than the window holds: a default is cut, what is sent is refused. */
function parseBreaker(input: unknown, path: string) {
  const { minimumNumberOfCalls: asked, ...others } = breaker.parse(input, path);
  const { slidingWindowSize: window } = others;
  if (asked !== undefined && asked > window) {
    throw wrongField(
      `${path}.minimumNumberOfCalls`,
      `may not be more than slidingWindowSize, which is ${window}`,
    );
  }
  return { ...others, minimumNumberOfCalls: asked ?? Math.min(callsMin, window) };
}

function percentOf(value: unknown, path: string): number {
  const percentage = numberFrom(value as Json);
  within(0, 100)(percentage, path);
  return percentage;
}

function milliseconds(initial: number, least: number, most: number) {
  return integer({ about: 'Milliseconds', default: initial, check: within(least, most) });
}

function within(least: number, most: number): (value: number, path: string) => void {
  return (value, path) => {
    if (value >= least && value <= most) return;
    throw wrongField(path, `must be a number from ${least} to ${most}`);
  };
}
