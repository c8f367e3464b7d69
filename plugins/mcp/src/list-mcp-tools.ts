// LIST_MCP_TOOLS (semantics 4.23): the tools of an MCP server.
import {
  type Json,
  textFrom,
  completed,
  type PluginTask,
  type PluginTaskType,
  checkParameters,
  TaskInput,
} from '@downbeat/plugin';
import { serverParameters, withMcpServer, type McpServices } from './mcp-session.js';

const toolsMax = 10_000;

export const listMcpToolsTask: PluginTaskType = {
  name: 'LIST_MCP_TOOLS',
  reaches: [{ right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`mcpServer`' }],
  check: checkParameters(serverParameters),
  create: createListMcpToolsTask,
};

export function createListMcpToolsTask(services: McpServices): PluginTask {
  return {
    lane: ({ mcpServer }) => textFrom(mcpServer),
    async run(run) {
      const input = new TaskInput(serverParameters, run.input);
      const tools = await withMcpServer(
        services,
        run,
        input,
        async ({ client, options, allows }) => {
          const found: Json[] = [];
          let cursor: string | undefined;
          do {
            const page = await client.listTools(cursor === undefined ? {} : { cursor }, options);
            for (const { name, description = null, inputSchema } of page.tools) {
              if (!allows(name)) continue;
              found.push({ name, description, inputSchema: inputSchema as Json });
            }
            cursor = page.nextCursor;
          } while (cursor !== undefined && found.length < toolsMax);
          return found;
        },
      );
      return completed(run, { tools });
    },
  };
}
