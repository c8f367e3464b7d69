// LIST_MCP_TOOLS (semantics 4.23): the tools of an MCP server.
import { completed, parameterTask, type Json } from '@downbeat/plugin';
import { serverParameters, toServer, withMcpServer } from './mcp-session.js';

const toolsMax = 10_000;

export const listMcpToolsTask = parameterTask({
  ...toServer,
  name: 'LIST_MCP_TOOLS',
  parameters: serverParameters,
  async run(services, run, input) {
    const tools = await withMcpServer(services, run, input, async ({ client, options, allows }) => {
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
    });
    return completed(run, { tools });
  },
});
