// Statements on databases, and vectors in PostgreSQL: the plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { jdbcTask } from './jdbc.js';
import { pgvectorStore } from './pgvector-index.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'sql',
  taskTypes: [jdbcTask],
  vectorStores: [pgvectorStore],
};
