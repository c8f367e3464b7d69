// Counts what happens to workflows and to task queues: executions that start and end, tasks that go
// into their queue, are handed out and end, how long these waited and ran, and how long executions
// took. It stands on the path of every task, so counting is an addition; once a second the counts
// are taken and put into their minute (operation/recording/minute-recorder.ts;
// `node bin/tool.mjs bench/event-counters`).
import { lengthOf } from './run-times.js';

/** Events of an execution. Pauses and resumes are no events here. */
export const workflowEvents = ['started', 'completed', 'failed', 'timedOut', 'terminated'] as const;
export type WorkflowEvent = (typeof workflowEvents)[number];

/** Events of a task of a queue. Cancelled and skipped tasks are neither of the ends. */
export const queueEvents = ['scheduled', 'handedOut', 'completed', 'failed'] as const;
export type QueueEvent = (typeof queueEvents)[number];

/** '' as domain: none. */
export interface QueueSubject {
  readonly taskType: string;
  readonly domain: string;
}

/** One kind of event of one workflow or queue. */
export class EventCounter {
  #count = 0;

  constructor(private readonly subject: { touch(): void }) {}

  add(by = 1): void {
    this.#count += by;
    this.subject.touch();
  }

  /** The count since the last call. */
  take(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }
}

/** The counters of one workflow or queue, in the order of its events. */
class Subject<Name> {
  #isTouched = false;
  readonly counters: readonly EventCounter[];

  constructor(
    readonly name: Name,
    size: number,
    private readonly touched: unknown[],
  ) {
    this.counters = Array.from({ length: size }, () => new EventCounter(this));
  }

  touch(): void {
    if (this.#isTouched) return;
    this.#isTouched = true;
    this.touched.push(this);
  }

  take(): Counted<Name> {
    this.#isTouched = false;
    return { name: this.name, counts: this.counters.map((counter) => counter.take()) };
  }
}

/** A counter for each length of time (run-times.ts) of one workflow or queue. */
class Lengths {
  readonly #counters: (EventCounter | undefined)[] = [];

  constructor(private readonly subject: { touch(): void }) {}

  of(ms: number): EventCounter {
    const length = lengthOf(ms);
    const known = this.#counters[length];
    if (known !== undefined) return known;
    while (this.#counters.length < length) this.#counters.push(undefined);
    return (this.#counters[length] = new EventCounter(this.subject));
  }

  take(): number[] {
    return this.#counters.map((counter) => counter?.take() ?? 0);
  }
}

class WorkflowCounters extends Subject<string> {
  readonly took = new Lengths(this);

  override take(): CountedWorkflow {
    return { ...super.take(), tookTimes: this.took.take() };
  }
}

class QueueCounters extends Subject<QueueSubject> {
  readonly ran = new Lengths(this);
  readonly waited = new Lengths(this);

  override take(): CountedQueue {
    return { ...super.take(), runTimes: this.ran.take(), waitTimes: this.waited.take() };
  }
}

export interface Counted<Name> {
  readonly name: Name;
  /** In the order of `workflowEvents` or `queueEvents`. */
  readonly counts: readonly number[];
}

export interface CountedWorkflow extends Counted<string> {
  /** Executions that ended by how long they took. */
  readonly tookTimes: readonly number[];
}

export interface CountedQueue extends Counted<QueueSubject> {
  /** Tasks by how long they ran (run-times.ts). */
  readonly runTimes: readonly number[];
  /** The same tasks by how long they waited in their queue. */
  readonly waitTimes: readonly number[];
}

/** The counts since the last call. */
export interface TakenCounts {
  readonly workflows: readonly CountedWorkflow[];
  readonly queues: readonly CountedQueue[];
}

interface QueueName {
  readonly taskType: string;
  readonly domain?: string;
}

/** Names come from outside: beyond so many they are forgotten, which loses no count. */
const subjectsKnownMax = 10_000;

export class EventCounters {
  readonly #workflows = new Map<string, WorkflowCounters>();
  /** By domain, then task type. */
  readonly #queues = new Map<string, Map<string, QueueCounters>>();
  #queuesKnown = 0;
  /** Asked for last: what happens to one task is counted under one name, several times in a row. */
  #newestQueue: QueueCounters | undefined;
  #touchedWorkflows: WorkflowCounters[] = [];
  #touchedQueues: QueueCounters[] = [];

  workflow(name: string, event: WorkflowEvent): EventCounter {
    return this.#workflow(name).counters[workflowEvents.indexOf(event)] as EventCounter;
  }

  /** Of an execution that has ended: how long it took, milliseconds. */
  took(name: string, ms: number): EventCounter {
    return this.#workflow(name).took.of(ms);
  }

  #workflow(name: string): WorkflowCounters {
    let subject = this.#workflows.get(name);
    if (subject === undefined) {
      if (this.#workflows.size >= subjectsKnownMax) this.#workflows.clear();
      subject = new WorkflowCounters(name, workflowEvents.length, this.#touchedWorkflows);
      this.#workflows.set(name, subject);
    }
    return subject;
  }

  queue(name: QueueName, event: QueueEvent): EventCounter {
    return this.#queue(name).counters[queueEvents.indexOf(event)] as EventCounter;
  }

  /** Of a task that has ended: how long it ran, milliseconds. */
  runTime(name: QueueName, ms: number): EventCounter {
    return this.#queue(name).ran.of(ms);
  }

  /** Of the same task: how long it waited before a worker had it, milliseconds. */
  waitTime(name: QueueName, ms: number): EventCounter {
    return this.#queue(name).waited.of(ms);
  }

  #queue({ taskType, domain = '' }: QueueName): QueueCounters {
    const newest = this.#newestQueue;
    if (newest?.name.taskType === taskType && newest.name.domain === domain) return newest;
    const known = this.#queues.get(domain)?.get(taskType) ?? this.#newQueue({ taskType, domain });
    return (this.#newestQueue = known);
  }

  #newQueue(name: QueueSubject): QueueCounters {
    if (this.#queuesKnown >= subjectsKnownMax) {
      this.#queues.clear();
      this.#queuesKnown = 0;
    }
    this.#queuesKnown += 1;
    const subject = new QueueCounters(name, queueEvents.length, this.#touchedQueues);
    const ofDomain = this.#queues.get(name.domain);
    if (ofDomain === undefined) this.#queues.set(name.domain, new Map([[name.taskType, subject]]));
    else ofDomain.set(name.taskType, subject);
    return subject;
  }

  /** A workflow or queue may come twice when its name was forgotten between. */
  take(): TakenCounts {
    return {
      workflows: this.#touchedWorkflows.splice(0).map((subject) => subject.take()),
      queues: this.#touchedQueues.splice(0).map((subject) => subject.take()),
    };
  }
}
