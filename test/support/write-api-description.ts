// Writes the OpenAPI document of a server as it is built to a file, for programmes that generate
// types from it: `npm run describe -- openapi.json`.
import { writeFileSync } from 'node:fs';
import { ApiClient } from './api-client.js';
import { startServer } from './server.js';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: npm run describe -- openapi.json');
const server = await startServer();
const api = new ApiClient(server.url);
try {
  const { body } = await api.ask('GET', '/api-docs.json');
  writeFileSync(file, `${JSON.stringify(body, null, 2)}\n`);
} finally {
  await api.close();
  await server.stop();
}
