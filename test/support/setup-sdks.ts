// Fetches the published clients of Python, Java and Go that tests drive, and a PostgreSQL with
// pgvector: `npm run setup:sdks`. What is there already is left as it is.
import { readOptions } from '../../bin/lib/options.mjs';
import { findPgvector } from './pgvector.js';
import {
  goClient,
  javaClient,
  javaTestTools,
  newestJavaClient,
  pythonClient,
  pythonTestTools,
} from './sdks.js';

readOptions({
  command: 'npm run setup:sdks',
  about: 'Fetches the published clients that tests drive, and a PostgreSQL with pgvector.',
  options: {},
});
const clients = {
  Python: pythonClient,
  Java: javaClient,
  'the newest Java': newestJavaClient,
  'Python with pytest': pythonTestTools,
  'Java with JUnit': javaTestTools,
  Go: goClient,
  pgvector: findPgvector,
};
for (const [name, fetchClient] of Object.entries(clients)) {
  const client = await fetchClient();
  console.log(`${name}: ${'missing' in client ? client.missing : 'there'}`);
  if ('missing' in client) process.exitCode = 1;
}
