// Another caller, in a process of its own: reads each 10 ms, starts an execution each 25 ms and one
// with a script each 250 ms, whether or not the earlier requests have been answered, until its
// input ends; then prints how long they took. The time in which the main thread of the node waits
// for a processor does not count: on a busy machine a server would be asked for more than the
// share of a processor that it gets can answer, and answers would queue up without any flood.
//
// A busy machine makes every answer late. So each kind also tells how much processor time the main
// thread of the node and its Redis used between question and answer, and how late the answer was
// without the time in which they, or this process, were ready to run and had no processor: both say
// the same on every machine. What the server does while this process waits for a processor to read
// an answer is not what the answer took: that wait is taken off. Prints "enough" once it has as
// many answers as were asked for, because a quantile of few answers is their maximum.
// Arguments: port, token, id of an execution to read, process ids of node and Redis, reads and
// starts that are enough.
import fs from 'node:fs';
import { HttpSocket, requestText } from '../../bench/http-socket.js';
import { percentile } from '../../bench/latencies.js';
import { neighbourScript, neighbourStart } from './neighbour-definitions.js';

const [port = '', token = '', id = '', node = '', redis = '', ...least] = process.argv.slice(2);
const [readsMin = 0, startsMin = 0] = least.map(Number);

/** Files with the processor time of a thread and how long it waited for a processor, ns. */
const clockOf = (pid: number | string): number[] => {
  const file = `/proc/${pid}/task/${pid}/schedstat`;
  return fs.existsSync(file) ? [fs.openSync(file, 'r')] : [];
};
const nodeClocks = clockOf(node);
const serverClocks = [...nodeClocks, ...clockOf(redis)];
const ownClocks = clockOf(process.pid);
const read = Buffer.alloc(64);

/** Of threads so far, ms; 0 where the system does not tell. */
function timesOf(clocks: readonly number[]): { used: number; waited: number } {
  let used = 0;
  let waited = 0;
  for (const clock of clocks) {
    const length = fs.readSync(clock, read, 0, read.length, 0);
    const [usedNs, waitedNs] = read.toString('latin1', 0, length).split(' ').map(Number);
    used += (usedNs ?? 0) / 1e6;
    waited += (waitedNs ?? 0) / 1e6;
  }
  return { used, waited };
}

interface Moment {
  readonly at: number;
  /** Processor time of the server so far, ms. */
  readonly used: number;
  /** How long the server and this process have waited for a processor so far, ms. */
  readonly waited: number;
  /** How long this process waited for a processor just before this moment, ms. */
  readonly wokeLate: number;
}

let ownWaited = 0;

function moment(at = performance.now()): Moment {
  const { used, waited } = timesOf(serverClocks);
  const own = timesOf(ownClocks).waited;
  const wokeLate = own - ownWaited;
  ownWaited = own;
  return { at, used, waited: waited + own, wokeLate };
}

export interface Waits {
  readonly count: number;
  /** Answers other than 200, and requests without one. */
  readonly failed: number;
  /** ms. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Processor time of the server meanwhile, ms. */
  readonly work: Quantiles;
  /** What of the time was not a wait for a processor, and at least `work`, ms. */
  readonly served: Quantiles;
}

interface Quantiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

class Kind {
  readonly #idle: HttpSocket[] = [];
  readonly #sent = new Map<HttpSocket, Moment>();
  readonly #took: number[] = [];
  readonly #work: number[] = [];
  readonly #served: number[] = [];
  #failed = 0;

  constructor(private readonly request: string) {}

  send(sentAt = performance.now()): void {
    const socket = this.#idle.pop() ?? this.#open();
    const from = moment(sentAt);
    this.#sent.set(socket, from);
    socket.send(this.request, (status) => {
      this.#sent.delete(socket);
      this.#idle.push(socket);
      this.#note(from);
      tellEnough();
      if (status !== 200) this.#failed += 1;
    });
  }

  #note(from: Moment): void {
    const to = moment();
    const took = to.at - from.at;
    const work = Math.max(0, to.used - from.used - to.wokeLate);
    this.#took.push(took);
    this.#work.push(work);
    this.#served.push(Math.min(took, Math.max(work, took - (to.waited - from.waited))));
  }

  get answers(): number {
    return this.#took.length;
  }

  get isAnswered(): boolean {
    return this.#sent.size === 0;
  }

  /** What has no answer yet has waited until now. */
  waits(): Waits {
    const failed = this.#failed + this.#sent.size;
    for (const from of this.#sent.values()) this.#note(from);
    return {
      ...{ count: this.#took.length, failed, ...quantilesOf(this.#took) },
      work: quantilesOf(this.#work),
      served: quantilesOf(this.#served),
    };
  }

  #open(): HttpSocket {
    const socket = new HttpSocket(
      Number(port),
      () => {
        const from = this.#sent.get(socket);
        this.#sent.delete(socket);
        socket.close();
        if (from !== undefined) this.send(from.at);
      },
      { token },
    );
    return socket;
  }
}

function quantilesOf(values: number[]): Quantiles {
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number): number => Number(percentile(sorted, share).toFixed(1));
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

const start = (name: string): string =>
  requestText('POST', '/api/workflow', JSON.stringify({ name, version: 1, input: { n: 1 } }));
const reads = new Kind(requestText('GET', `/api/workflow/${id}?includeTasks=true`));
const starts = new Kind(start(neighbourStart));
const scripts = new Kind(start(neighbourScript));
let hasEnough = false;

function tellEnough(): void {
  const isEnough = reads.answers >= readsMin && starts.answers >= startsMin;
  if (!isEnough || hasEnough) return;
  hasEnough = true;
  process.stdout.write('"enough"\n');
}

/** What is sent, how often, and when the next one is due, ms of the node's own time. */
const paces = [
  { kind: reads, everyMs: 10, dueAt: 0 },
  { kind: starts, everyMs: 25, dueAt: 0 },
  { kind: scripts, everyMs: 250, dueAt: 0 },
];

/** Time in which the node was not waiting for a processor, ms. */
const nodeTime = (): number => performance.now() - timesOf(nodeClocks).waited;

const beganAt = nodeTime();
const timer = setInterval(() => {
  const now = nodeTime() - beganAt;
  for (const pace of paces) {
    if (now < pace.dueAt) continue;
    pace.kind.send();
    pace.dueAt = Math.max(pace.dueAt + pace.everyMs, now - pace.everyMs);
  }
}, 5);
/** Answers that are still owed at the end may take so long. */
const lateMs = 5000;

process.stdin.on('end', () => {
  clearInterval(timer);
  const endAt = performance.now() + lateMs;
  const finish = (): void => {
    const isAnswered = [reads, starts, scripts].every((kind) => kind.isAnswered);
    if (!isAnswered && performance.now() < endAt) return void setTimeout(finish, 20);
    const told = { reads: reads.waits(), starts: starts.waits(), scripts: scripts.waits() };
    process.stdout.write(`${JSON.stringify(told)}\n`, () => process.exit());
  };
  finish();
});
process.stdin.resume();
