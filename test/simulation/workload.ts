// The clients of a simulation: the mixed load of the torture test through all nodes
// (test/torture/load-definitions.ts). They start, poll, report, give back, signal and die, repeat
// what was not answered, and write down what they saw in the journal that the torture checks judge.
import { bySystem } from '../../src/shard/executions.js';
import { Payload } from '../../src/model/payload.js';
import { workflowView } from '../../src/operation/get-workflow.js';
import { viewOf } from '../../src/shard/named-views.js';
import { parseTaskId } from '../../src/std/ids.js';
import type { WireTask, WireWorkflow } from '../../testkit/wire.js';
import {
  Journal,
  type HandOutRecord,
  type ReportRecord,
  type StartRecord,
} from '../torture/journal.js';
import { behaviourOf } from '../torture/worker-behaviour.js';
import type { SimulatedNode } from './node.js';
import { Requests } from './requests.js';
import { ReadJudge, readOrNull, seenView, type SeenExecution } from './read-judge.js';
import type { Scheduler } from './scheduler.js';
import {
  chooseKinds,
  definitions,
  limitedType,
  workerTypesOf,
  type Kind,
} from './workload-definitions.js';

const repeatMs = 60;
/** Signals come after so long at the earliest: the checks expect of every wait that it lasted. */
const signalAfterMs = 1100;
const workersPerType = 2;

export class Workload {
  readonly journal = new Journal();
  readonly #reads = new ReadJudge(this.journal);
  readonly requests: Requests;
  readonly open = new Map<string, StartRecord>();
  /** When the request that a start or a report got its answer to was sent. */
  readonly sentAt = new Map<StartRecord | ReportRecord, number>();
  /** What tells rooms apart, by the correlation id of the start. */
  readonly sides = new Map<string, string>();
  /** Few at a time, so that many executions share queues and limits. */
  readonly #kinds: readonly Kind[];
  #isWorking = true;
  #underWay = 0;
  /** How often the store went back in time: what was read before says nothing then. */
  #timesBack = 0;
  /** Clients read what runs. Else nothing but its own work brings an execution into memory. */
  readonly #isWatchful: boolean;

  constructor(
    private readonly scheduler: Scheduler,
    nodes: () => readonly SimulatedNode[],
    /** The store has lost writes: what was started may be gone. */
    private readonly isForgetful: () => boolean,
    /** Whether the store has the execution, and as one that has not ended. */
    private readonly isRunning: (id: string) => boolean,
    /** Name of the only workflow that is started. */
    only: string | undefined,
  ) {
    this.requests = new Requests(scheduler, nodes, isForgetful, this.journal.violations);
    this.#isWatchful = scheduler.chance(0.5);
    this.#kinds = chooseKinds(scheduler, only);
  }

  /** Starts `count` executions within `withinMs`, and workers. */
  begin(count: number, withinMs: number): void {
    const { random } = this.scheduler;
    for (let i = 0; i < count; i++) {
      const record = this.#newStart(i);
      this.#underWay += 1;
      this.scheduler.after(random.next() * withinMs, () => void this.#start(record));
    }
    // Nobody would see workers of other types.
    for (const taskType of workerTypesOf(this.#kinds.map(({ name }) => name))) {
      const workers = taskType === limitedType ? 2 * workersPerType : workersPerType;
      for (let i = 0; i < workers; i++) void this.#work(taskType, `w${i}`);
    }
    void this.#watchEnds();
  }

  /** Everything that was started has ended, and nothing is under way. */
  get isDone(): boolean {
    return this.#underWay === 0 && this.open.size === 0;
  }

  /** The store went back in time: what had ended may not have. */
  lookAgain(): void {
    this.#timesBack += 1;
    for (const record of this.journal.starts) {
      const { workflowId, workflowName } = record;
      if (workflowId === undefined) continue;
      this.open.set(workflowId, record);
      if (workflowName !== 'torture_signal') continue;
      this.#underWay += 1;
      void this.#signal(workflowId);
    }
  }

  end(): void {
    this.#isWorking = false;
  }

  #newStart(start: number): StartRecord {
    const kind = this.scheduler.pick(this.#kinds);
    const record: StartRecord = {
      ...{ start, workflowName: kind.name, endsAs: kind.endsAs },
      correlationId: `start-${start}`,
      hasKey: this.scheduler.chance(0.7),
      outcome: 'unknown',
    };
    this.journal.starts.push(record);
    return record;
  }

  async #start(record: StartRecord): Promise<void> {
    const { start, workflowName, correlationId, hasKey } = record;
    const { random } = this.scheduler;
    const items = Array.from({ length: random.between(1, 4) }, (_, branch) => ({ start, branch }));
    const side = this.scheduler.chance(0.5) ? 'left' : 'right';
    this.sides.set(correlationId, side);
    const request = {
      snapshot: definitions.snapshotOf(workflowName),
      attributes: { priority: random.between(0, 3), taskToDomain: {}, correlationId },
      input: Payload.of({ start, side, items }),
    };
    const idempotency = { key: `key-${start}`, strategy: 'RETURN_EXISTING' } as const;
    const keyed = {
      ...request,
      attributes: { ...request.attributes, idempotencyKey: idempotency.key },
    };
    do {
      this.sentAt.set(record, this.journal.now());
      const id = await this.requests.ask((node) =>
        node.executions.start(hasKey ? { ...keyed, idempotency } : request),
      );
      if (id !== undefined) {
        record.outcome = 'acknowledged';
        record.acknowledgedAt = this.journal.now();
        this.#opened(record, id);
        break;
      }
      await this.pause(repeatMs);
    } while (hasKey);
    this.#underWay -= 1;
  }

  #opened(record: StartRecord, id: string): void {
    if (record.workflowId === undefined && record.workflowName === 'torture_signal') {
      this.#underWay += 1;
      void this.#signal(id);
    }
    record.workflowId = id;
    this.open.set(id, record);
  }

  async #signal(id: string): Promise<void> {
    for (;;) {
      await this.pause(300);
      const seen = await this.#read(id);
      if (seen === null) break;
      const wait = seen?.tasks.find((task) => task.taskType === 'WAIT');
      if (wait === undefined) continue;
      if (wait.status === 'COMPLETED') break;
      await this.pause(signalAfterMs);
      const sent = await this.requests.ask((node) =>
        node.executions.command(
          id,
          {
            kind: 'update-task',
            task: { ref: 'wait' },
            result: {
              status: 'COMPLETED',
              output: Payload.of({ signalled: true }),
              callbackAfterSeconds: 0,
              extendLease: false,
            },
            mergeOutput: true,
          },
          bySystem,
        ),
      );
      if (sent !== undefined) break;
    }
    this.#underWay -= 1;
  }

  async #work(taskType: string, workerId: string): Promise<void> {
    while (this.#isWorking) {
      const askedAt = this.journal.now();
      const count = this.scheduler.random.between(1, 3);
      const texts = await this.requests.ask((node) =>
        this.#poll(node, { taskType, workerId, count }),
      );
      if (texts === undefined || texts.length === 0) await this.pause(repeatMs);
      for (const text of texts ?? []) {
        this.#underWay += 1;
        void this.#carryOut(JSON.parse(text) as WireTask, askedAt);
      }
    }
  }

  /** Some workers die while they wait: what comes after that does not reach them. */
  async #poll(
    node: SimulatedNode,
    { taskType, workerId, count }: { taskType: string; workerId: string; count: number },
  ): Promise<string[]> {
    const { random } = this.scheduler;
    const diesAfterMs = this.scheduler.chance(0.05) ? random.between(1, 400) : undefined;
    let isAnswered = false;
    let isDead = false;
    const texts = await node.hub.poll({
      queue: { taskType },
      ...{ workerId, count, timeoutMs: 500 },
      onAbort: (abort) => {
        if (diesAfterMs === undefined) return;
        node.clock.after(diesAfterMs, () => {
          if (isAnswered) return;
          isDead = true;
          abort();
        });
      },
    });
    isAnswered = true;
    return isDead ? [] : texts;
  }

  async #carryOut(task: WireTask, askedAt: number): Promise<void> {
    const { scheduler, journal } = this;
    const handOut: HandOutRecord = {
      ...{ taskId: task.taskId, workflowId: task.workflowInstanceId, taskType: task.taskType },
      ...{ ref: task.referenceTaskName, retryCount: task.retryCount },
      ...{ askedAt, receivedAt: journal.now(), leaseMs: task.responseTimeoutSeconds * 1000 },
    };
    journal.handOuts.push(handOut);
    this.#notice(task);
    const result = behaviourOf(scheduler.seed, task);
    const dies = task.retryCount < 2 && scheduler.chance(0.03);
    if (result !== 'silent' && !dies) {
      const workMs = scheduler.random.between(0, 100);
      await this.pause(workMs);
      await this.#report(handOut, result);
    }
    this.#underWay -= 1;
  }

  /** An execution whose start was never answered shows by its tasks. */
  #notice(task: WireTask): void {
    const record = this.journal.starts[Number(task.inputData['start'])];
    if (record === undefined || record.workflowId !== undefined || record.hasKey) return;
    if (!task.referenceTaskName.startsWith('c')) this.#opened(record, task.workflowInstanceId);
  }

  async #report(
    handOut: HandOutRecord,
    result: { status: ReportRecord['status']; callbackAfterSeconds?: number },
  ): Promise<void> {
    const { journal } = this;
    const { taskId, workflowId } = handOut;
    const marker = `${taskId}/${journal.reports.length}`;
    const report: ReportRecord = {
      ...{ taskId, workflowId, status: result.status, marker },
      ...{ firstSentAt: journal.now(), attempts: 0, outcome: 'unknown' },
    };
    handOut.report = report;
    journal.reports.push(report);
    const isImpatient = this.scheduler.chance(0.1);
    do {
      report.attempts += 1;
      this.sentAt.set(report, journal.now());
      const reply = await this.requests.ask((node) =>
        node.executions.command(
          workflowId,
          {
            kind: 'update-task',
            task: { taskNumber: parseTaskId(taskId)?.taskNumber ?? 0 },
            result: {
              status: result.status,
              output: Payload.of({ marker }),
              callbackAfterSeconds: result.callbackAfterSeconds ?? 0,
              extendLease: false,
            },
            mergeOutput: false,
          },
          bySystem,
        ),
      );
      if (reply !== undefined) {
        report.outcome = 'acknowledged';
        report.acknowledgedAt = journal.now();
        this.#reads.answered(report);
        return;
      }
      await this.pause(repeatMs);
      if (this.isForgetful() && (await this.#isUndone(handOut))) return;
    } while (!isImpatient && this.#isWorking);
  }

  /** A failover has undone the execution, or this task of it. */
  async #isUndone({ workflowId, taskId }: HandOutRecord): Promise<boolean> {
    const seen = await this.#read(workflowId);
    if (seen === undefined) return false;
    return seen?.tasks.some((task) => task.taskId === taskId) !== true;
  }

  /** null: there is none; undefined: nobody answered. `from`: the node to ask. */
  async #read(id: string, from?: SimulatedNode): Promise<SeenExecution | null | undefined> {
    const askedAt = this.journal.now();
    const seen = await this.requests.ask(
      (node) => readOrNull(node, id, viewOf(seenView, null)),
      from,
    );
    if (seen && !this.isForgetful()) this.#reads.seen(id, seen, askedAt);
    return seen;
  }

  /** A client with a connection to this node alone reads what was started, for so long. */
  async readFrom(node: SimulatedNode, lengthMs: number): Promise<void> {
    const asked = new Set<string>();
    for (const endAt = this.scheduler.now + lengthMs; this.scheduler.now < endAt;) {
      for (const { workflowId: id } of this.journal.starts) {
        if (id === undefined || asked.has(id)) continue;
        asked.add(id);
        // One that waits for an owner out of reach keeps no other one from being read.
        void this.#read(id, node).then(() => asked.delete(id));
      }
      await this.pause(repeatMs);
    }
  }

  /** All of an execution, as soon as somebody answers; undefined: there is none. */
  async read(id: string): Promise<WireWorkflow | undefined> {
    const view = viewOf(workflowView, { includeTasks: true, now: this.scheduler.now });
    for (;;) {
      const text = await this.requests.ask((node) => readOrNull(node, id, view));
      if (text === null) return undefined;
      if (text !== undefined) return JSON.parse(text) as WireWorkflow;
      await this.pause(repeatMs);
    }
  }

  async #watchEnds(): Promise<void> {
    while (this.#isWorking) {
      for (const id of [...this.open.keys()]) {
        if (!this.#isWatchful && this.isRunning(id)) continue;
        const timesBack = this.#timesBack;
        const seen = await this.#read(id);
        if (seen === undefined || timesBack !== this.#timesBack) continue;
        if (seen?.status !== 'RUNNING') this.open.delete(id);
      }
      await this.pause(200);
    }
  }

  pause(ms: number): Promise<void> {
    return this.requests.pause(ms);
  }
}
