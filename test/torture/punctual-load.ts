// Tasks that come later, under torture (invariants I19): given back for a second, or failed with a
// second's delay before the retry. One poll ends about the moment in which the task becomes
// visible, and the next one must get it at once. Judged where no request failed for the recovery
// time, with an allowance for the machine and for links that are slow: how long a start took
// meanwhile, which goes to an owner and to the store as a hand-out does.
import type { ApiClient } from '../../testkit/api-client.js';
import { pause } from '../../testkit/until.js';
import type { WireTask, WireTaskResult } from '../../testkit/wire.js';
import { createRandom, type Random } from './random.js';
import { Loops, ownerEmail, untilAnswered, type SideLoad } from './side-load.js';

const plainName = 'torture_punctual_plain';
const name = (lane: number): string => `torture_punctual_${lane}`;
const laterMs = 1000;
const leaseSeconds = 20;
const roundsPerExecution = 6;
/** The last but one poll begins so long before the task becomes visible, ms. */
const leadMs = 150;
/** Its end around that moment: from, and how far, ms. */
const [aimFromMs, aimMs] = [-4, 14];
const patienceMs = 3000;
const controlEveryMs = 100;
/** How long a request may take while faults come and go, ms. */
const repeatsMs = 60_000;
/** After the last request that failed so much is still on its way back (invariants I19). */
const recoveryMs = 12_000;
/** Rounds of each lane that are judged at least, in the end. */
const judgedPerLane = 4;
/** The promise, and what a busy machine adds to any answer, ms. */
const promisedMs = 100;
const slackMs = 400;
/** A hand-out takes several turns of the event loops, and ways, that a start takes once. */
const turnsPerHandOut = 5;

/** One hand-out, ms of the monotonic clock. */
export interface Round {
  /** The task may be handed out from here on, at the latest. */
  readonly visibleAt: number;
  /** When the poll was sent that waited then, or came after. */
  readonly askedAt: number;
  readonly receivedAt: number;
}

/** An execution, and the task type that only one execution at a time uses. */
interface Lane {
  readonly taskType: string;
  readonly id: string;
}

/** When it was sent, and how long it took, ms. */
export interface PlainRequest {
  readonly at: number;
  readonly tookMs: number;
}

export class PunctualLoad implements SideLoad {
  private readonly loops = new Loops();
  private readonly random: Random;
  private readonly rounds: Round[] = [];
  private readonly controls: PlainRequest[] = [];
  /** When requests failed. */
  private readonly troubles: number[] = [];

  private constructor(
    private readonly client: ApiClient,
    seed: number,
    private readonly lanes: number,
    private readonly settledMs: number,
  ) {
    this.random = createRandom(seed);
  }

  /** `settledMs`: after a failed request that much is not judged; 0 where there are no faults. */
  static async start(
    client: ApiClient,
    seed: number,
    { lanes = 3, settledMs = recoveryMs }: { lanes?: number; settledMs?: number } = {},
  ): Promise<PunctualLoad> {
    const all = Array.from({ length: lanes }, (_, lane) => name(lane));
    await client.registerTasks(
      ...all.map((taskType) => ({
        ...{ name: taskType, ownerEmail, timeoutSeconds: 0, responseTimeoutSeconds: leaseSeconds },
        ...{ retryCount: 50, retryLogic: 'FIXED' as const, retryDelaySeconds: laterMs / 1000 },
      })),
    );
    const task = { taskReferenceName: 'only', type: 'SIMPLE', inputParameters: {} };
    await client.registerWorkflows(
      ...all.map((taskType) => ({
        ...{ name: taskType, version: 1, schemaVersion: 2, ownerEmail },
        tasks: [{ ...task, name: taskType }],
      })),
      {
        ...{ name: plainName, version: 1, schemaVersion: 2, ownerEmail },
        tasks: [{ ...task, name: 'end', type: 'SET_VARIABLE' }],
      },
    );
    return new PunctualLoad(client, seed, lanes, settledMs);
  }

  begin(): void {
    for (let lane = 0; lane < this.lanes; lane++) this.loops.add(() => this.carryOut(name(lane)));
    this.loops.add(() => this.control());
  }

  async judge(timeoutMs: number): Promise<string[]> {
    const wanted = judgedPerLane * this.lanes;
    for (const deadline = performance.now() + timeoutMs; performance.now() < deadline;) {
      if (this.judged.length >= wanted) break;
      await pause(controlEveryMs);
    }
    const { judged } = this;
    const few = `only ${judged.length} punctual hand-outs could be judged in ${timeoutMs} ms`;
    return [...(judged.length < wanted ? [few] : []), ...tooLate(judged, this.controls)];
  }

  end(): Promise<void> {
    return this.loops.end();
  }

  describe(): string {
    const late = this.judged.map(lateness);
    const latest = late.length === 0 ? 0 : Math.round(Math.max(...late));
    return `${this.rounds.length} punctual hand-outs, ${late.length} judged, ${latest} ms at most`;
  }

  private get judged(): Round[] {
    return withoutTrouble(this.rounds, this.troubles, this.settledMs);
  }

  private async control(): Promise<void> {
    const at = performance.now();
    const start = { name: plainName, version: 1 };
    const answer = await this.client.request('POST', '/api/workflow', start).catch(() => undefined);
    if (answer?.status !== 200) this.troubles.push(performance.now());
    this.controls.push({ at, tookMs: performance.now() - at });
    await pause(controlEveryMs);
  }

  /** One execution. */
  private async carryOut(taskType: string): Promise<void> {
    const deadline = Date.now() + repeatsMs;
    const start = { name: taskType, version: 1 };
    const started = await untilAnswered(this.client, deadline, 'POST', '/api/workflow', start);
    if (started === undefined) return;
    const lane: Lane = { taskType, id: started.answer.text };
    let task = await this.poll(lane, patienceMs);
    for (let round = 1; task !== undefined && this.loops.isRunning; round++) {
      const reportedAt = await this.report(task, round);
      if (round === roundsPerExecution || reportedAt === undefined) return;
      task = await this.next(lane, reportedAt + laterMs);
    }
  }

  private async next(lane: Lane, visibleAt: number): Promise<WireTask | undefined> {
    const endsAt = visibleAt + aimFromMs + this.random.next() * aimMs;
    await pause(Math.max(0, endsAt - leadMs - performance.now()));
    const early = await this.poll(lane, Math.max(0, Math.round(endsAt - performance.now())));
    if (early !== undefined) return early;
    const askedAt = performance.now();
    while (this.loops.isRunning) {
      const task = await this.poll(lane, patienceMs);
      if (task === undefined) continue;
      this.rounds.push({ visibleAt, askedAt, receivedAt: performance.now() });
      return task;
    }
    return undefined;
  }

  /** The task of this execution, if it comes within the time. */
  private async poll(lane: Lane, timeoutMs: number): Promise<WireTask | undefined> {
    for (const endsAt = performance.now() + timeoutMs; ;) {
      const leftMs = Math.max(0, Math.round(endsAt - performance.now()));
      const task = await this.pollOnce(lane.taskType, leftMs);
      if (task === undefined || task.workflowInstanceId === lane.id) return task;
      await this.endForgotten(task);
    }
  }

  /** A start or a report with an unknown outcome leaves its execution behind in the lane. */
  private async endForgotten({ taskId, workflowInstanceId }: WireTask): Promise<void> {
    const deadline = Date.now() + leaseSeconds * 1000;
    const body = { taskId, workflowInstanceId, status: 'COMPLETED', outputData: {} };
    await untilAnswered(this.client, deadline, 'POST', '/api/tasks', body);
  }

  private async pollOnce(taskType: string, timeoutMs: number): Promise<WireTask | undefined> {
    try {
      return (await this.client.poll(taskType, { timeoutMs }))[0];
    } catch {
      this.troubles.push(performance.now());
      await pause(controlEveryMs);
      return undefined;
    }
  }

  /** When the answer came, ms; undefined: its outcome is not known to be of the first try. */
  private async report(task: WireTask, round: number): Promise<number | undefined> {
    const { taskId, workflowInstanceId } = task;
    const status = statusOf(round);
    const body: Partial<WireTaskResult> = { taskId, workflowInstanceId, status, outputData: {} };
    const later = status === 'IN_PROGRESS' ? { callbackAfterSeconds: laterMs / 1000 } : {};
    const deadline = Date.now() + leaseSeconds * 1000;
    const request = { ...body, ...later };
    const sent = await untilAnswered(this.client, deadline, 'POST', '/api/tasks', request);
    if (sent?.attempts === 1) return performance.now();
    this.troubles.push(performance.now());
    return undefined;
  }
}

function statusOf(round: number): 'COMPLETED' | 'FAILED' | 'IN_PROGRESS' {
  if (round === roundsPerExecution) return 'COMPLETED';
  return round % 2 === 0 ? 'FAILED' : 'IN_PROGRESS';
}

function lateness({ visibleAt, askedAt, receivedAt }: Round): number {
  return receivedAt - Math.max(visibleAt, askedAt);
}

/** Rounds in which no request failed, nor for `settledMs` before. */
export function withoutTrouble(
  rounds: readonly Round[],
  troubles: readonly number[],
  settledMs: number,
): Round[] {
  return rounds.filter(
    ({ visibleAt, receivedAt }) =>
      !troubles.some((at) => at >= visibleAt - settledMs && at <= receivedAt),
  );
}

/** One sentence per hand-out that came later than promised and than the machine explains. */
export function tooLate(rounds: readonly Round[], controls: readonly PlainRequest[]): string[] {
  return rounds.flatMap((round) => {
    const lateMs = Math.round(lateness(round));
    const slowest = controls
      .filter(({ at, tookMs }) => at <= round.receivedAt && at + tookMs >= round.visibleAt - 1000)
      .reduce((most, { tookMs }) => Math.max(most, tookMs), 0);
    const allowedMs = promisedMs + slackMs + turnsPerHandOut * slowest;
    if (lateMs <= allowedMs) return [];
    const meanwhile = `starts took at most ${Math.round(slowest)} ms meanwhile`;
    return [`a task was handed out ${lateMs} ms after it might be, to a poll; ${meanwhile}`];
  });
}
