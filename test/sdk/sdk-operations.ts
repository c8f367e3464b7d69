// The operations that the JavaScript SDK calls, read from its sources: each generated method names
// its HTTP method and its path.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const call = /\.(get|post|put|delete|patch)\(\{(?:(?!\}\);)[\s\S])*?url: "([^"]+)"/g;

/** Such as `GET /api/workflow/{workflowId}`, each once. */
export function sdkOperations(): string[] {
  const file = createRequire(import.meta.url).resolve('@io-orkes/conductor-javascript');
  const found = [...readFileSync(file, 'utf8').matchAll(call)];
  return [...new Set(found.map(([, method, path]) => `${method?.toUpperCase()} ${path}`))].sort();
}
