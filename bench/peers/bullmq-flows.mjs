// Flows of five steps in a row with BullMQ: adds them, works on them, and checks that each step saw
// the result of the one before. Started by bullmq.ts with its job as JSON; prints "begin" when it
// is ready, begins at SIGUSR2, and prints "end" with what it found.
import { createRequire } from 'node:module';
import path from 'node:path';
import { measure } from './measure.mjs';

const job = JSON.parse(process.argv[2]);
const { FlowProducer, Worker } = createRequire(path.join(job.folder, 'package.json'))('bullmq');

const steps = 5;
const addAtOnce = 50;
const connection = { host: '127.0.0.1', port: job.port, maxRetriesPerRequest: null };
const opts = { removeOnComplete: true, removeOnFail: false };
const padding = 'v'.repeat(53);
const producer = new FlowProducer({ connection });
const wrong = [];
let open = 0;
let added = 0;
let done = 0;
let goal = 0;
let finished = () => undefined;

/** A step is the parent of the one before it. */
function flow(step = steps) {
  const children = step === 1 ? undefined : [flow(step - 1)];
  return { name: 'step', queueName: job.queue, data: { step }, opts, children };
}

async function carryOut(item) {
  const { step } = item.data;
  const [before] = step === 1 ? [{ step: 0 }] : Object.values(await item.getChildrenValues());
  if (before?.step !== step - 1) wrong.push(`step ${step} came after ${before?.step}`);
  return { step, done: padding };
}

const concurrency = job.window === 1 ? 1 : 100;
const worker = new Worker(job.queue, carryOut, { connection, concurrency });
worker.on('failed', (_, error) => wrong.push(String(error)));
worker.on('error', (error) => wrong.push(String(error)));
worker.on('completed', (item) => {
  if (item.data.step !== steps) return;
  open--;
  done++;
  if (done === goal) finished();
  else void addMore();
});

async function addMore() {
  const count = Math.min(job.window - open, goal - added, addAtOnce);
  if (count <= 0 || (count < addAtOnce && open > job.window / 2)) return;
  open += count;
  added += count;
  await producer.addBulk(Array.from({ length: count }, () => flow()));
  void addMore();
}

async function run(flows) {
  goal = flows;
  added = done = open = 0;
  const ended = new Promise((resolve) => (finished = resolve));
  await addMore();
  await ended;
}

await worker.waitUntilReady();
await measure(job, { run, steps, wrong });
