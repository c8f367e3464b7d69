// Task types with limits under torture: leases in force never exceed a concurrency limit, hand-outs
// in a window never a rate limit (invariants I8, I9). Judged from what the workers saw.
import type { ApiClient } from '../../testkit/api-client.js';
import { pause } from '../../testkit/until.js';
import type { WireTask } from '../../testkit/wire.js';
import { createRandom, type Random } from './random.js';
import { Loops, ownerEmail, untilAnswered, type SideLoad } from './side-load.js';

const name = 'torture_limited';
const narrow = 'torture_narrow';
const rated = 'torture_rated';
const limits = {
  [narrow]: { concurrentExecLimit: 2 },
  [rated]: { rateLimitPerFrequency: 4, rateLimitFrequencyInSeconds: 2 },
} as const;
type LimitedType = keyof typeof limits;

const leaseMs = 6_000;
/**
 * A lease may end for the server this much before the worker was told; and a rate window may differ
 * from the workers' clock by as much.
 */
const slackMs = 500;
const workersPerType = 4;
const startEveryMs = 1_500;
/** How long a start may take while faults come and go, ms. */
const startMs = 60_000;
const workMs = [50, 600] as const;

/** A hand-out as its worker saw it, ms of the monotonic clock. */
export interface LimitedHandOut {
  readonly askedAt: number;
  readonly receivedAt: number;
  /** Until then the worker had its lease for sure. */
  heldUntil: number;
}

export class LimitLoad implements SideLoad {
  private readonly loops = new Loops();
  private readonly workers = new Loops();
  private readonly random: Random;
  private readonly handOuts: { readonly [type in LimitedType]: LimitedHandOut[] } = {
    [narrow]: [],
    [rated]: [],
  };
  private readonly started: string[] = [];
  private begun = 0;

  private constructor(
    private readonly client: ApiClient,
    private readonly seed: number,
  ) {
    this.random = createRandom(seed ^ 0x11313);
  }

  static async start(client: ApiClient, seed: number): Promise<LimitLoad> {
    const times = { timeoutSeconds: 0, responseTimeoutSeconds: leaseMs / 1_000 };
    const retries = { retryCount: 10, retryLogic: 'FIXED', retryDelaySeconds: 0 } as const;
    const types = Object.entries(limits);
    await client.registerTasks(
      ...types.map(([type, limit]) => ({ name: type, ...times, ...retries, ...limit, ownerEmail })),
    );
    const task = (type: LimitedType, ref: string): object => ({
      ...{ name: type, taskReferenceName: ref, type: 'SIMPLE', inputParameters: {} },
    });
    const forkTasks = [[task(narrow, 'n1')], [task(narrow, 'n2')], [task(rated, 'r1')]];
    const tasks = [
      { name: 'fork', taskReferenceName: 'fork', type: 'FORK_JOIN', forkTasks },
      { name: 'join', taskReferenceName: 'join', type: 'JOIN', joinOn: ['n1', 'n2', 'r1'] },
    ];
    await client.registerWorkflows({
      name,
      version: 1,
      schemaVersion: 2,
      ownerEmail,
      tasks,
    } as never);
    return new LimitLoad(client, seed);
  }

  begin(): void {
    this.loops.add(() => this.startOne());
    for (const type of [narrow, rated] as const) {
      for (let i = 0; i < workersPerType; i++) this.workers.add(() => this.work(type));
    }
  }

  async judge(timeoutMs: number): Promise<string[]> {
    await this.loops.end();
    const deadline = Date.now() + timeoutMs;
    const open: string[] = [];
    for (const id of this.started) {
      if (!(await this.hasEnded(id, deadline))) open.push(`${name} ${id} did not end`);
    }
    return [
      ...open,
      ...tooManyAtOnce(this.handOuts[narrow], limits[narrow].concurrentExecLimit),
      ...tooManyInWindow(
        this.handOuts[rated],
        limits[rated].rateLimitPerFrequency,
        limits[rated].rateLimitFrequencyInSeconds * 1_000 - slackMs,
      ),
    ];
  }

  async end(): Promise<void> {
    await this.loops.end();
    await this.workers.end();
  }

  describe(): string {
    return `${this.handOuts[narrow].length + this.handOuts[rated].length} hand-outs with limits`;
  }

  private async startOne(): Promise<void> {
    const key = `limited-${this.seed}-${this.begun++}`;
    const request = {
      name,
      version: 1,
      idempotencyKey: key,
      idempotencyStrategy: 'RETURN_EXISTING',
    };
    const start = await untilAnswered(
      this.client,
      Date.now() + startMs,
      'POST',
      '/api/workflow',
      request,
    );
    if (start?.answer.status === 200) this.started.push(start.answer.text);
    await pause(startEveryMs);
  }

  private async work(type: LimitedType): Promise<void> {
    const askedAt = performance.now();
    const tasks = await this.client.poll(type, { timeoutMs: 500 }).catch(() => undefined);
    if (tasks === undefined) await pause(100);
    for (const task of tasks ?? []) await this.carryOut(type, task, askedAt);
  }

  private async carryOut(type: LimitedType, task: WireTask, askedAt: number): Promise<void> {
    const receivedAt = performance.now();
    const handOut = { askedAt, receivedAt, heldUntil: askedAt + leaseMs - slackMs };
    this.handOuts[type].push(handOut);
    await pause(this.random.between(...workMs));
    handOut.heldUntil = Math.max(receivedAt, Math.min(handOut.heldUntil, performance.now()));
    const { taskId, workflowInstanceId } = task;
    const report = { taskId, workflowInstanceId, status: 'COMPLETED', outputData: {} };
    await untilAnswered(this.client, Date.now() + leaseMs, 'POST', '/api/tasks', report);
  }

  private async hasEnded(id: string, deadline: number): Promise<boolean> {
    for (;;) {
      const path = `/api/workflow/${id}?includeTasks=false`;
      const read = await untilAnswered(this.client, deadline, 'GET', path);
      if ((read?.answer.body as { status?: string })?.status === 'COMPLETED') return true;
      if (Date.now() > deadline) return false;
      await pause(200);
    }
  }
}

/** A sentence when more workers than the limit surely had a lease at one moment. */
export function tooManyAtOnce(handOuts: readonly LimitedHandOut[], limit: number): string[] {
  const changes = handOuts.flatMap(({ receivedAt, heldUntil }) => [
    { at: receivedAt, by: 1 },
    { at: heldUntil, by: -1 },
  ]);
  changes.sort((a, b) => a.at - b.at || a.by - b.by);
  let held = 0;
  let most = 0;
  for (const { by } of changes) {
    held += by;
    most = Math.max(most, held);
  }
  return most > limit ? [`${most} leases at once of a type that may have ${limit}`] : [];
}

/** A sentence when more hand-outs than the limit surely lay within one window. */
export function tooManyInWindow(
  handOuts: readonly LimitedHandOut[],
  limit: number,
  windowMs: number,
): string[] {
  const inOrder = handOuts.toSorted((a, b) => a.askedAt - b.askedAt);
  const found = inOrder.flatMap(({ askedAt }, first) => {
    const within = inOrder
      .slice(first)
      .filter(({ receivedAt }) => receivedAt < askedAt + windowMs).length;
    return within > limit ? [within] : [];
  });
  if (found.length === 0) return [];
  return [`${Math.max(...found)} hand-outs in ${windowMs} ms of a type that may have ${limit}`];
}
