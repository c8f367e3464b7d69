// Measures what traces cost on the path of a task: a chain of five tasks whose execution is
// started, and whose tasks are decided, handed out, reported and committed. Measured without a
// tracer, with one whose sampler wants 1 % of the traces, and with one that wants all. The spans go
// to the real SDK and its batches, and from there nowhere. Run: node bin/tool.mjs bench/tracing
// (its plug-in is installed by `npm run setup:plugins -- opentelemetry`)
import { tracingTo } from '../plugins/opentelemetry/src/open-tracing.js';
import { Changes } from '../src/engine/decision.js';
import { createExecution, openExecution } from '../src/engine/load-execution.js';
import type { OpenExecution } from '../src/engine/open-execution.js';
import type { ExecutionAttributes, Task } from '../src/model/execution.js';
import { Payload } from '../src/model/payload.js';
import { spansOf, type ExecutionSpans } from '../src/shard/execution-spans.js';
import { traceAtStart } from '../src/shard/trace-at-start.js';
import { systemClock } from '../src/std/clock.js';
import { executionIdOf } from '../src/std/ids.js';
import type { Commit } from '../src/store/execution-store.js';
import { Tracing } from '../src/telemetry/tracing.js';

const tasksPerExecution = 5;
const warmUps = 2000;
const id = executionIdOf(1, Buffer.alloc(12, 7));
const plain = createExecution(id);
const config = { name: 'work', taskReferenceName: 'work', type: 'SIMPLE', inputParameters: {} };

function tracingWith(ratio: number): Tracing {
  const nowhere = {
    export: (_spans: unknown, done: (result: { code: 0 }) => void) => done({ code: 0 }),
    shutdown: () => Promise.resolve(),
  };
  const { tracer } = tracingTo(nowhere, {
    environment: {
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: String(ratio),
    },
    ...{ serverVersion: '', nodeId: 'bench', warn: () => undefined },
  });
  return new Tracing(tracer, systemClock);
}

function taskOf(number: number): Task {
  const now = Date.now();
  return {
    ...{ number, ref: 'work', config, taskType: 'work', defName: 'work', status: 'COMPLETED' },
    ...{ seq: number, retryCount: 0, reopenCount: 0, scheduledAt: now - 5, startAt: now - 3 },
    ...{ endAt: now, pollCount: 1, callbackAfterMs: 0, callbackAfterSeconds: 0 },
    ...{ workerId: 'bench', input: Payload.empty, output: Payload.empty },
  } as unknown as Task;
}

const tasks = Array.from({ length: tasksPerExecution }, (_, i) => taskOf(i + 1));
const change = tasks.map((task, i) => {
  const changes = new Changes();
  changes.touch(task, 1);
  changes.created = i === 0;
  return { changes } as unknown as Commit;
});

/** Makes the calls of the server to the tracer while it carries out one execution. */
function runExecution(tracing: Tracing | undefined, open: OpenExecution): void {
  const attributes: ExecutionAttributes = { priority: 0, taskToDomain: {} };
  const trace = traceAtStart(tracing, { name: 'bench', parent: undefined, isOrdered: false });
  const spans: ExecutionSpans | undefined = spansOf(tracing, open, trace);
  if (trace !== undefined) attributes.trace = trace;
  spans?.started(spans.now());
  for (const [i, task] of tasks.entries()) {
    const beganAt = spans?.now() ?? 0;
    spans?.decided({ kind: 'wake' }, beganAt, undefined);
    const claimedAt = spans?.now() ?? 0;
    spans?.handedOut(task, claimedAt);
    const planned = spans?.planned(change[i] as Commit);
    if (planned !== undefined) spans?.landed(planned, systemClock.monotonic(), 10);
  }
}

/** Processor time of one task, microseconds. */
async function measure(tracing: Tracing | undefined, executions: number): Promise<number> {
  const open = openExecution(plain);
  for (let i = 0; i < warmUps; i++) runExecution(tracing, open);
  await new Promise(setImmediate);
  const begin = process.cpuUsage();
  for (let i = 0; i < executions; i++) {
    runExecution(tracing, open);
    // As a server does, so that batches leave.
    if (i % 100 === 0) await new Promise(setImmediate);
  }
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / (executions * tasksPerExecution);
}

const off = await measure(undefined, 200_000);
process.stdout.write(`without a tracer: ${off.toFixed(3)} us a task\n`);
for (const [ratio, executions] of [
  [0.01, 100_000],
  [1, 2000],
] as const) {
  const cost = await measure(tracingWith(ratio), executions);
  process.stdout.write(`${ratio * 100} % of the traces: ${(cost - off).toFixed(2)} us a task\n`);
}
