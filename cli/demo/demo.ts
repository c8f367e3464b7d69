// The demo of `downbeat start --demo`: an order that is reserved, charged and shipped, a worker for
// its three tasks, and a schedule that starts one every five seconds. Some charges fail at the
// first try, and every tenth order waits for a person's word, so that the page has something of
// everything.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../shared/api-client.js';
import { objectOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';

export const demoName = 'downbeat_demo';
const everySeconds = 5;
const workMs = 400;

const simple = (ref: string, inputParameters: JsonObject): JsonObject => ({
  name: `demo_${ref}`,
  taskReferenceName: ref,
  type: 'SIMPLE',
  inputParameters,
});

const definition: JsonObject = {
  name: demoName,
  version: 1,
  description: 'An order of the demo (downbeat start --demo).',
  tasks: [
    simple('reserve', { sku: '${workflow.input.sku}' }),
    {
      name: 'worth_a_look',
      taskReferenceName: 'worth_a_look',
      type: 'SWITCH',
      evaluatorType: 'value-param',
      expression: 'isLarge',
      inputParameters: { isLarge: '${reserve.output.isLarge}' },
      decisionCases: {
        true: [
          {
            name: 'approve',
            taskReferenceName: 'approve',
            type: 'HUMAN',
            inputParameters: { price: '${reserve.output.price}' },
          },
        ],
      },
      defaultCase: [],
    },
    simple('charge', { amount: '${reserve.output.price}' }),
    simple('ship', { receipt: '${charge.output.receipt}' }),
  ],
  outputParameters: { receipt: '${charge.output.receipt}', parcel: '${ship.output.parcel}' },
};

const taskDefs: readonly JsonObject[] = ['reserve', 'charge', 'ship'].map((ref) => ({
  name: `demo_${ref}`,
  retryCount: 3,
  retryDelaySeconds: 1,
  responseTimeoutSeconds: 30,
  timeoutSeconds: 60,
}));

/** Resolves once `signal` is aborted; rejects when the server refuses what the demo needs. */
export async function demo(client: ApiClient, signal: AbortSignal): Promise<void> {
  await client.post('/api/metadata/taskdefs', taskDefs);
  await client.put('/api/metadata/workflow', [definition]);
  await client.post('/api/scheduler/schedules', {
    name: demoName,
    cronExpression: `*/${everySeconds} * * * * *`,
    zoneId: 'UTC',
    startWorkflowRequest: { name: demoName, version: 1, input: { sku: 'A-17' } },
  });
  await client.post('/api/workflow', { name: demoName, version: 1, input: { sku: 'A-17' } });
  await Promise.all(taskDefs.map((def) => work(client, textOf(def['name']), signal)));
}

async function work(client: ApiClient, type: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const query = { workerid: 'demo', count: 5, timeout: 1000 };
      const tasks = objectsOf(await client.get(`/api/tasks/poll/batch/${type}`, { query, signal }));
      await Promise.all(tasks.map((task) => doTask(client, type, task, signal)));
    } catch {
      // The server stops, or starts again.
      await sleep(1000, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function doTask(
  client: ApiClient,
  type: string,
  task: JsonObject,
  signal: AbortSignal,
): Promise<void> {
  await sleep(workMs * (1 + Math.random()), undefined, { signal });
  const input = objectOf(task['inputData']);
  const { workflowInstanceId, taskId } = task;
  const failsNow = type === 'demo_charge' && task['retryCount'] === 0 && Math.random() < 0.2;
  const outputData: JsonObject =
    {
      demo_reserve: { price: 40, isLarge: Math.random() < 0.1 ? 'true' : 'false' },
      demo_charge: { receipt: `paid ${textOf(input['amount'])}` },
      demo_ship: { parcel: `P-${Math.floor(Math.random() * 1e6)}` },
    }[type] ?? {};
  await client.post('/api/tasks', {
    ...{ workflowInstanceId, taskId, workerId: 'demo' },
    ...(failsNow
      ? {
          status: 'FAILED',
          reasonForIncompletion: 'the bank did not answer (the demo lets some charges fail)',
        }
      : { status: 'COMPLETED', outputData }),
  });
}
