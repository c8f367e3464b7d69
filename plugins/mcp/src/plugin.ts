// Tools of MCP servers: the plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { callMcpToolTask } from './call-mcp-tool.js';
import { listMcpToolsTask } from './list-mcp-tools.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'mcp',
  taskTypes: [listMcpToolsTask, callMcpToolTask],
};
