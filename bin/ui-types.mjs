// `npm run ui:types -- http://127.0.0.1:8080`: writes ui/src/api/schema.d.ts from the description
// that a running server gives of itself. Only its forms: the page names paths itself.
import fs from 'node:fs';
import path from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { readOptions } from './lib/options.mjs';
import { projectRoot } from './lib/run.mjs';

/** The text of schema.d.ts for a description. */
export async function typesOf(description) {
  const { openapi, info, components } = description;
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const forms = { openapi, info, paths: {}, components: { schemas } };
  const ast = await openapiTypescript(forms, { silent: true });
  return `// Made by \`npm run ui:types\` from the server's description of its API.\n${astToString(ast)}`;
}

if (process.argv[1] === path.join(projectRoot, 'bin', 'ui-types.mjs')) {
  const [server = 'http://127.0.0.1:8080'] = readOptions({
    command: 'npm run ui:types --',
    about: 'Writes the types of the page from the description that a running server gives.',
    options: {},
    positional: '[URL of the server, else http://127.0.0.1:8080]',
  }).arguments;
  const response = await fetch(`${server}/api-docs.json`);
  const file = path.join(projectRoot, 'ui', 'src', 'api', 'schema.d.ts');
  fs.writeFileSync(file, await typesOf(await response.json()));
}
