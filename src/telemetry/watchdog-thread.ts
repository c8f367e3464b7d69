// The thread of watchdog.ts. When the event loop of the process is blocked it says so in the log
// and ends the process. Both bypass the loop: the line goes to the file descriptor of the log, and
// what the loop is doing is asked by the protocol of the debugger, which interrupts scripts also
// where they never give the loop back. A loop that waits inside a call of the system does not
// answer: then the process is ended by a signal.
import { readFileSync, write } from 'node:fs';
import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { noteSymbol, type WatchdogOrders } from './watchdog.js';

const { heartbeat, everyMs, blockedMsMax, exitCode, log } = workerData as WatchdogOrders;

/** How long the blocked loop may take to answer, and the log to take the line, ms. */
const answerMs = 1000;
const logFd = 1;
/** Of pino: fatal. */
const fatalLevel = 60;

interface Doing {
  readonly execution: string;
  readonly stack: string;
}

let seen = -1;
let blockedMs = 0;
let tickedAt = performance.now();
let starvedMs = readStarvedMs();

const ticking = setInterval(() => {
  const now = performance.now();
  const isOnTime = now - tickedAt < 2 * everyMs;
  tickedAt = now;
  const starvedBefore = starvedMs;
  starvedMs = readStarvedMs();
  const beat = Atomics.load(heartbeat, 0);
  if (beat !== seen) blockedMs = 0;
  else if (isOnTime) blockedMs += Math.max(0, everyMs - (starvedMs - starvedBefore));
  seen = beat;
  if (blockedMs < blockedMsMax) return;
  clearInterval(ticking);
  void end();
}, everyMs);

/**
 * How long the first thread, which is the loop's, was ready and had no processor. 0 where the
 * system does not tell.
 */
function readStarvedMs(): number {
  try {
    const [, nanoseconds] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return 0;
  }
}

async function end(): Promise<void> {
  const session = new Session();
  session.connectToMainThread();
  const doing = await inTime(ask(session));
  if (log !== 'none') await inTime(writeLine(lineOf(doing)));
  await inTime(evaluate(session, `process.reallyExit(${exitCode})`));
  process.kill(process.pid, 'SIGABRT');
}

/** undefined when it took too long. */
function inTime<T>(promise: Promise<T>): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => {
    setTimeout(() => resolve(undefined), answerMs);
  });
  return Promise.race([promise, late]);
}

async function ask(session: Session): Promise<Doing> {
  const note = `globalThis[Symbol.for('${noteSymbol}')].execution`;
  const answer = await evaluate(session, `JSON.stringify([${note}, new Error().stack])`);
  const [execution, stack] = JSON.parse(String(answer)) as [string, string];
  // The first two lines are about the question.
  return { execution, stack: stack.split('\n').slice(2).join('\n') };
}

/** In the thread of the event loop, wherever that is. */
function evaluate(session: Session, expression: string): Promise<unknown> {
  return new Promise((resolve) => {
    session.post('Runtime.evaluate', { expression, returnByValue: true }, (_error, answer) => {
      resolve((answer as { result: { value?: unknown } } | undefined)?.result.value);
    });
  });
}

function lineOf(doing: Doing | undefined): string {
  const during = doing === undefined ? '' : `; it ${describe(doing)}`;
  const msg = `The event loop was blocked for ${blockedMsMax} ms${during}. The process ends`;
  if (log === 'text') return `FATAL: ${msg}\n${doing?.stack ?? ''}\n`;
  const { pid } = process;
  return `${JSON.stringify({ level: fatalLevel, time: Date.now(), pid, ...doing, msg })}\n`;
}

function describe({ execution }: Doing): string {
  return execution === '' ? 'ran no step of an execution' : `ran a step of execution ${execution}`;
}

/** Not `writeSync`, which would wait for ever where nobody reads the log. */
function writeLine(line: string): Promise<void> {
  return new Promise((resolve) => {
    write(logFd, line, () => resolve());
  });
}
