// A session with an MCP server over HTTP, for one task. The newer transport is tried first; one
// that refuses it is spoken to over server-sent events, the older one. The library is loaded at
// first use, and its requests go through the outbound client (invariants S1).
import type { Client, ClientOptions } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  FinalFailure,
  isFinalFailure,
  isOutboundError,
  type PluginServices,
  configured,
  required,
  type OpenIntegration,
  type ParameterTask,
  type TaskRun,
  map,
  requiredText,
  type TaskInput,
  textFrom,
} from '@downbeat/plugin';
import { pacedFetch } from './paced-answer.js';

/** `requestTimeMsMax`: longest time of a session. */
export type McpServices = Pick<PluginServices, 'client' | 'integrations' | 'requestTimeMsMax'>;

export const serverParameters = { mcpServer: requiredText, headers: map };

/** Common to the tasks of an MCP server. */
export const toServer: Pick<ParameterTask, 'reaches' | 'lane'> = {
  reaches: [{ right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`mcpServer`' }],
  lane: ({ mcpServer }) => textFrom(mcpServer),
};

/**
 * For the schemas of what tools answer. None is read: a server may send one that takes seconds to
 * read, with the whole node waiting, and the tasks check no answer by them.
 */
const jsonSchemaValidator: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** How the server introduces itself; the version is that of these tasks. */
const clientName = { name: 'downbeat', version: '1.0.0' };

interface McpTarget {
  readonly url: URL;
  readonly headers: { [name: string]: string };
  /** Names of the tools that may be used; undefined: all. */
  readonly tools?: ReadonlySet<string> | undefined;
}

/** Answers of a server about its tools and to calls of them; the library has checked them. */
export interface McpSession {
  readonly client: Client;
  /** For every request of the session. */
  readonly options: { readonly signal: AbortSignal; readonly timeout: number };
  /** Whether the integration allows this tool (invariants S22). */
  readonly allows: (tool: string) => boolean;
}

/** Rejects with FinalFailure, or an Error that names the server. */
export async function withMcpServer<T>(
  services: McpServices,
  run: TaskRun,
  input: TaskInput,
  work: (session: McpSession) => Promise<T>,
): Promise<T> {
  const target = await targetOf(services, run, input);
  const timeout = services.requestTimeMsMax;
  const ended = new AbortController();
  const signal = AbortSignal.any([run.signal, ended.signal, AbortSignal.timeout(timeout)]);
  try {
    const client = await connected(services, target, { signal, timeout });
    const allows = (tool: string): boolean => target.tools?.has(tool) ?? true;
    return await work({ client, options: { signal, timeout }, allows });
  } catch (error) {
    if (isFinalFailure(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${target.url.origin}${target.url.pathname} failed: ${why}`, { cause: error });
  } finally {
    // Ends what the library may have left open.
    ended.abort();
  }
}

/** An address, or an integration of the category MCP. */
async function targetOf(
  { integrations }: McpServices,
  run: TaskRun,
  input: TaskInput,
): Promise<McpTarget> {
  const server = input.text('mcpServer');
  const headers = input.textMap('headers');
  const url = webAddress(server);
  if (url !== undefined) return { url, headers };
  const integration = await integrations.provider(run, server, ['MCP', 'API']);
  const endpoint = webAddress(required(integration, 'endpoint'));
  if (endpoint === undefined) {
    throw new FinalFailure(`The endpoint of the integration ${server} is no web address`);
  }
  const key = configured(integration, 'api_key');
  return {
    url: endpoint,
    headers: key === '' ? headers : { authorization: `Bearer ${key}`, ...headers },
    tools: allowedTools(integration),
  };
}

/** `allowed_tools` of the configuration: a list of names, or a text with commas. */
function allowedTools({ configuration }: OpenIntegration): ReadonlySet<string> | undefined {
  const { allowed_tools: given } = configuration;
  if (given === undefined || given === null) return undefined;
  const names = Array.isArray(given) ? given : textFrom(given).split(',');
  return new Set(names.map((name) => textFrom(name).trim()).filter((name) => name !== ''));
}

function webAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

async function connected(
  { client }: McpServices,
  { url, headers }: McpTarget,
  options: McpSession['options'],
): Promise<Client> {
  const fetch = pacedFetch(client.fetchFor(options.signal));
  const settings = { fetch, requestInit: { headers } };
  const { StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  try {
    return await connect(new StreamableHTTPClientTransport(url, settings), options);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
    return await connect(new SSEClientTransport(url, settings), options);
  }
}

async function connect(transport: object, options: McpSession['options']): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new Client(clientName, { jsonSchemaValidator });
  // The library's transports declare optional members more loosely than its interface.
  await client.connect(transport as Transport, options);
  return client;
}

/** The server has no such transport; a server that cannot be reached has none either. */
function isRefusal(error: unknown): boolean {
  if (isOutboundError(error)) return false;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && code >= 400 && code < 500 && code !== 401 && code !== 403;
}
