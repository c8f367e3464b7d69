// The page's types say what the server's description says.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { projectRoot } from '../../testkit/project.js';
import { sharedServer } from '../support/shared-server.js';

const server = sharedServer(import.meta.url);

it('has types of the page that fit the description of the API', async () => {
  const api = new ApiClient(server.url);
  const { body } = await api.request('GET', '/api-docs.json');
  await api.close();
  const program = pathToFileURL(path.join(projectRoot, 'bin', 'ui-types.mjs')).href;
  const { typesOf } = (await import(program)) as {
    typesOf: (description: unknown) => Promise<string>;
  };
  const file = path.join(projectRoot, 'ui', 'src', 'api', 'schema.d.ts');
  const isSame = fs.readFileSync(file, 'utf8') === (await typesOf(body));
  expect(isSame, 'start a server and run `npm run ui:types -- <its address>`').toBe(true);
});
