// Measures what metrics cost on the path of a task: a request is counted and timed, and a commit's
// batch is measured twice. A task takes one request (an update that brings the next task) or two
// (update and poll), and shares its batch with others. Run: node bin/tool.mjs bench/metrics
import { requestObserver } from '../src/api/request-metrics.js';
import { Metrics } from '../src/telemetry/metrics.js';

const metrics = new Metrics();
const observe = requestObserver(metrics);
const routes = ['/api/tasks/update-v2', '/api/tasks/poll/:tasktype'] as const;
const warmUps = 300_000;
const calls = 1_000_000;

/** Milliseconds of 0.1 to 400, so that every bucket is met. */
const observed = Array.from({ length: 1024 }, (_, i) => 0.1 * 1.008 ** i);

function countRequest(i: number): void {
  observe('POST', routes[i & 1] as string, 200, observed[i & 1023] as number);
}

function countBatch(i: number): void {
  metrics.observe('commitBatchSize', observed[i & 1023] as number);
  metrics.observe('gateWaitSeconds', observed[(i + 5) & 1023] as number);
}

/** Microseconds per call. */
function measure(call: (i: number) => void): number {
  for (let i = 0; i < warmUps; i++) call(i);
  const begin = performance.now();
  for (let i = 0; i < calls; i++) call(i);
  return ((performance.now() - begin) * 1000) / calls;
}

for (const [name, call] of [
  ['a request', countRequest],
  ['a batch', countBatch],
] as const) {
  process.stdout.write(`metrics of ${name}: ${measure(call).toFixed(2)} us\n`);
}
