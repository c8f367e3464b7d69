// Measures webhooks against a running server of its own: the time from sending an event to the
// commit that completes the task that waits for it, while many others wait, and the processor time
// of an event (with the question whether its execution has ended).
//
//   node bin/tool.mjs bench/webhooks --waiting 100000 --events 500
import os from 'node:os';
import { readOptions } from '../bin/lib/options.mjs';
import { ApiClient } from '../testkit/api-client.js';
import { startServer } from '../testkit/server.js';
import { processorTime } from './processor-time.js';

const { waiting, events } = readOptions({
  command: 'node bin/tool.mjs bench/webhooks',
  about: 'Measures how long a call of a webhook takes to the commit of the task that it completes.',
  options: {
    waiting: { type: 'integer', default: 100_000, about: 'tasks that wait for calls' },
    events: { type: 'integer', default: 500, about: 'calls that are measured' },
  },
});
const server = await startServer();
const api = new ApiClient(server.url);
try {
  const task = { name: 'w', taskReferenceName: 'w', type: 'WAIT_FOR_WEBHOOK' };
  const inputParameters = { matches: { id: '${workflow.input.id}' } };
  await api.registerWorkflows({ name: 'waits', tasks: [{ ...task, inputParameters }] } as never);
  await api.request('POST', '/api/metadata/webhook', {
    id: 'bench',
    name: 'bench',
    sourcePlatform: 'Custom',
    verifier: 'HEADER_BASED',
    headers: { 'x-key': 'k' },
    receiverWorkflowNamesToVersions: { waits: 1 },
  });
  const ids: string[] = [];
  let next = 0;
  const start = async (): Promise<void> => {
    while (next < waiting) {
      const id = next++;
      ids[id] = await api.start({ name: 'waits', version: 1, input: { id } } as never);
    }
  };
  await Promise.all(Array.from({ length: 32 }, start));
  await api.untilTask(ids.at(-1) as string, 'w', 'IN_PROGRESS');
  const durations: number[] = [];
  const before = processorTime(server);
  for (let i = 0; i < events; i += 1) {
    const at = Math.floor((i * waiting) / events);
    const sentAt = Date.now();
    await fetch(`${server.url}/webhook/bench`, {
      method: 'POST',
      headers: { 'x-key': 'k' },
      body: JSON.stringify({ id: at }),
    });
    const { endTime } = await api.untilEnd(ids[at] as string);
    durations.push((endTime as number) - sentAt);
  }
  const after = processorTime(server);
  const each = (key: keyof typeof before): string =>
    ((after[key] - before[key]) / events).toFixed(2);
  durations.sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((q) => durations[Math.floor(durations.length * q)]);
  console.log(
    `${waiting} waiting: an event completes its task in ${p50} ms p50, ${p99} ms p99; processor ` +
      `for each: main thread ${each('main')} ms, all threads of the node ${each('node')} ms, ` +
      `Redis ${each('redis')} ms; load ${os.loadavg()[0]?.toFixed(0)}`,
  );
} finally {
  await api.close();
  await server.stop();
}
