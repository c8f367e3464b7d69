// Persons in a simulation, who ask for the same human tasks at the same time (contract-admin 10.4).
// Each claims, works, and completes or gives back; an administrator sometimes takes a task away.
// What the server has acknowledged must be so: a claim is held by one person until it is released
// or completed, and a completion stands.
import type { Caller } from '../../../src/model/caller.js';
import { localAdministrator } from '../../../src/model/caller.js';
import type { HumanTaskEntry } from '../../../src/model/human/human-entry.js';
import type { HumanTasks } from '../../../src/areas/human/human-tasks.js';
import type { Journal } from '../../torture/journal.js';
import type { Random } from '../../torture/random.js';
import type { ReadJudge } from '../read-judge.js';
import { answered, type Requests } from '../requests.js';

/** A claim that was acknowledged. All times are those of the journal. */
export interface Holding {
  readonly taskId: string;
  readonly person: string;
  readonly from: number;
  /** When its end was first asked for; Infinity: never. */
  until: number;
  /** The person's own completion was refused at its first attempt. */
  isDenied: boolean;
}

export interface Completion {
  readonly taskId: string;
  readonly workflowId: string;
  readonly person: string;
}

export interface PeopleParts {
  readonly requests: Requests;
  readonly journal: Journal;
  readonly random: Random;
  readonly reads: ReadJudge;
}

interface Desk {
  readonly workflowId: string;
  readonly taskId: string;
  readonly timesBack: number;
}

type Answer = HumanTaskEntry | 'done' | 'refused' | undefined;

const repeatMs = 60;
const lookEveryMs = 250;
const workMsMax = 300;
const refusals = ['bad-request', 'forbidden'];

export class People {
  readonly holdings: Holding[] = [];
  /** Acknowledged. */
  readonly completions: Completion[] = [];
  /** Human tasks that somebody was asked for. */
  readonly taskIds = new Set<string>();
  readonly #gathered = new Set<string>();
  /** By administrators; `until`: when they had their answer, Infinity before. */
  readonly #takings: { readonly taskId: string; until: number }[] = [];
  #timesBack = 0;
  underWay = 0;

  /** The same ones come again when the store went back in time: one of them may hold the task. */
  readonly #persons: number;

  constructor(private readonly parts: PeopleParts) {
    this.#persons = parts.random.between(2, 3);
  }

  isGathered(workflowId: string): boolean {
    return this.#gathered.has(workflowId);
  }

  /** The store went back in time: who is at work stops, and others come. */
  lookAgain(): void {
    this.#timesBack += 1;
    this.#gathered.clear();
  }

  /** A human task waits: persons come for it, once. */
  gather(workflowId: string, taskId: string): void {
    if (this.#gathered.has(workflowId)) return;
    this.#gathered.add(workflowId);
    this.taskIds.add(taskId);
    const { random } = this.parts;
    const desk: Desk = { workflowId, taskId, timesBack: this.#timesBack };
    for (let i = 0; i < this.#persons; i++) {
      // The first one never gives up.
      const givesBack = i > 0 && random.next() < 0.4;
      void this.#counted(this.#person(desk, `p${i}`, givesBack));
    }
    if (random.next() < 0.4) void this.#counted(this.#administrator(desk));
  }

  async #counted(work: Promise<void>): Promise<void> {
    this.underWay += 1;
    await work;
    this.underWay -= 1;
  }

  #isOver({ timesBack }: Desk): boolean {
    return timesBack !== this.#timesBack;
  }

  #pause(ms: number): Promise<void> {
    return this.parts.requests.pause(ms);
  }

  async #person(desk: Desk, person: string, givesBack: boolean): Promise<void> {
    const { random } = this.parts;
    await this.#pause(random.next() * lookEveryMs);
    let mayClaim = true;
    let holding: Holding | undefined;
    while (!this.#isOver(desk)) {
      if (mayClaim && holding?.until !== Infinity) holding = await this.#claim(desk, person);
      const seen = await this.#look(desk, person, holding);
      if (seen === 'refused' || (typeof seen === 'object' && hasEnded(seen))) return;
      // Also one whose answer was lost.
      const isMine = typeof seen === 'object' && seen.claimant?.user === person;
      if (isMine) {
        await this.#pause(random.next() * workMsMax);
        if (givesBack && mayClaim) {
          await this.#release(desk, person, holding);
          mayClaim = false;
        } else if (await this.#complete(desk, person, holding)) return;
      }
      await this.#pause(lookEveryMs);
    }
  }

  /** undefined: it was refused, nobody knows, or it may have been taken away since. */
  async #claim(desk: Desk, person: string): Promise<Holding | undefined> {
    const { journal } = this.parts;
    const { taskId } = desk;
    const sentAt = journal.now();
    const answer = await this.#ask((people) => people.claim(callerOf(person), taskId, false));
    if (this.#isOver(desk) || typeof answer !== 'object') return undefined;
    if (this.#isTaken(taskId, sentAt)) return undefined;
    const holding = { taskId, person, from: journal.now(), until: Infinity, isDenied: false };
    this.holdings.push(holding);
    return holding;
  }

  /** The task as it is now; 'refused': there is none. */
  async #look(desk: Desk, person: string, holding: Holding | undefined): Promise<Answer> {
    const { requests, journal } = this.parts;
    const { taskId } = desk;
    const seen = await this.#ask((people) => people.find(taskId, 'bad-request'));
    if (this.#isOver(desk) || requests.isForgetful()) return seen;
    if (seen === 'refused') journal.violations.push(`the human task ${taskId} is gone`);
    if (typeof seen === 'object' && holding?.until === Infinity) {
      const holder = seen.claimant?.user;
      if (holder !== person || hasEnded(seen)) {
        journal.violations.push(`${taskId} is ${seen.state} by ${holder}, and ${person} holds it`);
      }
    }
    return seen;
  }

  async #release(desk: Desk, person: string, holding: Holding | undefined): Promise<void> {
    const { taskId } = desk;
    this.#ends(holding);
    const release = (): Promise<Answer> =>
      this.#ask((people) => people.release(callerOf(person), taskId));
    while (!this.#isOver(desk) && (await release()) === undefined) await this.#pause(repeatMs);
  }

  /** False: it was refused. */
  async #complete(desk: Desk, person: string, holding: Holding | undefined): Promise<boolean> {
    const { journal } = this.parts;
    const { taskId } = desk;
    const sentAt = journal.now();
    const isHeld = holding?.until === Infinity;
    this.#ends(holding);
    for (let attempt = 1; !this.#isOver(desk); attempt++) {
      const answer = await this.#ask((people) =>
        people.update(callerOf(person), taskId, { by: person }, true),
      );
      if (this.#isOver(desk)) break;
      if (answer === 'refused') {
        const isCertain = isHeld && attempt === 1 && !this.#isTaken(taskId, sentAt);
        if (isCertain) holding.isDenied = true;
        return false;
      }
      if (answer === 'done') {
        this.#completed(desk, person, attempt);
        break;
      }
      await this.#pause(repeatMs);
    }
    return true;
  }

  #completed({ taskId, workflowId }: Desk, person: string, attempts: number): void {
    const { journal, reads } = this.parts;
    this.completions.push({ taskId, workflowId, person });
    const at = journal.now();
    const report = { taskId, workflowId, status: 'COMPLETED', marker: person } as const;
    const times = { firstSentAt: at, attempts, acknowledgedAt: at };
    reads.answered({ ...report, ...times, outcome: 'acknowledged' });
  }

  /** Takes the task from who has it. */
  async #administrator(desk: Desk): Promise<void> {
    const { random, journal } = this.parts;
    const { taskId } = desk;
    await this.#pause(random.next() * 3 * lookEveryMs);
    if (this.#isOver(desk)) return;
    for (const holding of this.holdings) if (holding.taskId === taskId) this.#ends(holding);
    const taking = { taskId, until: Infinity };
    this.#takings.push(taking);
    const answer = await this.#ask((people) => people.release(localAdministrator, taskId));
    if (answer !== undefined) taking.until = journal.now();
  }

  /** Whether an administrator may have taken the task away since then. */
  #isTaken(taskId: string, since: number): boolean {
    return this.#takings.some((taking) => taking.taskId === taskId && taking.until >= since);
  }

  #ends(holding: Holding | undefined): void {
    if (holding !== undefined) holding.until = Math.min(holding.until, this.parts.journal.now());
  }

  #ask(ask: (people: HumanTasks) => Promise<HumanTaskEntry | void>): Promise<Answer> {
    return this.parts.requests.ask(({ outside }) =>
      answered(outside === undefined ? undefined : ask(outside.people), refusals),
    );
  }
}

const ended: ReadonlySet<string> = new Set(['COMPLETED', 'TIMED_OUT', 'DELETED']);

function hasEnded({ state }: HumanTaskEntry): boolean {
  return ended.has(state);
}

function callerOf(person: string): Caller {
  return { kind: 'user', id: person, roles: [], groups: [] };
}
