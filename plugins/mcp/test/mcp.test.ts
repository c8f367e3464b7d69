// LIST_MCP_TOOLS and CALL_MCP_TOOL against servers of the official library on loopback.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LocalMcpServer } from '../../../test/support/mcp-server.js';
import { freePort } from '../../../testkit/process.js';
import { until } from '../../../testkit/until.js';
import { TaskBench } from '../../../test/server/models/task-bench.js';

const greeting = {
  ...{ protocolVersion: '2025-03-26', capabilities: { tools: {} } },
  serverInfo: { name: 'plain', version: '1' },
};

const open: http.Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** A server that answers each method with what is given, as it is. */
async function plainServer(results: Readonly<Record<string, object>>): Promise<string> {
  const server = http.createServer(async (request, response) => {
    const sent = await text(request);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(sent) as { id?: number; method: string };
    if (id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

let bench: TaskBench;
const newer = new LocalMcpServer();
const older = new LocalMcpServer(true);
beforeAll(async () => {
  bench = await TaskBench.start();
  await Promise.all([newer.start(), older.start()]);
});
afterAll(async () => {
  await bench?.stop();
  await Promise.all([newer.stop(), older.stop()]);
});

describe.each([
  ['the newer transport', newer],
  ['server-sent events alone', older],
])('an MCP server with %s', (_how, server) => {
  it('tells its tools', async () => {
    const headers = { 'X-Team': 'ops', 'X-Number': 7 };
    const output = await bench.output('LIST_MCP_TOOLS', { mcpServer: server.url, headers });
    expect(output['tools']).toEqual([
      {
        ...{ name: 'add', description: 'adds' },
        inputSchema: expect.objectContaining({ required: ['a', 'b'] }) as unknown,
      },
      { name: 'fail', description: null, inputSchema: expect.anything() as unknown },
      { name: 'hang', description: null, inputSchema: expect.anything() as unknown },
    ]);
    expect(server.seen[0]).toMatchObject({ 'x-team': 'ops', 'x-number': '7' });
  });

  it.each([{ arguments: { a: 1, b: 2 } }, { a: 1, b: 2 }])('takes %j for a tool', async (given) => {
    const input = { mcpServer: server.url, method: 'add', ...given };
    expect(await bench.output('CALL_MCP_TOOL', input)).toEqual({
      content: [{ type: 'text', text: '{"sum":3}', parsed: { sum: 3 } }],
      isError: false,
    });
  });

  it('may fail a tool, which fails the task', async () => {
    const task = await bench.run('CALL_MCP_TOOL', { mcpServer: server.url, method: 'fail' });
    expect(task).toMatchObject({
      status: 'FAILED',
      reasonForIncompletion: 'The tool fail failed: the tool is broken',
      outputData: { isError: true },
    });
  });

  it('is let go when the execution ends', async () => {
    const before = server.seen.length;
    const id = await bench.startTask('CALL_MCP_TOOL', { mcpServer: server.url, method: 'hang' });
    await until('the tool is called', () => server.seen.length > before + 1);
    await bench.api.terminate(id);
    const input = { mcpServer: server.url, method: 'add', a: 1, b: 1 };
    expect(await bench.output('CALL_MCP_TOOL', input)).toMatchObject({ isError: false });
  });
});

describe('an MCP server', () => {
  it('may be an integration, whose key no record shows', async () => {
    const configuration = { endpoint: newer.url, api_key: 'mcp-canary-77' };
    await bench.saveProvider('tools', { category: 'MCP', configuration });
    await bench.output('LIST_MCP_TOOLS', { mcpServer: 'tools' });
    expect(newer.seen.at(-1)).toMatchObject({ authorization: 'Bearer mcp-canary-77' });
  });

  it('may be an integration that allows some of its tools only', async () => {
    const configuration = { endpoint: newer.url, allowed_tools: ['add'] };
    await bench.saveProvider('some tools', { category: 'MCP', configuration });
    const { tools } = await bench.output('LIST_MCP_TOOLS', { mcpServer: 'some tools' });
    expect(tools).toEqual([expect.objectContaining({ name: 'add' })]);
    const call = { mcpServer: 'some tools', method: 'add', a: 1, b: 2 };
    expect(await bench.output('CALL_MCP_TOOL', call)).toMatchObject({ isError: false });
    expect(await bench.run('CALL_MCP_TOOL', { ...call, method: 'fail' })).toMatchObject({
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reasonForIncompletion: 'The integration does not allow the tool fail',
    });
  });

  it('tells its tools without anybody reading the schemas of what they answer', async () => {
    // It refers to nothing that there is, so who reads it fails.
    const outputSchema = { type: 'object', properties: { a: { $ref: '#/$defs/none' } } };
    const url = await plainServer({
      ...{ initialize: greeting },
      'tools/list': { tools: [{ name: 'one', inputSchema: { type: 'object' }, outputSchema }] },
    });
    const { tools } = await bench.output('LIST_MCP_TOOLS', { mcpServer: url });
    expect(tools).toEqual([expect.objectContaining({ name: 'one' })]);
  });

  it.each([
    ['nobody', 'FAILED_WITH_TERMINAL_ERROR', /No such integration provider: nobody/],
    ['absent', 'FAILED', /^http:\/\/127.0.0.1:\d+\/mcp failed: .*refused/],
  ])('that is %s ends the task as %s', async (which, status, reason) => {
    const absent = `http://127.0.0.1:${await freePort()}/mcp`;
    const mcpServer = which === 'absent' ? absent : which;
    const task = await bench.run('LIST_MCP_TOOLS', { mcpServer });
    expect([task.status, task.reasonForIncompletion]).toEqual([
      status,
      expect.stringMatching(reason),
    ]);
  });
});
