// Forms of remote services on the wire (contract-admin 15.1 to 15.3).
import { methodTypes, serviceTypes } from './remote-service.js';
import {
  anyObject,
  flag,
  integer,
  list,
  number,
  object,
  oneOf,
  text,
  time,
  type Form,
} from '../../api/form.js';

const parameterForm = object(
  'RequestParam',
  { name: text(), type: text('Query, Header or Path'), required: flag(), schema: anyObject },
  ['name'],
);

export const methodForm: Form = object(
  'ServiceMethod',
  {
    id: integer('Set by the server'),
    operationName: text(),
    methodName: text('HTTP: the path'),
    methodType: oneOf(methodTypes),
    inputType: text(),
    outputType: text(),
    requestParams: list(parameterForm),
    exampleInput: anyObject,
    description: text(),
    deprecated: flag(),
    accept: text(),
    requestContentType: text(),
    responseContentType: text(),
  },
  ['operationName', 'methodType'],
);

const breakerForm = object('OrkesCircuitBreakerConfig', {
  failureRateThreshold: number('Percent'),
  slidingWindowSize: integer(),
  minimumNumberOfCalls: integer(),
  waitDurationInOpenState: integer('Milliseconds'),
  permittedNumberOfCallsInHalfOpenState: integer(),
  slowCallRateThreshold: number('Percent'),
  slowCallDurationThreshold: integer('Milliseconds'),
  automaticTransitionFromOpenToHalfOpenEnabled: flag(),
  maxWaitDurationInHalfOpenState: integer('Milliseconds'),
});

export const serviceForm: Form = object(
  'ServiceRegistry',
  {
    name: text(),
    type: oneOf(serviceTypes),
    serviceURI: text('HTTP: address of the OpenAPI description'),
    methods: list(methodForm),
    requestParams: list(parameterForm),
    config: object('ServiceRegistryConfig', { circuitBreakerConfig: breakerForm }),
    circuitBreakerEnabled: flag(),
    servers: list(
      object('ServiceServer', { url: text(), type: oneOf(['OPENAPI_SPEC', 'USER_DEFINED']) }),
    ),
    authMetadata: object('AuthMetadata', { key: text('Header'), value: text('Answered as ***') }),
    useSSL: flag(),
    trustCert: flag(),
  },
  ['name', 'type', 'serviceURI'],
);

export const breakerStateForm: Form = object('CircuitBreakerTransitionResponse', {
  service: text(),
  previousState: text(),
  currentState: text(),
  transitionTimestamp: time(),
  message: text(),
});

export const protoForm: Form = object('ProtoRegistryEntry', {
  serviceName: text(),
  filename: text(),
  data: text('Base64'),
});
