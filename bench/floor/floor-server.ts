// The floor: what a server costs that does nothing with a chain of worker tasks but take its
// requests. It has the HTTP library, the JSON parser and the Redis client of the server. Each start
// and each report is parsed and costs one write of a given number of bytes; while a write is under
// way the next ones gather, and a request is answered when its write is on disk. Tasks to be polled
// stand in memory. No definitions, no checks, no state that a restart would find.
//
// Started by floor.ts with what FloorWork says, as JSON; prints its port.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import uws from 'uWebSockets.js';
import type { HttpResponse } from 'uWebSockets.js';
import type { FloorWork } from './floor.js';

const work = JSON.parse(process.argv[2] ?? '') as FloorWork;
const redis = new Redis(work.socketPath);
const app = uws.App();

// ---- group commit ----

/** As the server's `commitsPerBatchMax`. */
const writesPerBatchMax = 100;
/** Bytes that the protocol adds to a value in the append-only file, with its key. */
const framingBytes = 26;
const padding = 'v'.repeat(Math.max(0, Math.round(work.bytesPerWrite) - framingBytes));
let waiting: { value: string; written: () => void }[] = [];
let isWriting = false;
let writes = 0;

function write(body: string, written: () => void): void {
  waiting.push({ value: body.slice(0, padding.length) + padding.slice(body.length), written });
  if (isWriting) return;
  isWriting = true;
  setImmediate(() => void writeAll());
}

async function writeAll(): Promise<void> {
  while (waiting.length > 0) {
    const batch = waiting.slice(0, writesPerBatchMax);
    waiting = waiting.slice(writesPerBatchMax);
    await redis.mset(batch.flatMap(({ value }) => [`floor:${writes++}`, value]));
    for (const { written } of batch) written();
  }
  isWriting = false;
}

// ---- what is to be polled ----

interface Task {
  readonly workflowId: string;
  readonly step: number;
}

interface Parked {
  readonly count: number;
  readonly answer: (tasks: Task[]) => void;
}

class Queue {
  readonly #tasks: Task[] = [];
  readonly #parked = new Set<Parked>();

  add(task: Task): void {
    this.#tasks.push(task);
    // Once the turn is over, so that what became ready together goes out together.
    if (this.#tasks.length === 1) queueMicrotask(() => this.#serve());
  }

  poll(count: number, timeoutMs: number, answer: (tasks: Task[]) => void): void {
    if (this.#tasks.length > 0) return answer(this.#tasks.splice(0, count));
    const timer = setTimeout(() => parked.answer([]), timeoutMs);
    const parked: Parked = {
      count,
      answer: (tasks) => {
        clearTimeout(timer);
        this.#parked.delete(parked);
        answer(tasks);
      },
    };
    this.#parked.add(parked);
  }

  #serve(): void {
    for (const { count, answer } of this.#parked) {
      if (this.#tasks.length === 0) return;
      answer(this.#tasks.splice(0, count));
    }
  }
}

const queues = new Map(work.taskTypes.map((type) => [type, new Queue()]));

function ready(workflowId: string, step: number): void {
  const type = work.taskTypes[step % work.taskTypes.length] ?? '';
  if (step < work.length) queues.get(type)?.add({ workflowId, step });
}

const stepAt = 28;

function textOf({ workflowId, step }: Task): string {
  const taskId = workflowId.slice(0, stepAt) + step.toString(16).padStart(8, '0');
  const ids = `"taskId":"${taskId}","workflowInstanceId":"${workflowId}"`;
  return `{${ids},"seq":${step + 1},"inputData":{}}`;
}

// ---- requests ----

/** Collects the body; `use` gets its JSON, its text and what answers. */
function posted(
  response: HttpResponse,
  use: (body: unknown, text: string, answer: (text: string) => void) => void,
): void {
  let isGone = false;
  let text = '';
  response.onAborted(() => (isGone = true));
  const answer = (answered: string): void => {
    if (isGone) return;
    response.cork(() => response.writeHeader('Content-Type', 'text/plain').end(answered));
  };
  response.onData((chunk, isLast) => {
    text += Buffer.from(chunk).toString();
    if (isLast) use(JSON.parse(text), text, answer);
  });
}

app.post('/api/workflow', (response) => {
  posted(response, (_, text, answer) => {
    write(text, () => {
      const workflowId = randomUUID();
      ready(workflowId, 0);
      answer(workflowId);
    });
  });
});

app.post('/api/tasks', (response) => {
  posted(response, (body, text, answer) => {
    const { workflowInstanceId, taskId } = body as { workflowInstanceId: string; taskId: string };
    write(text, () => {
      ready(workflowInstanceId, Number.parseInt(taskId.slice(stepAt), 16) + 1);
      answer(taskId);
    });
  });
});

app.get('/api/tasks/poll/batch/:type', (response, request) => {
  let isGone = false;
  response.onAborted(() => (isGone = true));
  const count = Number(request.getQuery('count'));
  const timeoutMs = Number(request.getQuery('timeout'));
  const queue = queues.get(request.getParameter(0) ?? '');
  queue?.poll(count, timeoutMs, (tasks) => {
    if (isGone) return;
    const text = `[${tasks.map(textOf).join(',')}]`;
    response.cork(() => response.writeHeader('Content-Type', 'application/json').end(text));
  });
});

/** As much as the server tells of a task definition. */
const taskDef = JSON.stringify({ name: 'bench_ping', description: 'd'.repeat(400) });

app.get('/api/metadata/taskdefs/:name', (response) => {
  response.cork(() => response.writeHeader('Content-Type', 'application/json').end(taskDef));
});

app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) throw new Error('the floor cannot listen');
  process.stdout.write(`port ${uws.us_socket_local_port(socket)}\n`);
});
