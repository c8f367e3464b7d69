// The world outside in a simulation: it starts executions that wait for it, and moves them on. A
// platform calls once it has seen that tasks wait for the call (contract-admin 12.3, 12.5), persons
// claim and complete human tasks (people.ts). Its chance is a stream of its own.
import { Payload } from '../../../src/model/payload.js';
import { viewOf } from '../../../src/shard/named-views.js';
import type { Journal } from '../../torture/journal.js';
import { createRandom, type Random } from '../../torture/random.js';
import type { StaticDefinitions } from '../definitions.js';
import { ReadJudge, readOrNull, seenView, type SeenExecution } from '../read-judge.js';
import { answered, type Requests } from '../requests.js';
import type { Scheduler } from '../scheduler.js';
import { askedName, hookedName, plainId, signedId, visitedNames } from './definitions.js';
import { People } from './people.js';

/** One execution that the outside starts and moves on. */
export interface Visit {
  readonly n: number;
  readonly name: string;
  /** A call is for all that wait for its group. */
  readonly group: string;
  id?: string;
  isAcknowledged: boolean;
  hasEnded: boolean;
}

/** A call of a platform, repeated until it is answered. */
export interface Call {
  readonly key: string;
  readonly webhookId: string;
  readonly group: string;
  attempts: number;
  isAcknowledged: boolean;
}

export interface VisitsParts {
  readonly scheduler: Scheduler;
  readonly requests: Requests;
  readonly journal: Journal;
  readonly definitions: StaticDefinitions;
  /** Whether the store has the execution, and as one that has not ended. */
  readonly isRunning: (id: string) => boolean;
}

const repeatMs = 60;
const lookEveryMs = 200;
/** So long a platform waits for others of its group to wait. */
const gatherMs = 1200;

export class Visits {
  readonly random: Random;
  readonly visits: Visit[] = [];
  readonly calls: Call[] = [];
  readonly people: People;
  readonly reads: ReadJudge;
  #underWay = 0;
  /** How often the store went back in time; what was begun before is given up. */
  #timesBack = 0;
  /** Executions whose tasks wait for a call, by group, and since when the first one does. */
  readonly #waiting = new Map<string, { readonly since: number; readonly ids: Set<string> }>();
  /** Executions that somebody is calling for, or has called for. */
  readonly #called = new Set<string>();
  /** Else the outside does not look at what it has told. */
  readonly #isWatchful: boolean;
  readonly #webhookId: string;

  constructor(private readonly parts: VisitsParts) {
    const { scheduler, requests, journal } = parts;
    this.random = createRandom(scheduler.seed ^ 0x5eed);
    this.reads = new ReadJudge(journal);
    this.people = new People({ requests, journal, random: this.random, reads: this.reads });
    this.#isWatchful = this.#chance(0.5);
    this.#webhookId = this.#chance(0.5) ? signedId : plainId;
  }

  #chance(probability: number): boolean {
    return this.random.next() < probability;
  }

  /** Everything has ended, and nothing is under way. */
  get isDone(): boolean {
    return this.#underWay === 0 && this.people.underWay === 0;
  }

  begin(withinMs: number): void {
    const count = this.random.between(2, 4);
    const name = visitedNames[this.random.between(0, visitedNames.length - 1)] as string;
    for (let n = 0; n < count; n++) {
      const group = `g${this.random.between(0, 1)}`;
      const visit: Visit = { n, name, group, isAcknowledged: false, hasEnded: false };
      this.visits.push(visit);
      this.#underWay += 1;
      const delayMs = this.random.next() * withinMs;
      this.parts.scheduler.after(delayMs, () => void this.#start(visit));
    }
  }

  /** The store went back in time: what was done may not have been. */
  lookAgain(): void {
    this.#timesBack += 1;
    this.people.lookAgain();
    this.#waiting.clear();
    this.#called.clear();
    for (const visit of this.visits) {
      if (visit.id === undefined) continue;
      visit.hasEnded = false;
      this.#underWay += 1;
      void this.#attend(visit);
    }
  }

  async #start(visit: Visit): Promise<void> {
    const { n, name, group } = visit;
    const { requests, definitions } = this.parts;
    const key = `visit-${n}`;
    const request = {
      snapshot: definitions.snapshotOf(name),
      attributes: { priority: 0, taskToDomain: {}, correlationId: key, idempotencyKey: key },
      input: Payload.of({ n, group }),
      idempotency: { key, strategy: 'RETURN_EXISTING' } as const,
    };
    for (;;) {
      const timesBack = this.#timesBack;
      const id = await requests.ask((node) => node.executions.start(request));
      if (id !== undefined && timesBack === this.#timesBack) {
        visit.id = id;
        break;
      }
      await requests.pause(repeatMs);
    }
    visit.isAcknowledged = true;
    await this.#attend(visit);
  }

  /** Looks at the execution until it has ended. */
  async #attend(visit: Visit): Promise<void> {
    const timesBack = this.#timesBack;
    const id = visit.id as string;
    while (timesBack === this.#timesBack) {
      await this.parts.requests.pause(lookEveryMs);
      if (!this.#isWatchful && this.#isTold(visit) && this.parts.isRunning(id)) continue;
      const seen = await this.read(id);
      if (timesBack !== this.#timesBack || seen === undefined) continue;
      if (seen?.status !== 'RUNNING') {
        visit.hasEnded = true;
        break;
      }
      this.#judgeStep(id, seen);
      for (const { taskId, taskType, status } of seen.tasks) {
        if (status !== 'IN_PROGRESS') continue;
        if (taskType === 'WAIT_FOR_WEBHOOK') this.#sawWaiting(visit.group, id);
        if (taskType === 'HUMAN') this.people.gather(id, taskId);
      }
    }
    this.#underWay -= 1;
  }

  /** Nothing is left to be seen before its end. */
  #isTold({ name, id = '' }: Visit): boolean {
    const isCalled = name === askedName || this.#called.has(id);
    return isCalled && (name === hookedName || this.people.isGathered(id));
  }

  /** An ended task and what follows it come in one commit: so something of it is always open. */
  #judgeStep(id: string, { tasks }: SeenExecution): void {
    const isOpen = tasks.some(({ status }) => status === 'SCHEDULED' || status === 'IN_PROGRESS');
    if (isOpen || tasks.length === 0) return;
    this.parts.journal.violations.push(`a read of ${id} showed it running with nothing to do`);
  }

  /** null: there is none; undefined: nobody answered. */
  async read(id: string): Promise<SeenExecution | null | undefined> {
    const { requests, journal } = this.parts;
    const askedAt = journal.now();
    const seen = await requests.ask((node) => readOrNull(node, id, viewOf(seenView, null)));
    if (seen && !requests.isForgetful()) this.reads.seen(id, seen, askedAt);
    return seen;
  }

  /** The platform calls when all of the group wait, or have had their time. */
  #sawWaiting(group: string, id: string): void {
    if (this.#called.has(id)) return;
    const { scheduler } = this.parts;
    const waiting = this.#waiting.get(group) ?? { since: scheduler.now, ids: new Set<string>() };
    this.#waiting.set(group, waiting);
    waiting.ids.add(id);
    const all = this.visits.filter((visit) => visit.group === group && !visit.hasEnded).length;
    if (waiting.ids.size < all && scheduler.now < waiting.since + gatherMs) return;
    this.#waiting.delete(group);
    for (const each of waiting.ids) this.#called.add(each);
    void this.#call(group);
  }

  async #call(group: string): Promise<void> {
    const { requests, journal } = this.parts;
    const timesBack = this.#timesBack;
    const webhookId = this.#webhookId;
    const key = `call-${this.calls.length}`;
    const call: Call = { key, webhookId, group, attempts: 0, isAcknowledged: false };
    this.calls.push(call);
    this.#underWay += 1;
    const body = JSON.stringify({ call: key, group });
    while (!call.isAcknowledged && timesBack === this.#timesBack) {
      call.attempts += 1;
      const answer = await requests.ask(({ outside }) =>
        answered(outside?.receive(webhookId, body), ['unauthenticated']),
      );
      // A signature that was used says that an earlier attempt was taken.
      const isRepeated = call.attempts > 1 && webhookId === signedId;
      if (answer === 'refused' && !isRepeated && !requests.isForgetful()) {
        journal.violations.push(`${key} was refused at its attempt ${call.attempts}`);
      }
      if (answer === undefined) await requests.pause(repeatMs);
      else call.isAcknowledged = true;
    }
    this.#underWay -= 1;
  }
}
