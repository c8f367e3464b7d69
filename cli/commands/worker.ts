// `downbeat worker run TYPE -- COMMAND`: a worker in one line. The command gets the task's input as
// JSON on standard input (with --arg as its last argument), its standard output is the output of
// the task, and its exit code says how it ended: 0 completed, 100 failed for good, else failed and
// tried again as the task definition says. `--js` takes a JavaScript function instead.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { ApiClient } from '../shared/api-client.js';
import type { Context } from '../shared/context.js';
import { badInput, Failure, exitCodes } from '../shared/failure.js';
import { wholeNumber } from '../shared/given-json.js';
import {
  isObject,
  numberOf,
  objectOf,
  objectsOf,
  textOf,
  type JsonObject,
} from '../shared/json.js';

type Make = (command: Command) => Context;

const pollWaitMs = 1000;
const awayMs = 1000;
const failsForGood = 100;
/** Of standard error that goes into the reason of a failure. */
const reasonCharsMax = 500;
const outputCharsMax = 16 * 1024 * 1024;

interface RunOptions {
  readonly domain?: string;
  readonly concurrency: string;
  readonly count?: string;
  readonly arg?: boolean;
  readonly js?: string;
  readonly id?: string;
}

interface Outcome {
  readonly status: 'COMPLETED' | 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR';
  readonly outputData: JsonObject;
  readonly reasonForIncompletion?: string;
}

type Work = (task: JsonObject) => Promise<Outcome>;

export function addWorker(program: Command, contextOf: Make): void {
  const worker = program.command('worker').helpGroup('Tasks and workers:').summary('do tasks here');
  worker
    .command('run')
    .summary('a worker in one line: downbeat worker run TYPE -- COMMAND')
    .description(
      'Polls for tasks of a type and does each with a command or a JavaScript function. Input: JSON on standard input, or with --arg the last argument. Output: what the command writes; a JSON object is the output as it is, anything else becomes {"result": text}. Exit codes of the command: 0 completed, 100 failed for good, others failed. Ctrl-C takes no more tasks and ends when those under way are done.',
    )
    .argument('<type>', 'task type')
    .argument('[command...]', 'the command and its arguments, after --')
    .option(
      '--js <function>',
      "a JavaScript function, such as 'input => ({ sum: input.a + input.b })'",
    )
    .option('--arg', 'the input is the last argument, not standard input')
    .option('-c, --concurrency <number>', 'tasks at the same time', '1')
    .option('-n, --count <number>', 'end after so many tasks')
    .option('--domain <name>', 'tasks of this domain')
    .option('--id <name>', 'name of the worker; by default that of this machine and process')
    .action(async (type: string, words: string[], options: RunOptions, command: Command) => {
      await runWorker(contextOf(command), type, words, options);
    });
}

async function runWorker(
  context: Context,
  type: string,
  words: readonly string[],
  options: RunOptions,
): Promise<void> {
  const { out, client, interrupted } = context;
  const work = workOf(words, options);
  const places = wholeNumber(options.concurrency, '--concurrency', 1, 100);
  const countMax =
    options.count === undefined ? Infinity : wholeNumber(options.count, '--count', 1, 1e9);
  const workerId = options.id ?? `${os.hostname()}-${process.pid}`;
  const server = client();
  const running = new Set<Promise<void>>();
  let taken = 0;
  out.note(`${workerId} polls ${server.address.root} for ${type}`);
  while (!interrupted.aborted && taken < countMax) {
    if (running.size >= places) {
      await Promise.race(running);
      continue;
    }
    const count = Math.min(places - running.size, countMax - taken);
    for (const task of await poll(context, { type, workerId, count, domain: options.domain })) {
      taken++;
      const done = doTask(context, server, workerId, task, work).finally(() =>
        running.delete(done),
      );
      running.add(done);
    }
  }
  await Promise.all(running);
}

function workOf(words: readonly string[], { js, arg }: RunOptions): Work {
  const [program, ...args] = words;
  if ((program === undefined) === (js === undefined)) {
    throw badInput(
      'Give a command after -- (downbeat worker run TYPE -- COMMAND), or a function with --js.',
    );
  }
  if (js !== undefined) {
    // Before a task is taken: one that cannot be done would have to wait for its time-out.
    const made = functionOf(js);
    return (task) => callFunction(made, task);
  }
  refuseMissing(program ?? '');
  return (task) => runCommand(program ?? '', args, arg === true, task);
}

/** A program that is not there would fail task after task. */
function refuseMissing(program: string): void {
  if (process.platform === 'win32') return;
  const folders = program.includes('/') ? [''] : (process.env['PATH'] ?? '').split(path.delimiter);
  const isThere = folders.some((folder) => isExecutable(path.resolve(folder, program)));
  if (!isThere) {
    throw badInput(
      `There is no program ${program} to run: give its path, or one that is on PATH. No task was taken.`,
    );
  }
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Empty when nothing is there, the server is away, or Ctrl-C came. */
async function poll(
  { out, client, interrupted }: Context,
  options: { type: string; workerId: string; count: number; domain: string | undefined },
): Promise<JsonObject[]> {
  const { type, workerId, count, domain } = options;
  try {
    const query = { workerid: workerId, count, timeout: pollWaitMs, domain };
    const path = `/api/tasks/poll/batch/${encodeURIComponent(type)}`;
    // Not broken off by Ctrl-C: a task that is on its way would be lost until its time is over.
    return objectsOf(await client().get(path, { query }));
  } catch (error) {
    const isAway = error instanceof Failure && error.code === exitCodes.unreachable;
    if (!isAway) throw error;
    out.note(error.message);
    await sleep(awayMs, undefined, { signal: interrupted }).catch(() => undefined);
    return [];
  }
}

async function doTask(
  { out }: Context,
  server: ApiClient,
  workerId: string,
  task: JsonObject,
  work: Work,
): Promise<void> {
  const taskId = textOf(task['taskId']);
  const report = { workflowInstanceId: task['workflowInstanceId'], taskId, workerId };
  const stopRenewing = renewLease(server, task, {
    ...report,
    status: 'IN_PROGRESS',
    extendLease: true,
  });
  const outcome = await work(task).finally(stopRenewing);
  const name = `${textOf(task['referenceTaskName'])} ${taskId}`;
  const tell = async ({ status, outputData, reasonForIncompletion: why }: Outcome) => {
    await server.patiently(
      () =>
        server.post('/api/tasks', {
          ...{ ...report, status, outputData },
          ...(why === undefined ? {} : { reasonForIncompletion: why }),
        }),
      (sentence) => out.note(sentence),
    );
    out.note(`${name} ${status}${why === undefined ? '' : `: ${why}`}`);
  };
  try {
    await tell(outcome).catch(async (error: unknown) => {
      if (!(error instanceof Failure) || error.code !== exitCodes.badInput) throw error;
      // Too large an output, for one: without a report the task would wait for its time-out.
      await tell({
        status: 'FAILED_WITH_TERMINAL_ERROR',
        outputData: {},
        reasonForIncompletion: `the server refused what the worker reported: ${error.message}`,
      });
    });
  } catch (error) {
    // The execution may have ended meanwhile: that is not the worker's end.
    out.note(`${name} was done, but its report was refused: ${(error as Error).message}`);
  }
}

/** A task that takes longer than its time limit between reports keeps its place. */
function renewLease(server: ApiClient, task: JsonObject, report: JsonObject): () => void {
  const seconds = numberOf(task['responseTimeoutSeconds']);
  if (seconds <= 0) return () => undefined;
  const renew = (): void => void server.post('/api/tasks', report).catch(() => undefined);
  const timer = setInterval(renew, Math.max(500, (seconds * 1000) / 3));
  return () => clearInterval(timer);
}

function functionOf(text: string): (input: unknown, task: JsonObject) => unknown {
  try {
    // The function is the user's own, typed on the user's own machine.
    const made: unknown = new Function(`return (${text});`)();
    if (typeof made === 'function') return made as (input: unknown, task: JsonObject) => unknown;
  } catch (error) {
    throw badInput(`--js is no JavaScript (${(error as Error).message}).`);
  }
  throw badInput("--js must be a function, such as 'input => ({ sum: input.a + input.b })'.");
}

async function callFunction(
  work: (input: unknown, task: JsonObject) => unknown,
  task: JsonObject,
): Promise<Outcome> {
  try {
    const result = await work(objectOf(task['inputData']), task);
    const outputData = isObject(result) ? result : { result: result ?? null };
    return { status: 'COMPLETED', outputData };
  } catch (error) {
    return {
      status: 'FAILED',
      outputData: {},
      reasonForIncompletion: String((error as Error).message ?? error),
    };
  }
}

function runCommand(
  program: string,
  args: readonly string[],
  asArgument: boolean,
  task: JsonObject,
): Promise<Outcome> {
  const input = JSON.stringify(task['inputData'] ?? {});
  return new Promise((resolve) => {
    const child = spawn(program, asArgument ? [...args, input] : [...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...process.env,
        TASK_ID: textOf(task['taskId']),
        TASK_TYPE: textOf(task['taskType']),
        WORKFLOW_ID: textOf(task['workflowInstanceId']),
      },
      // Ctrl-C is for this process: the command may finish.
      detached: process.platform !== 'win32',
    });
    let output = '';
    let errors = '';
    // A character may come in two parts.
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output.length <= outputCharsMax) output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-reasonCharsMax);
    });
    // A command that does not read its input is no failure.
    child.stdin.on('error', () => undefined);
    child.stdin.end(asArgument ? '' : input);
    child.on('error', (error) =>
      resolve({
        status: 'FAILED',
        outputData: {},
        reasonForIncompletion: `${program} cannot be run: ${error.message}`,
      }),
    );
    child.on('close', (code, signal) => resolve(outcomeOf(code, signal, output, errors)));
  });
}

function outcomeOf(
  code: number | null,
  signal: string | null,
  output: string,
  errors: string,
): Outcome {
  if (output.length > outputCharsMax) {
    return {
      status: 'FAILED_WITH_TERMINAL_ERROR',
      outputData: {},
      reasonForIncompletion: `the command wrote more than ${outputCharsMax} characters: let it write a file or an address, and tell that.`,
    };
  }
  const outputData = outputOf(output);
  if (code === 0) return { status: 'COMPLETED', outputData };
  const ended = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with ${code}`;
  const said = errors.trim();
  return {
    status: code === failsForGood ? 'FAILED_WITH_TERMINAL_ERROR' : 'FAILED',
    outputData,
    reasonForIncompletion: `the command ${ended}${said === '' ? '' : `: ${said}`}`,
  };
}

function outputOf(text: string): JsonObject {
  const trimmed = text.trim();
  if (trimmed === '') return {};
  try {
    const value: unknown = JSON.parse(trimmed);
    return isObject(value) ? value : { result: value };
  } catch {
    return { result: trimmed };
  }
}
