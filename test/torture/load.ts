// The clients of a torture run: starters that keep a number of executions open, and workers. They
// go on through every failure of the server and write what they saw into the journal.
import { UnexpectedAnswer, type ApiClient } from '../../testkit/api-client.js';
import { pause } from '../../testkit/until.js';
import { toResult } from '../support/workers.js';
import {
  finalStatuses,
  type WireStart,
  type WireTask,
  type WireTaskResult,
} from '../../testkit/wire.js';
import type { HandOutRecord, Journal, ReportRecord, StartRecord } from './journal.js';
import { startable, taskTypes } from './load-definitions.js';
import { chanceOf, createRandom, type Random } from './random.js';
import { behaviourOf } from './worker-behaviour.js';

const repeatDelayMs = 100;
/**
 * Part of the starts without idempotency key, which are not repeated when their outcome is unknown.
 */
const keylessShare = 0.2;
/** Part of the reports that are not repeated when their outcome is unknown. */
const impatientShare = 0.1;
/** Part of the workers that report with update-v2 and work on what it brings. */
const chainingShare = 0.5;

export interface LoadOptions {
  readonly seed: number;
  /** Executions open at the same time. */
  readonly openMax: number;
  readonly starters: number;
  /** Polling loops per task type. */
  readonly workersPerType: number;
}

export class TortureLoad {
  /** Ids of executions that are not known to have ended, with what is known of their start. */
  readonly open = new Map<string, StartRecord>();
  private readonly random: Random;
  private isStarting = true;
  private isWorking = true;
  private loops: Promise<void>[] = [];
  /** Told whenever a start or report has been sent; set by who wants to kill just then. */
  onSent: (() => void) | undefined;
  /** Told at once of an execution that is not there any more. */
  onGone: ((workflowId: string) => void) | undefined;

  constructor(
    private readonly client: ApiClient,
    private readonly journal: Journal,
    private readonly options: LoadOptions,
  ) {
    this.random = createRandom(options.seed);
  }

  begin(): void {
    const { starters, workersPerType } = this.options;
    for (let i = 0; i < starters; i++) this.loops.push(this.startExecutions());
    for (const taskType of Object.values(taskTypes)) {
      for (let i = 0; i < workersPerType; i++) this.loops.push(this.work(taskType, i));
    }
    this.loops.push(this.watchEnds());
  }

  /**
   * No further starts; resolves when all known executions have ended, or with false when
   * `timeoutMs` are over.
   */
  async drain(timeoutMs: number): Promise<boolean> {
    this.isStarting = false;
    const deadline = this.journal.now() + timeoutMs;
    while (this.open.size > 0 || this.journal.inFlight > 0) {
      if (this.journal.now() > deadline) return false;
      await pause(repeatDelayMs);
    }
    return true;
  }

  async end(): Promise<void> {
    this.isStarting = false;
    this.isWorking = false;
    await Promise.all(this.loops);
  }

  private async startExecutions(): Promise<void> {
    while (this.isStarting) {
      if (this.open.size >= this.options.openMax) await pause(5);
      else await this.startOne();
    }
  }

  private async startOne(): Promise<void> {
    const number = this.journal.starts.length;
    const kind = startable[this.random.between(0, startable.length - 1)] ?? startable[0];
    if (kind === undefined) throw new Error('nothing to start');
    const record: StartRecord = {
      start: number,
      workflowName: kind.name,
      correlationId: `start-${this.options.seed}-${number}`,
      endsAs: kind.endsAs,
      hasKey: this.random.next() >= keylessShare,
      outcome: 'unknown',
    };
    this.journal.starts.push(record);
    const request = this.startRequest(record);
    do {
      const id = await this.send(() => this.client.start(request));
      if (id !== undefined) {
        record.outcome = 'acknowledged';
        record.acknowledgedAt = this.journal.now();
        record.workflowId = id;
        this.open.set(id, record);
        return;
      }
      await pause(repeatDelayMs);
    } while (record.hasKey && this.isWorking);
  }

  private startRequest(record: StartRecord): WireStart {
    const { start, workflowName, correlationId, hasKey } = record;
    const branches = this.random.between(2, 30);
    return {
      name: workflowName,
      version: 1,
      correlationId,
      input: {
        start,
        side: this.random.next() < 0.5 ? 'left' : 'right',
        items: Array.from({ length: branches }, (_, i) => ({ start, branch: i })),
      },
      ...(hasKey
        ? {
            idempotencyKey: `torture-${this.options.seed}-${start}`,
            idempotencyStrategy: 'RETURN_EXISTING',
          }
        : {}),
    };
  }

  /**
   * Sends a start or a report; undefined when its outcome is unknown. A refusal is a violation:
   * nothing sent is refusable.
   */
  private async send<T>(request: () => Promise<T>): Promise<T | undefined> {
    this.journal.inFlight++;
    try {
      const answer = request();
      this.onSent?.();
      return await answer;
    } catch (error) {
      this.judge(error);
      return undefined;
    } finally {
      this.journal.inFlight--;
    }
  }

  /**
   * Connection errors and 503 are what a killed server may show; every other answer is a violation.
   */
  private judge(error: unknown): void {
    if (!(error instanceof UnexpectedAnswer) || error.answer.status === 503) return;
    this.journal.violations.push(error.message);
  }

  private async work(taskType: string, worker: number): Promise<void> {
    const isChaining = chanceOf(this.options.seed, `${taskType} ${worker}`) < chainingShare;
    while (this.isWorking) {
      const askedAt = this.journal.now();
      let tasks: WireTask[];
      try {
        tasks = await this.client.poll(taskType, {
          count: 5,
          timeoutMs: 500,
          workerId: `w${worker}`,
        });
      } catch (error) {
        this.judge(error);
        await pause(repeatDelayMs);
        continue;
      }
      await Promise.all(tasks.map((task) => this.carryOut(task, askedAt, isChaining)));
    }
  }

  /** Works on a task and, where update-v2 brings another one, on that. */
  private async carryOut(
    first: WireTask,
    firstAskedAt: number,
    isChaining: boolean,
  ): Promise<void> {
    let task: WireTask | undefined = first;
    let askedAt = firstAskedAt;
    while (task !== undefined) {
      const handOut = this.recordHandOut(task, askedAt);
      const result = behaviourOf(this.options.seed, task);
      if (result === 'silent') return;
      const marker = `${task.taskId}/${this.journal.reports.length}`;
      const body = toResult(task, { ...result, output: { marker } });
      askedAt = this.journal.now();
      const report = this.recordReport(handOut, body, marker);
      task = await this.report(report, body, isChaining && this.isWorking);
    }
  }

  private recordHandOut(task: WireTask, askedAt: number): HandOutRecord {
    const record: HandOutRecord = {
      taskId: task.taskId,
      workflowId: task.workflowInstanceId,
      taskType: task.taskType,
      ref: task.referenceTaskName,
      retryCount: task.retryCount,
      askedAt,
      receivedAt: this.journal.now(),
      leaseMs: task.responseTimeoutSeconds * 1_000,
    };
    this.journal.handOuts.push(record);
    this.noticeExecution(task);
    return record;
  }

  /** An execution whose start was never answered shows by its tasks. */
  private noticeExecution(task: WireTask): void {
    const record = this.journal.starts[Number(task.inputData['start'])];
    if (record === undefined || record.workflowId !== undefined || record.hasKey) return;
    // A load before this one may have left executions, whose starts it numbered the same way.
    if (task.correlationId !== record.correlationId) return;
    if (!task.referenceTaskName.startsWith('c')) {
      record.workflowId = task.workflowInstanceId;
      this.open.set(task.workflowInstanceId, record);
    }
  }

  private recordReport(handOut: HandOutRecord, body: WireTaskResult, marker: string): ReportRecord {
    const report: ReportRecord = {
      taskId: handOut.taskId,
      workflowId: handOut.workflowId,
      status: body.status,
      marker,
      firstSentAt: this.journal.now(),
      attempts: 0,
      outcome: 'unknown',
    };
    handOut.report = report;
    this.journal.reports.push(report);
    return report;
  }

  /**
   * Sends a report until it is confirmed; some give up at once when it is not. Resolves with the
   * next task, if one came.
   */
  private async report(
    report: ReportRecord,
    body: WireTaskResult,
    isChaining: boolean,
  ): Promise<WireTask | undefined> {
    const isImpatient = chanceOf(this.options.seed, report.marker) < impatientShare;
    do {
      report.attempts++;
      const next = await this.send(async () => {
        if (isChaining) return { task: await this.client.updateAndPoll(body) };
        await this.client.update(body);
        return { task: undefined };
      });
      if (next !== undefined) {
        report.outcome = 'acknowledged';
        report.acknowledgedAt = this.journal.now();
        return next.task;
      }
      await pause(repeatDelayMs);
    } while (!isImpatient && this.isWorking);
    return undefined;
  }

  /** Reads the open executions again and again and removes those that have ended. */
  private async watchEnds(): Promise<void> {
    while (this.isWorking) {
      for (const id of [...this.open.keys()]) {
        if (!this.isWorking) return;
        await this.lookAt(id);
      }
      await pause(repeatDelayMs);
    }
  }

  private async lookAt(id: string): Promise<void> {
    try {
      const { status } = await this.client.workflow(id, { includeTasks: false });
      if (finalStatuses.has(status)) this.open.delete(id);
    } catch (error) {
      if (error instanceof UnexpectedAnswer && error.answer.status === 404) {
        const start = this.open.get(id);
        this.open.delete(id);
        this.journal.violations.push(
          `execution ${id} was started and is gone: ${JSON.stringify(start)}`,
        );
        this.onGone?.(id);
      } else {
        this.judge(error);
        await pause(repeatDelayMs);
      }
    }
  }
}
