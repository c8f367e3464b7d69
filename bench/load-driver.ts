// Puts a load on a server: starts executions, polls their tasks and completes each, over raw
// sockets, until all tasks of all executions are completed. Executions in flight are bounded by a
// window, so the load is closed: the server sets the pace.
//
// Ways to work:
//   batch      pollers take batches with long polls; other connections report each task with POST
//              /tasks
//   crews      each poller has connections of its own that report its batch; then it polls again
//   update-v2  each worker has one connection: reports with POST /tasks/update-v2, whose answer
//              brings its next task, and polls
//              only when there was none
//   in-turn    each worker has one connection: polls one task, reports it with POST /tasks, polls
//              again
import { HttpSocket, requestText } from './http-socket.js';
import { Latencies } from './latencies.js';

export type WorkMode = 'batch' | 'crews' | 'update-v2' | 'in-turn';

export interface LoadSettings {
  readonly mode: WorkMode;
  /** Executions in flight at most. */
  readonly window: number;
  /** Connections that start executions. */
  readonly starters: number;
  /** Connections that poll (batch), per task type. */
  readonly pollers: number;
  /** Tasks asked for by each poll (batch). */
  readonly pollCount: number;
  readonly pollTimeoutMs: number;
  /** Connections that report (batch); workers per task type in the other modes. */
  readonly workers: number;
  /** Of the JSON that each task is reported with; absent: 64. */
  readonly outputBytes?: number;
  /** Of the caller; absent where the server asks for none. */
  readonly token?: string;
}

export interface LoadJob {
  readonly taskTypes: readonly string[];
  readonly executions: number;
  readonly tasksPerExecution: number;
  /** Body of POST /api/workflow. */
  readonly startBody: string;
}

export interface LoadResult {
  readonly elapsedMs: number;
  readonly tasks: number;
  readonly workflowIds: readonly string[];
  readonly starts: Latencies;
  readonly polls: Latencies;
  readonly updates: Latencies;
  readonly emptyPolls: number;
  readonly pollAnswers: number;
  /** Resolves when the last polls have come back and the connections are closed. */
  readonly closed: Promise<void>;
}

/** A load that made no progress for this long has failed. */
const stallMs = 20_000;
const idLength = 36;
const workflowMark = '"workflowInstanceId":"';
const taskMark = '"taskId":"';

/**
 * Runs the whole load; rejects at the first answer that is not a success, or when nothing moves any
 * more.
 */
export function runLoad(port: number, job: LoadJob, settings: LoadSettings): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    new Load(port, job, settings, resolve, reject).begin();
  });
}

interface Held {
  readonly workflowId: string;
  readonly taskId: string;
}

class Load {
  private readonly sockets: HttpSocket[] = [];
  private readonly idleReporters: HttpSocket[] = [];
  private readonly idleStarters: HttpSocket[] = [];
  private readonly idlePollers: (() => void)[] = [];
  private readonly held: Held[] = [];
  private readonly workflowIds: string[] = [];
  private readonly starts = new Latencies();
  private readonly polls = new Latencies();
  private readonly updates = new Latencies();
  private readonly startRequest: string;
  private readonly output: string;
  private readonly total: number;
  private asked = 0;
  private reported = 0;
  private emptyPolls = 0;
  private pollAnswers = 0;
  /** Answers that are awaited. */
  private owed = 0;
  private over = false;
  private closeListener: (() => void) | undefined;
  private startedAt = 0;
  private readonly watchdog: NodeJS.Timeout;
  private reportedBefore = -1;

  constructor(
    private readonly port: number,
    private readonly job: LoadJob,
    private readonly settings: LoadSettings,
    private readonly resolve: (result: LoadResult) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.startRequest = requestText('POST', '/api/workflow', job.startBody);
    this.output = outputOf(settings.outputBytes ?? 64);
    this.total = job.executions * job.tasksPerExecution;
    this.watchdog = setInterval(() => this.watch(), stallMs);
  }

  begin(): void {
    const { mode, starters, pollers, workers } = this.settings;
    this.startedAt = performance.now();
    for (let i = 0; i < starters; i++) this.idleStarters.push(this.open());
    for (const taskType of this.job.taskTypes) {
      if (mode === 'batch') {
        for (let i = 0; i < pollers; i++) this.pollInBatches(this.open(), taskType);
      } else if (mode === 'crews') {
        for (let i = 0; i < pollers; i++) this.pollWithCrew(taskType, workers / pollers);
      } else {
        for (let i = 0; i < workers; i++) this.pollForOne(this.open(), taskType);
      }
    }
    if (mode === 'batch') {
      for (let i = 0; i < workers; i++) this.idleReporters.push(this.open());
    }
    this.startMore();
  }

  private open(): HttpSocket {
    const socket = new HttpSocket(this.port, (error) => this.fail(error), {
      token: this.settings.token,
    });
    this.sockets.push(socket);
    return socket;
  }

  /** Sends a request and tells the listener about success; everything else ends the load. */
  private exchange(
    socket: HttpSocket,
    request: string,
    latencies: Latencies,
    listener: (status: number, body: string) => void,
  ): void {
    if (this.over) return;
    const sentAt = performance.now();
    this.owed++;
    socket.send(request, (status, body) => {
      this.owed--;
      if (this.over) {
        this.closeWhenQuiet();
        return;
      }
      if (status !== 200 && status !== 204) {
        this.fail(new Error(`${request.slice(0, 200)}\nanswered ${status}: ${body.slice(0, 300)}`));
        return;
      }
      latencies.add(performance.now() - sentAt);
      listener(status, body);
    });
  }

  private startMore(): void {
    const { executions, tasksPerExecution } = this.job;
    while (this.asked < executions) {
      const inFlight = this.asked - Math.floor(this.reported / tasksPerExecution);
      if (inFlight >= this.settings.window) return;
      const socket = this.idleStarters.pop();
      if (socket === undefined) return;
      this.asked++;
      this.exchange(socket, this.startRequest, this.starts, (_, body) => {
        this.workflowIds.push(body);
        this.idleStarters.push(socket);
        this.startMore();
      });
    }
  }

  private pollRequest(taskType: string, count: number): string {
    const { pollTimeoutMs } = this.settings;
    const query = `count=${count}&timeout=${pollTimeoutMs}&workerid=bench`;
    return requestText('GET', `/api/tasks/poll/batch/${taskType}?${query}`);
  }

  private pollInBatches(socket: HttpSocket, taskType: string): void {
    const request = this.pollRequest(taskType, this.settings.pollCount);
    const next = (): void => {
      // A worker asks for more when it has hands free.
      if (this.held.length >= this.settings.workers) this.idlePollers.push(next);
      else this.exchange(socket, request, this.polls, take);
    };
    const take = (_: number, body: string): void => {
      const count = readTasks(body, this.held);
      this.pollAnswers++;
      if (count === 0) this.emptyPolls++;
      this.reportHeld();
      next();
    };
    next();
  }

  private pollWithCrew(taskType: string, hands: number): void {
    const request = this.pollRequest(taskType, this.settings.pollCount);
    const socket = this.open();
    const crew = Array.from({ length: hands }, () => this.open());
    const taken: Held[] = [];
    let busy = 0;
    const poll = (): void => this.exchange(socket, request, this.polls, take);
    const take = (_: number, body: string): void => {
      this.pollAnswers++;
      if (readTasks(body, taken) === 0) {
        this.emptyPolls++;
        poll();
      } else for (const hand of crew) report(hand);
    };
    const report = (hand: HttpSocket): void => {
      const next = taken.pop();
      if (next === undefined) return busy === 0 ? poll() : undefined;
      busy++;
      this.exchange(hand, this.reportRequest('/api/tasks', next), this.updates, () => {
        busy--;
        this.countReport();
        report(hand);
      });
    };
    poll();
  }

  private reportHeld(): void {
    while (this.held.length > 0) {
      const socket = this.idleReporters.pop();
      if (socket === undefined) return;
      const request = this.reportRequest('/api/tasks', this.held.pop() as Held);
      this.exchange(socket, request, this.updates, () => {
        this.idleReporters.push(socket);
        this.countReport();
        this.reportHeld();
        if (this.held.length < this.settings.workers) this.idlePollers.pop()?.();
      });
    }
  }

  private pollForOne(socket: HttpSocket, taskType: string): void {
    const pollRequest = this.pollRequest(taskType, 1);
    const path = this.settings.mode === 'update-v2' ? '/api/tasks/update-v2' : '/api/tasks';
    const taken: Held[] = [];
    const poll = (): void => this.exchange(socket, pollRequest, this.polls, onPolled);
    const onPolled = (_: number, body: string): void => {
      this.pollAnswers++;
      if (readTasks(body, taken) === 0) {
        this.emptyPolls++;
        poll();
      } else report();
    };
    const report = (): void => {
      const request = this.reportRequest(path, taken.pop() as Held);
      this.exchange(socket, request, this.updates, onReported);
    };
    const onReported = (_: number, body: string): void => {
      this.countReport();
      if (this.settings.mode === 'update-v2' && readTasks(body, taken) > 0) report();
      else poll();
    };
    poll();
  }

  private reportRequest(path: string, task: Held): string {
    return requestText(
      'POST',
      path,
      `{"workflowInstanceId":"${task.workflowId}","taskId":"${task.taskId}",` +
        `"status":"COMPLETED","outputData":${this.output},"workerId":"bench"}`,
    );
  }

  private countReport(): void {
    this.reported++;
    if (this.reported === this.total) this.finish();
    else if (this.asked < this.job.executions) this.startMore();
  }

  private finish(): void {
    const elapsedMs = performance.now() - this.startedAt;
    this.over = true;
    clearInterval(this.watchdog);
    const closed = new Promise<void>((resolve) => (this.closeListener = resolve));
    const { total: tasks, workflowIds, starts, polls, updates, emptyPolls, pollAnswers } = this;
    const counts = { emptyPolls, pollAnswers };
    this.resolve({ elapsedMs, tasks, workflowIds, starts, polls, updates, ...counts, closed });
    this.closeWhenQuiet();
  }

  /** Polls that wait are let end, so that none of them takes a task of the next load. */
  private closeWhenQuiet(): void {
    if (this.owed > 0) return;
    for (const socket of this.sockets) socket.close();
    this.closeListener?.();
  }

  private fail(error: Error): void {
    if (this.over) return;
    this.over = true;
    clearInterval(this.watchdog);
    for (const socket of this.sockets) socket.close();
    this.reject(error);
  }

  private watch(): void {
    if (this.reported === this.reportedBefore) {
      this.fail(
        new Error(
          `nothing moved for ${stallMs} ms: ${this.asked} started, ${this.reported} of ` +
            `${this.total} tasks reported, ${this.held.length} held`,
        ),
      );
    }
    this.reportedBefore = this.reported;
  }
}

/** Adds the ids of each task in an answer (one task or a list) and returns how many there were. */
function readTasks(body: string, into: Held[]): number {
  let count = 0;
  let taskAt = body.indexOf(taskMark);
  let workflowAt = body.indexOf(workflowMark);
  while (taskAt >= 0 && workflowAt >= 0) {
    taskAt += taskMark.length;
    workflowAt += workflowMark.length;
    into.push({
      taskId: body.slice(taskAt, taskAt + idLength),
      workflowId: body.slice(workflowAt, workflowAt + idLength),
    });
    count++;
    taskAt = body.indexOf(taskMark, taskAt);
    workflowAt = body.indexOf(workflowMark, workflowAt);
  }
  return count;
}

/** JSON of so many bytes. */
function outputOf(bytes: number): string {
  return JSON.stringify({ done: 'v'.repeat(Math.max(0, bytes - '{"done":""}'.length)) });
}
