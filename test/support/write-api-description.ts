// Writes the OpenAPI document of a server as it is built to a file, for programmes that generate
// types from it: `npm run describe -- openapi.json`.
import { writeFileSync } from 'node:fs';
import { readOptions } from '../../bin/lib/options.mjs';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer } from '../../testkit/server.js';

const [file = 'dist/openapi.json'] = readOptions({
  command: 'npm run describe --',
  about: 'Writes the OpenAPI document of a server as it is built.',
  options: {},
  positional: '[FILE, else dist/openapi.json]',
}).arguments;
const server = await startServer();
const api = new ApiClient(server.url);
try {
  const { body } = await api.ask('GET', '/api-docs.json');
  writeFileSync(file, `${JSON.stringify(body, null, 2)}\n`);
} finally {
  await api.close();
  await server.stop();
}
