// An example of workers in a container: the tasks of the README's example, with the JavaScript SDK.
import { readFileSync } from 'node:fs';
import { TaskManager, orkesConductorClient } from '@io-orkes/conductor-javascript';

const { SERVER_URL, WORKER_KEY_FILE } = process.env;
// As set-up.mjs writes it, or as `downbeat key create --json` prints it.
const key = JSON.parse(readFileSync(WORKER_KEY_FILE, 'utf8'));
const { keyId = key.id, keySecret = key.secret } = key;
const client = await orkesConductorClient({ serverUrl: SERVER_URL, keyId, keySecret });
const workers = [
  {
    taskDefName: 'reserve',
    execute: async ({ inputData }) => ({
      status: 'COMPLETED',
      outputData: { price: inputData.sku.length * 10 },
    }),
  },
  {
    taskDefName: 'charge',
    execute: async ({ inputData }) => ({
      status: 'COMPLETED',
      outputData: { receipt: `paid ${inputData.amount}` },
    }),
  },
];
const manager = new TaskManager(client, workers, { options: { pollInterval: 100 } });
// Tasks in hand are finished before the process ends.
process.once('SIGTERM', () => void manager.stopPolling().then(() => process.exit(0)));
manager.startPolling();
console.log(`polls ${SERVER_URL} for ${workers.map(({ taskDefName }) => taskDefName).join(', ')}`);
