// A client of the API for tests and tools: keep-alive connections, one method per call that they
// need, and `request` for all others.
import { Agent, request as send } from 'undici';
import { untilTimeoutMs, until } from './until.js';
import {
  finalStatuses,
  type JsonObject,
  type WireStart,
  type WireTask,
  type WireTaskDef,
  type WireTaskResult,
  type WireWorkflow,
  type WireWorkflowDef,
} from './wire.js';

export interface ApiAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** The body as JSON where it is labelled so, else the text. */
  readonly body: unknown;
}

const jsonType = { 'content-type': 'application/json' };

/** An answer with a status that the caller did not expect. */
export class UnexpectedAnswer extends Error {
  constructor(
    readonly question: string,
    readonly answer: ApiAnswer,
  ) {
    super(`${question} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
  }
}

export interface PollOptions {
  workerId?: string;
  domain?: string;
  count?: number;
  /** Milliseconds the server may hold the poll. */
  timeoutMs?: number;
}

/** Throws when an answer is not as it should be. */
export interface AnswerCheck {
  check(
    method: string,
    path: string,
    answer: ApiAnswer & { readonly headers: Readonly<Record<string, unknown>> },
  ): void;
}

export class ApiClient {
  /** Looks at each answer of `request`; absent: nobody does. */
  answers?: AnswerCheck;
  private readonly agent: Agent;

  constructor(
    readonly url: string,
    options: { connections?: number; requestTimeoutMs?: number } = {},
  ) {
    const { connections = 64, requestTimeoutMs = 15_000 } = options;
    this.agent = new Agent({
      connections,
      pipelining: 1,
      connect: { timeout: 2_000 },
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
    });
  }

  /** Ends the connections; requests under way are cut off. */
  close(): Promise<void> {
    return this.agent.destroy();
  }

  /** Sends one request; `body` goes out as JSON. Answers of every status resolve. */
  async request(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    headers: { readonly [name: string]: string } = {},
  ): Promise<ApiAnswer> {
    const response = await send(this.url + path, {
      method,
      dispatcher: this.agent,
      headers: { ...headers, ...(body === undefined ? {} : jsonType) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.body.text();
    const contentType = String(response.headers['content-type'] ?? '');
    const isJson = contentType.startsWith('application/json') && text !== '';
    const answer = {
      status: response.statusCode,
      contentType,
      text,
      body: isJson ? JSON.parse(text) : text,
    };
    this.answers?.check(method, path, { ...answer, headers: response.headers });
    return answer;
  }

  /** As `request`, but rejects with UnexpectedAnswer unless the status is 200 or 204. */
  async ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<ApiAnswer> {
    const answer = await this.request(method, path, body);
    if (answer.status === 200 || answer.status === 204) return answer;
    throw new UnexpectedAnswer(`${method} ${path}`, answer);
  }

  async registerTasks(...defs: WireTaskDef[]): Promise<void> {
    await this.ask('POST', '/api/metadata/taskdefs', defs);
  }

  /** Registers or replaces definitions. */
  async registerWorkflows(...defs: WireWorkflowDef[]): Promise<void> {
    await this.ask('PUT', '/api/metadata/workflow', defs);
  }

  /** The new execution's id. */
  async start(start: WireStart): Promise<string> {
    return (await this.ask('POST', '/api/workflow', start)).text;
  }

  async poll(taskType: string, options: PollOptions = {}): Promise<WireTask[]> {
    const { count = 1, timeoutMs = 100, workerId = 'tester', domain } = options;
    const query = new URLSearchParams({
      count: String(count),
      timeout: String(timeoutMs),
      workerid: workerId,
      ...(domain === undefined ? {} : { domain }),
    });
    const path = `/api/tasks/poll/batch/${encodeURIComponent(taskType)}?${query}`;
    return (await this.ask('GET', path)).body as WireTask[];
  }

  async update(result: WireTaskResult): Promise<void> {
    await this.ask('POST', '/api/tasks', result);
  }

  /** Reports and takes the next task of the same type, when there is one. */
  async updateAndPoll(result: WireTaskResult): Promise<WireTask | undefined> {
    const answer = await this.ask('POST', '/api/tasks/update-v2', result);
    return answer.status === 204 ? undefined : (answer.body as WireTask);
  }

  async workflow(id: string, options: { includeTasks?: boolean } = {}): Promise<WireWorkflow> {
    const { includeTasks = true } = options;
    const path = `/api/workflow/${id}?includeTasks=${includeTasks}`;
    return (await this.ask('GET', path)).body as WireWorkflow;
  }

  async terminate(id: string, reason = 'test'): Promise<void> {
    await this.ask('DELETE', `/api/workflow/${id}?reason=${encodeURIComponent(reason)}`);
  }

  async signal(id: string, status: string, output: JsonObject): Promise<void> {
    await this.ask('POST', `/api/tasks/${id}/${status}/signal`, output);
  }

  /** Waits until `holds` is true of the execution and resolves with it. */
  untilWorkflow(
    id: string,
    holds: (workflow: WireWorkflow) => boolean,
    options: { timeoutMs?: number } = {},
  ): Promise<WireWorkflow> {
    return until(
      `execution ${id}`,
      async () => {
        const workflow = await this.workflow(id);
        return holds(workflow) ? workflow : undefined;
      },
      { timeoutMs: options.timeoutMs ?? untilTimeoutMs },
    );
  }

  /** Waits for the end of the execution, whatever it is. */
  untilEnd(id: string, options: { timeoutMs?: number } = {}): Promise<WireWorkflow> {
    return this.untilWorkflow(id, (workflow) => finalStatuses.has(workflow.status), options);
  }

  /** Waits until the newest task of a reference has the status. */
  async untilTask(id: string, ref: string, status: string): Promise<WireTask> {
    const find = (workflow: WireWorkflow): WireTask | undefined =>
      workflow.tasks.findLast((task) => task.referenceTaskName === ref && task.status === status);
    const workflow = await this.untilWorkflow(id, (seen) => find(seen) !== undefined);
    return find(workflow) as WireTask;
  }
}
