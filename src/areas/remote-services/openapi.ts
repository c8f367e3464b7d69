// Methods of a service out of its OpenAPI 3 or Swagger 2 description (contract-admin 15.4,
// Discovery). A part without the expected shape is passed over: the description is foreign.
import { AppError } from '../../model/errors.js';
import type { Json } from '../../model/json.js';
import { isMap, present } from '../../model/record-reader.js';
import { methodsMax, type RequestParameter, type ServiceMethod } from './remote-service.js';

type Map = { [key: string]: unknown };

const verbs = ['get', 'post', 'put', 'delete', 'patch'] as const;

export interface Discovered {
  readonly methods: readonly ServiceMethod[];
  /** Addresses, as the description has them. */
  readonly servers: readonly string[];
}

/** Throws AppError 'bad-request' for what is no such description. */
export function readOpenApi(description: Json): Discovered {
  const api = mapOf(description);
  if (typeof (api['openapi'] ?? api['swagger']) !== 'string' || !isMap(api['paths'])) {
    throw new AppError('bad-request', 'serviceURI is not an OpenAPI description in JSON');
  }
  const methods: ServiceMethod[] = [];
  for (const [path, item] of Object.entries(mapOf(api['paths']))) {
    for (const verb of verbs) {
      const operation = mapOf(item)[verb];
      if (!isMap(operation) || methods.length >= methodsMax) continue;
      methods.push(methodOf(path, verb, operation, listOf(mapOf(item)['parameters'])));
    }
  }
  return { methods, servers: serversOf(api) };
}

function methodOf(path: string, verb: string, operation: Map, shared: unknown[]): ServiceMethod {
  const parameters = [...shared, ...listOf(operation['parameters'])].filter(isMap);
  const request = firstContent(operation['requestBody']);
  const [ok] = Object.entries(mapOf(operation['responses']))
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => response);
  const response = firstContent(ok);
  const sent = request.schema ?? parameters.find((each) => each['in'] === 'body')?.['schema'];
  const requestContentType = request.type ?? firstText(operation['consumes']);
  const responseContentType = response.type ?? firstText(operation['produces']);
  return {
    operationName: textOr(operation['operationId'], `${verb} ${path}`).slice(0, 255),
    methodName: path.slice(0, 2000),
    methodType: verb.toUpperCase() as ServiceMethod['methodType'],
    requestParams: parameters.flatMap(parameterOf),
    exampleInput: {},
    deprecated: operation['deprecated'] === true,
    ...present({
      inputType: componentOf(sent),
      outputType: componentOf(response.schema ?? mapOf(ok)['schema']),
      description: textOrNone(operation['description'] ?? operation['summary']),
      requestContentType,
      responseContentType,
    }),
  };
}

function parameterOf(parameter: Map): RequestParameter[] {
  const { name, in: place, required } = parameter;
  if (typeof name !== 'string' || typeof place !== 'string') return [];
  if (!['query', 'header', 'path'].includes(place)) return [];
  const schema = isMap(parameter['schema']) ? parameter['schema'] : parameter;
  const { type, format, default: defaultValue } = schema;
  const shown = present({
    type: textOrNone(type),
    format: textOrNone(format),
    defaultValue: defaultValue as Json | undefined,
  });
  return [{ name, type: place, required: required === true, schema: shown }];
}

function firstContent(holder: unknown): { type?: string; schema?: unknown } {
  const [first] = Object.entries(mapOf(mapOf(holder)['content']));
  return first === undefined ? {} : { type: first[0], schema: mapOf(first[1])['schema'] };
}

/** The name of the component that a schema, or its items, refers to. */
function componentOf(schema: unknown): string | undefined {
  const { $ref, items } = mapOf(schema);
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1).slice(0, 500);
  return items === undefined ? undefined : componentOf(mapOf(items)['$ref'] ? items : undefined);
}

function serversOf(api: Map): string[] {
  const urls = listOf(api['servers']).flatMap((server) => textOrNone(mapOf(server)['url']) ?? []);
  if (typeof api['host'] !== 'string') return urls.slice(0, 100);
  const scheme = firstText(api['schemes']) ?? 'https';
  return [`${scheme}://${api['host']}${textOr(api['basePath'], '')}`];
}

function mapOf(value: unknown): Map {
  return isMap(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, 200) : [];
}

function firstText(value: unknown): string | undefined {
  return textOrNone(listOf(value)[0]);
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback;
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, 2000) : undefined;
}
