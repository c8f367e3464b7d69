// Prepares a new deployment for the example of compose.yaml: the first administrator's key (made by
// the admin command, which needs the store alone), the definitions, and a key for workers. The keys
// lie in two files. Each step leaves alone what a run before has made and what still works.
//   SERVER_URL       a node
//   ADMIN_KEY_FILE   where the administrator's key goes
//   WORKER_KEY_FILE  where the workers' key goes
import { execFile } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const { SERVER_URL, ADMIN_KEY_FILE, WORKER_KEY_FILE } = process.env;
const taskNames = ['reserve', 'charge'];
/** A running server knows a new key within a second. */
const triesMax = 50;
const pauseMs = 200;

const admin = await ensureKey(ADMIN_KEY_FILE, createAdminKey);
await ensureDefinitions(admin);
await ensureKey(WORKER_KEY_FILE, () => createWorkerKey(admin));
console.log(`ready: keys in ${ADMIN_KEY_FILE} and ${WORKER_KEY_FILE}`);

/** A token of the key in the file; a new key is made when there is none, or none that works. */
async function ensureKey(file, create) {
  const known = await readFile(file, 'utf8').catch(() => undefined);
  const token = known && (await tokenOf(JSON.parse(known)));
  if (token) return token;
  const key = await create();
  await writeFile(`${file}.new`, JSON.stringify(key), { mode: 0o600 });
  await rename(`${file}.new`, file);
  for (let tries = 0; tries < triesMax; tries++) {
    const fresh = await tokenOf(key);
    if (fresh) return fresh;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`${SERVER_URL} does not accept the key that was just made`);
}

async function createAdminKey() {
  const { stdout } = await promisify(execFile)(process.execPath, [
    'dist/admin-command.js',
    'create-key',
  ]);
  return JSON.parse(stdout);
}

/** A key that may poll and update the tasks of the example and do nothing else. */
async function createWorkerKey(token) {
  const { id } = await send('POST', '/api/applications', { name: 'example-worker' }, token);
  await send('POST', `/api/applications/${id}/roles/WORKER`, undefined, token);
  for (const name of taskNames) {
    const subject = { type: 'USER', id: `app:${id}` };
    const grant = { subject, target: { type: 'TASK_DEF', id: name }, access: ['EXECUTE'] };
    await send('POST', '/api/auth/authorization', grant, token);
  }
  const key = await send('POST', `/api/applications/${id}/accessKeys`, undefined, token);
  return { keyId: key.id, keySecret: key.secret };
}

/** The example of the README. */
async function ensureDefinitions(token) {
  const path = '/api/metadata/workflow/order';
  const known = await fetch(SERVER_URL + path, { headers: { 'x-authorization': token } });
  if (known.ok) return;
  const tasks = taskNames.map((name) => ({ name, responseTimeoutSeconds: 30 }));
  await send('POST', '/api/metadata/taskdefs', tasks, token);
  const task = (name, inputParameters) => ({
    name,
    taskReferenceName: name,
    type: 'SIMPLE',
    inputParameters,
  });
  const workflow = {
    name: 'order',
    version: 1,
    tasks: [
      task('reserve', { sku: '${workflow.input.sku}' }),
      task('charge', { amount: '${reserve.output.price}' }),
    ],
    outputParameters: { receipt: '${charge.output.receipt}' },
  };
  await send('POST', '/api/metadata/workflow', workflow, token);
}

/** undefined when the server does not know the key (yet). */
async function tokenOf(key) {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(key) };
  const answer = await fetch(`${SERVER_URL}/api/token`, request);
  return answer.ok ? (await answer.json()).token : undefined;
}

async function send(method, path, body, token) {
  const answer = await fetch(SERVER_URL + path, {
    method,
    headers: { 'content-type': 'application/json', 'x-authorization': token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
}
