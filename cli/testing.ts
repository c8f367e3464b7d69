// `import { startTestServer } from '@downbeat/server/testing'`: a server for a test of workflows,
// with its clock in the test's hand. docs/test-server.md shows how it is used.
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { packageRoot, testServerProgramme } from './shared/programmes.js';

export interface TestServerOptions {
  /** Further settings of the server, such as `['--environment-label', 'test']`. */
  readonly settings?: readonly string[];
  /** How long the start may take, ms. */
  readonly startMs?: number;
  /** `auto`: it moves by itself whenever nothing is under way. Without it the test moves it. */
  readonly clock?: 'auto' | 'manual';
  /** A run with the same seed and the same requests repeats: ids, jitter, random choices. */
  readonly seed?: number;
}

/** A task of an execution, as the API shows it. */
export interface TestTask {
  readonly referenceTaskName: string;
  readonly taskType: string;
  readonly status: string;
  readonly retryCount: number;
  /** Why it failed, or has not ended yet. */
  readonly reasonForIncompletion?: string;
  readonly inputData: Readonly<Record<string, unknown>>;
  readonly outputData: Readonly<Record<string, unknown>>;
}

/** An execution, as the API shows it. */
export interface TestExecution {
  readonly workflowId: string;
  readonly status: string;
  readonly output: Readonly<Record<string, unknown>>;
  readonly tasks: readonly TestTask[];
}

/** How a mocked attempt ends: COMPLETED with an empty output unless it says otherwise. */
export interface MockOutcome {
  /** IN_PROGRESS: it stays open until somebody reports or a timeout comes. */
  readonly status?:
    'COMPLETED' | 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR' | 'TIMED_OUT' | 'IN_PROGRESS';
  readonly output?: object;
  readonly reasonForIncompletion?: string;
  /** Between its start and its end, ms of the server's clock. */
  readonly delayMs?: number;
}

/** Which tasks a mock stands for (all that fit every field given), and how they end. */
export interface TaskMock extends MockOutcome {
  readonly workflowName?: string;
  readonly workflowVersion?: number;
  readonly workflowId?: string;
  readonly correlationId?: string;
  readonly taskReferenceName?: string;
  readonly taskName?: string;
  readonly taskType?: string;
  /** In place of one outcome: of the first attempt, the second, ...; the last one repeats. */
  readonly attempts?: readonly MockOutcome[];
}

/** A mock as the server keeps it; `uses`: attempts that it has given an outcome. */
export interface KeptMock extends Omit<TaskMock, keyof MockOutcome> {
  readonly id: string;
  readonly attempts: readonly MockOutcome[];
  readonly uses: number;
}

interface ClockFacts {
  readonly now: number;
  readonly skippedMs: number;
  /** Whether it moves by itself. */
  readonly auto: boolean;
  /** Absent: nothing is due. */
  readonly nextDueAt?: number;
  /** The reason why the clock does not move by itself. Absent: it moves. */
  readonly heldBy?: string;
}

interface ClockRun extends ClockFacts {
  /** Due times that were passed. */
  readonly stops: number;
  /** Of the execution. */
  readonly status: string;
  readonly end: 'over' | 'nothing-due' | 'waited-enough';
}

const startMsDefault = 30_000;
const stopMs = 10_000;

/** Starts a test server of its own; `stop` ends it, and so does the end of this process. */
export async function startTestServer({
  settings = [],
  startMs = startMsDefault,
  clock = 'manual',
  seed,
}: TestServerOptions = {}): Promise<TestServer> {
  const [file = ''] = testServerProgramme().script;
  const own = ['--clock', clock, ...(seed === undefined ? [] : ['--seed', String(seed)])];
  const words = [path.join(packageRoot, file), ...own, ...settings];
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    return new TestServer(await addressOf(child, startMs), child);
  } catch (error) {
    child.kill('SIGTERM');
    throw error;
  }
}

export class TestServer {
  constructor(
    /** Its address; the API is below `/api`. */
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** The clock, and what is due next. */
  async clock(): Promise<ClockFacts> {
    return (await this.request('GET', '/api/test/clock')) as ClockFacts;
  }

  /** Moves the clock on, through each due time in order; resolves once the server rests. */
  async advance(ms: number): Promise<ClockFacts & { readonly stops: number }> {
    const answer = await this.request('POST', '/api/test/clock/advance', { ms });
    return answer as ClockFacts & { stops: number };
  }

  /** Lets the clock move by itself from now on, or stops that. */
  async autoClock(isOn: boolean): Promise<ClockFacts> {
    return (await this.request('PUT', '/api/test/clock', { auto: isOn })) as ClockFacts;
  }

  /**
   * Moves the clock from due time to due time until the execution has ended, nothing is due, or
   * something has been under way for `waitMs` of real time.
   */
  async runClock(id: string, waitMs?: number): Promise<ClockRun> {
    const body = { workflowId: id, ...(waitMs === undefined ? {} : { waitMs }) };
    return (await this.request('POST', '/api/test/clock/run', body)) as ClockRun;
  }

  /** Lets outcomes of the test stand in for tasks that are scheduled from now on. */
  async mock(mock: TaskMock): Promise<KeptMock> {
    return (await this.request('POST', '/api/test/mocks', mock)) as KeptMock;
  }

  /** The mocks, with the number of attempts that each has given an outcome. */
  async mocks(): Promise<KeptMock[]> {
    return (await this.request('GET', '/api/test/mocks')) as KeptMock[];
  }

  /** Removes one mock, or all. */
  async removeMocks(id?: string): Promise<void> {
    const one = id === undefined ? '' : `/${encodeURIComponent(id)}`;
    await this.request('DELETE', `/api/test/mocks${one}`);
  }

  /** Registers definitions of workflows. */
  async register(...definitions: readonly object[]): Promise<void> {
    await this.request('PUT', '/api/metadata/workflow', definitions);
  }

  /** Starts an execution; resolves with its id. */
  async start(name: string, input: object = {}): Promise<string> {
    return (await this.request('POST', '/api/workflow', { name, input })) as string;
  }

  async execution(id: string): Promise<TestExecution> {
    return (await this.request('GET', `/api/workflow/${encodeURIComponent(id)}`)) as TestExecution;
  }

  /**
   * Starts an execution and waits for its end, with the clock running meanwhile; resolves with the
   * execution, however it ended. Rejects as `ended` does.
   */
  async run(name: string, input: object = {}, waitMs?: number): Promise<TestExecution> {
    return await this.ended(await this.start(name, input), waitMs);
  }

  /**
   * The execution once it has ended; the clock runs until then. Rejects with why it has not ended
   * when nothing is due that could move it, or a worker keeps it for `waitMs` of real time.
   */
  async ended(id: string, waitMs?: number): Promise<TestExecution> {
    const { end } = await this.runClock(id, waitMs);
    const execution = await this.execution(id);
    if (end === 'over') return execution;
    // Work of another execution may keep the clock.
    const { heldBy } = await this.clock();
    const kept = heldBy === undefined ? '' : `. The clock stands: ${heldBy.replace(/\.$/, '')}`;
    throw await this.#failure(execution, `is ${execution.status}, it has not ended${kept}`);
  }

  /** The execution, which must have this status; otherwise the error says why it has not. */
  async hasStatus(id: string, status: string): Promise<TestExecution> {
    const execution = await this.execution(id);
    if (execution.status === status) return execution;
    throw await this.#failure(execution, `is ${execution.status}, not ${status}`);
  }

  /** The execution, which must have completed; otherwise the error says why it has not. */
  completed(id: string): Promise<TestExecution> {
    return this.hasStatus(id, 'COMPLETED');
  }

  /** Reference names of its tasks, in the order in which they were scheduled. */
  async path(id: string): Promise<string[]> {
    return pathOf(await this.execution(id));
  }

  /** The execution, which must have taken this path; otherwise the error says which, and why. */
  async tookPath(id: string, path: readonly string[]): Promise<TestExecution> {
    const execution = await this.execution(id);
    const taken = pathOf(execution);
    if (isDeepStrictEqual(taken, [...path])) return execution;
    throw await this.#failure(execution, `took the path ${shown(taken)}, not ${shown(path)}`);
  }

  /** Input of the newest task with this reference name. */
  async inputOf(id: string, referenceName: string): Promise<TestTask['inputData']> {
    return (await this.#newest(id, referenceName)).task.inputData;
  }

  /** The newest task with this reference name, whose input must have these members. */
  async gotInput(id: string, referenceName: string, members: object): Promise<TestTask> {
    const { execution, task } = await this.#newest(id, referenceName);
    for (const [name, value] of Object.entries(members)) {
      const given = task.inputData[name];
      if (isDeepStrictEqual(given, value)) continue;
      const said = `gave task '${referenceName}' ${name} = ${shown(given)}, not ${shown(value)}`;
      throw await this.#failure(execution, said);
    }
    return task;
  }

  async #newest(id: string, ref: string): Promise<{ execution: TestExecution; task: TestTask }> {
    const execution = await this.execution(id);
    const task = execution.tasks.filter((each) => each.referenceTaskName === ref).at(-1);
    if (task !== undefined) return { execution, task };
    throw await this.#failure(execution, `has no task '${ref}'`);
  }

  /** Its message holds the path, and why the execution does not go on or how it ended. */
  async #failure(execution: TestExecution, said: string): Promise<Error> {
    const { workflowId: id } = execution;
    const why = (await this.request('GET', `/api/workflow/${encodeURIComponent(id)}/why`)) as {
      reason: string;
      waitsFor: readonly { reason: string }[];
    };
    const sentences = new Set([why.reason, ...why.waitsFor.map((each) => each.reason)]);
    const tasks = execution.tasks.map(
      (each) =>
        `${each.referenceTaskName} ${each.status}` +
        (each.reasonForIncompletion === undefined ? '' : ` (${each.reasonForIncompletion})`),
    );
    return new Error(
      `Execution ${id} ${said}.\nWhy: ${[...sentences].join(' ')}\nTasks: ${tasks.join(', ')}`,
    );
  }

  /** Any request of the API. Rejects with what the server answers when it refuses. */
  async request(method: string, route: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${this.url}${route}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${route} was answered ${answer.status}: ${text}`);
    return answer.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : text;
  }

  /** Ends the server and removes what it stored. */
  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const force = setTimeout(() => child.kill('SIGKILL'), stopMs);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(force);
  }
}

function pathOf({ tasks }: TestExecution): string[] {
  return tasks.map(({ referenceTaskName }) => referenceTaskName);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

/** The server prints its address once it serves. */
async function addressOf(child: ChildProcess, startMs: number): Promise<string> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('The test server has no output');
  let said = '';
  const note = (text: string): void => {
    said = `${said}${text}\n`.slice(-2000);
  };
  createInterface({ input: stderr }).on('line', note);
  return await new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`The test server did not serve within ${startMs} ms:\n${said}`)),
      startMs,
    );
    createInterface({ input: stdout }).on('line', (line) => {
      note(line);
      if (/^https?:\/\/\S+$/.test(line)) resolve(line);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`The test server ended with ${code}:\n${said}`));
    });
    stdout.once('data', () => late.refresh());
    late.unref();
  });
}
