// An MCP server on loopback made with the official library: over the newer transport, or the older
// one of server-sent events alone.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';

export class LocalMcpServer {
  /** Headers of every request. */
  readonly seen: http.IncomingHttpHeaders[] = [];
  readonly #sessions = new Map<string, SSEServerTransport>();
  readonly #server = http.createServer((request, response) => {
    this.seen.push(request.headers);
    void this.#answer(request, response);
  });

  /** `isOld`: only server-sent events are spoken. */
  constructor(private readonly isOld = false) {}

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (!this.isOld) {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
      } as never);
      await createServer().connect(transport as Transport);
      await transport.handleRequest(request, response);
      return;
    }
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      this.#sessions.set(transport.sessionId, transport);
      await createServer().connect(transport);
      return;
    }
    const { searchParams } = new URL(request.url ?? '/', this.url);
    const session = this.#sessions.get(searchParams.get('sessionId') ?? '');
    if (session === undefined) response.writeHead(405).end();
    else await session.handlePostMessage(request, response);
  }
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'local', version: '1' });
  const numbers = { a: z.number(), b: z.number() };
  server.registerTool('add', { description: 'adds', inputSchema: numbers }, ({ a, b }) => ({
    content: [{ type: 'text', text: JSON.stringify({ sum: a + b }) }],
  }));
  server.registerTool('fail', {}, () => ({
    isError: true,
    content: [{ type: 'text', text: 'the tool is broken' }],
  }));
  // Never answers.
  server.registerTool('hang', {}, () => new Promise<never>(() => undefined));
  return server;
}
