// Checks answers against the description of the API that a server gives of itself. Stricter than
// the description: an object with a title must have no member that its schema does not name, so
// that nothing is answered undescribed.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Router } from '../src/api/router.js';
import type { Endpoint, Method } from '../src/api/endpoint.js';
import type { ApiClient } from './api-client.js';

interface Schema {
  [name: string]: unknown;
}

interface Reply {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
  readonly headers?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Reply>>;
}

export interface DescribedOperation {
  readonly name: string;
  /** With `:name` for variables. */
  readonly path: string;
}

/** The parts of an OpenAPI document that the checks use. */
export interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface SentAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** By lower-case name; absent: not looked at. */
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** Of HTTP itself: they are not described. */
const httpHeaders: ReadonlySet<string> = new Set([
  ...['date', 'connection', 'keep-alive', 'content-length', 'content-type', 'transfer-encoding'],
  ...['vary', 'cache-control', 'content-encoding', 'content-security-policy', 'referrer-policy'],
  ...['x-content-type-options', 'x-accel-buffering', 'uwebsockets', 'allow'],
  'strict-transport-security',
]);

/** A reader of schemas that takes no word which neither JSON Schema nor declarations have. */
export function strictReader(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  // Of declarations, for pages (src/model/schema.ts).
  ajv.addVocabulary(['x-label', 'x-unit', 'x-emptied']);
  addFormats.default(ajv);
  return ajv;
}

export class ApiSchemas {
  /** Replies that were sent, as `operationId status`. */
  readonly seen = new Set<string>();
  /** Those of them that were no list, or a list with at least one entry. */
  readonly filled = new Set<string>();
  readonly #router: Router;
  /** All operations. */
  readonly operations: readonly DescribedOperation[];
  readonly #operations = new Map<string, Operation>();
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(description: ApiDescription) {
    this.#ajv = strictReader();
    this.#ajv.addSchema({
      $id: 'api',
      $defs: closedSchemas(description.components.schemas),
    });
    const endpoints: Endpoint[] = [];
    for (const [path, item] of Object.entries(description.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        endpoints.push(entryOf(method, path, operation.operationId));
        this.#operations.set(operation.operationId, operation);
      }
    }
    this.operations = endpoints.map(({ name, pattern: path }) => ({ name, path }));
    this.#router = new Router(endpoints);
  }

  /** Described replies with a status below 400, as `operationId status`. */
  get successes(): string[] {
    return [...this.#operations.values()].flatMap(({ operationId, responses }) =>
      Object.keys(responses)
        .filter((status) => Number(status) < 400)
        .map((status) => `${operationId} ${status}`),
    );
  }

  /** Throws with a sentence when the answer is not one that the description knows. */
  check(method: string, path: string, answer: SentAnswer): void {
    const match = this.#router.find(method, path.split('?')[0] as string);
    if (match.kind !== 'found') return;
    const { name } = match.endpoint;
    const reply = this.#operations.get(name)?.responses[String(answer.status)];
    const what = `${method} ${path} (${name}) answered ${answer.status}`;
    if (reply === undefined) throw new Error(`${what}, which is not described: ${answer.text}`);
    this.seen.add(`${name} ${answer.status}`);
    const wrong = wrongHeader(reply, answer);
    if (wrong !== undefined) throw new Error(`${what} ${wrong}`);
    const types = Object.keys(reply.content ?? {});
    if (answer.text !== '[]') this.filled.add(`${name} ${answer.status}`);
    if (answer.text === '' && answer.contentType === '') {
      if (types.length === 0 || mayBeEmpty(reply)) return;
      throw new Error(`${what} without a body; described is ${types.join(', ')}`);
    }
    const type = types.find((each) => each === answer.contentType || each === '*/*');
    if (type === undefined) {
      throw new Error(`${what} with ${answer.contentType}; described is ${types.join(', ')}`);
    }
    const body: unknown = type === 'application/json' ? JSON.parse(answer.text) : answer.text;
    const validate = this.#validator(name, answer.status, type);
    if (!validate(body)) {
      const problems = (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
      );
      throw new Error(`${what} out of form: ${problems.join('; ')}`);
    }
  }

  #validator(name: string, status: number, type: string): ValidateFunction {
    const key = `${name} ${status}`;
    let validate = this.#validators.get(key);
    if (validate === undefined) {
      const schema = this.#operations.get(name)?.responses[String(status)]?.content?.[type]?.schema;
      validate = this.#ajv.compile(referring(schema ?? {}));
      this.#validators.set(key, validate);
    }
    return validate;
  }
}

/** From now on each answer to the client's requests is checked. Resolves with what checks them. */
export async function checkAnswers(api: ApiClient): Promise<ApiSchemas> {
  const description = await api.request('GET', '/api-docs.json');
  const forms = new ApiSchemas(description.body as ApiDescription);
  api.answers = forms;
  return forms;
}

/** Where the request was sent with one, or where a single traced task is handed out. */
const sentAtTimes = ['x-request-id', 'traceparent', 'tracestate'];

/** A fault of the headers; undefined: none. */
function wrongHeader({ headers = {} }: Reply, answer: SentAnswer): string | undefined {
  if (answer.headers === undefined) return undefined;
  const described = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const names = Object.keys(answer.headers).map((name) => name.toLowerCase());
  const sent = names.filter((name) => !httpHeaders.has(name));
  const unknown = sent.find((name) => !described.has(name));
  if (unknown !== undefined) return `with the header ${unknown}, which is not described`;
  for (const name of sentAtTimes) described.delete(name);
  const absent = [...described].find((name) => !sent.includes(name));
  return absent === undefined ? undefined : `without the header ${absent}`;
}

/** OpenAPI has no word for a body that may be absent: the description says it. */
function mayBeEmpty({ description }: Reply): boolean {
  return description.startsWith('No body when');
}

function entryOf(method: string, path: string, name: string): Endpoint {
  return {
    method: method.toUpperCase() as Method,
    pattern: path.replace(/\{([^}]+)\}/g, ':$1'),
    name,
    summary: '',
    access: { rule: 'public' },
    parameters: {},
    body: null,
    replies: {},
    errors: [],
    handle: () => {
      throw new Error('Only described');
    },
  };
}

function closedSchemas(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([title, schema]) => [title, closed(referring(schema))]),
  );
}

/** Titled objects that list their members have no others. */
function closed(schema: Schema): Schema {
  return schema['properties'] === undefined || schema['additionalProperties'] !== undefined
    ? schema
    : { ...schema, additionalProperties: false };
}

/** References of the document, as references into the registered schema. */
function referring(schema: Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/schemas/', '"api#/$defs/'),
  ) as Schema;
}
