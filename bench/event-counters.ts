// Measures what the counters per minute cost on the path of a task: a task goes into its queue, is
// handed out and ends after some time, and each fifth one starts and ends an execution, as in a
// chain of five. Once a second the counts are taken; that is measured too. Run: node bin/tool.mjs
// bench/event-counters
import { PendingCommit } from '../src/shard/pending-commit.js';
import { EventCounters } from '../src/telemetry/event-counters.js';

const warmUps = 300_000;
const calls = 1_000_000;
const tasksPerExecution = 5;

const counters = new EventCounters();
const queues = Array.from({ length: 20 }, (_, i) => ({ taskType: `task_${i}` }));
const workflows = Array.from({ length: 20 }, (_, i) => `workflow_${i}`);

/** As commits do it: what is counted waits for the write. */
function countTask(i: number): void {
  const queue = queues[i % queues.length] as { taskType: string };
  const pending = new PendingCommit();
  pending.count(counters.queue(queue, 'scheduled'));
  pending.count(counters.queue(queue, 'completed'));
  pending.count(counters.runTime(queue, (i * 7919) % 4096));
  counters.queue(queue, 'handedOut').add();
  if (i % tasksPerExecution === 0) {
    const name = workflows[i % workflows.length] as string;
    pending.count(counters.workflow(name, 'started'));
    pending.count(counters.workflow(name, 'completed'));
  }
  pending.pass();
}

/** Without counting. */
function passTask(): void {
  new PendingCommit().pass();
}

/** Microseconds per call. */
function measure(call: (i: number) => void, count: number): number {
  for (let i = 0; i < Math.min(warmUps, count); i++) call(i);
  const begin = process.cpuUsage();
  for (let i = 0; i < count; i++) call(i);
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / count;
}

const bare = measure(passTask, calls);
const counted = measure(countTask, calls);
process.stdout.write(`counting a task: ${(counted - bare).toFixed(2)} us\n`);
const turns = 10_000;
const take = measure((i) => {
  for (let task = 0; task < queues.length; task++) countTask(i + task);
  counters.take();
}, turns);
process.stdout.write(
  `taking the counts of 20 queues: ${(take - queues.length * counted).toFixed(1)} us a second\n`,
);
