// LIST_MCP_TOOLS (semantics 4.23): the tools of an MCP server.
import type { Json } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';
import {
  completed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, TaskInput } from '../task-input.js';
import { serverParameters, withMcpServer, type McpServices } from './mcp-session.js';

const toolsMax = 10_000;

export const listMcpToolsTask: SystemTaskType = {
  ...ordinaryType,
  name: 'LIST_MCP_TOOLS',
  reaches: [{ right: 'READ', target: 'INTEGRATION_PROVIDER', named: '`mcpServer`' }],
  check: checkParameters(serverParameters),
  create: createListMcpToolsTask,
};

export function createListMcpToolsTask(services: McpServices): SystemTask {
  return {
    ...ordinaryRun,
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
