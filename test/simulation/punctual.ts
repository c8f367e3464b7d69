// A worker that is as punctual as can be (invariants I19): its task comes later again and again, by
// a start delay, by what it reports, and by retries. One poll of it ends in the very moment in
// which the task becomes visible, and the next one, at whichever node, must get it at once.
import { bySystem } from '../../src/shard/executions.js';
import { Payload } from '../../src/model/payload.js';
import type { TaskResult } from '../../src/model/execution.js';
import { Keys } from '../../src/redis/keys.js';
import { parseTaskId } from '../../src/std/ids.js';
import type { WireTask } from '../../testkit/wire.js';
import { handOutWithinMs } from './hand-out-watch.js';
import type { Requests } from './requests.js';
import type { Scheduler } from './scheduler.js';
import type { MemoryRedis } from './store/memory-redis.js';
import { perMs } from './store/twins/queue-part.js';
import { texts } from './store/twins/twin.js';
import { definitions, punctualName, punctualType } from './workload-definitions.js';

/** Tasks of the worker, one after the other. */
const rounds = 8;
/** The last but one poll begins so long before its end. */
const leadMs = 60;
/** Its end around the moment in which the task becomes visible: from, and how far. */
const [aimFromMs, aimMs] = [-2, 9];
const patienceMs = 3000;
const stepMs = 5;

export class Punctual {
  readonly violations: string[] = [];
  #isDone = false;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly requests: Requests,
    private readonly redis: () => MemoryRedis,
    private readonly prefix: string,
  ) {}

  get isDone(): boolean {
    return this.#isDone;
  }

  begin(): void {
    void this.#run();
  }

  async #run(): Promise<void> {
    await this.requests.ask((node) =>
      node.executions.start({
        snapshot: definitions.snapshotOf(punctualName),
        attributes: { priority: 0, taskToDomain: {} },
        input: Payload.empty,
      }),
    );
    for (let round = 1; round <= rounds; round++) {
      const task = await this.#next();
      if (task === undefined) break;
      await this.#report(task, round);
    }
    this.#isDone = true;
  }

  async #next(): Promise<WireTask | undefined> {
    const visibleAt = await this.#visibleAt();
    if (visibleAt === undefined) return undefined;
    const { scheduler, requests } = this;
    const aimedAt = visibleAt + aimFromMs + scheduler.random.next() * aimMs;
    await requests.pause(Math.max(0, aimedAt - leadMs - scheduler.now));
    const early = await this.#poll(Math.max(0, aimedAt - scheduler.now));
    if (early !== undefined) return early;
    const askedAt = scheduler.now;
    const task = await this.#poll(patienceMs);
    const lateMs = scheduler.now - Math.max(visibleAt, askedAt);
    if (lateMs > handOutWithinMs) {
      const late = `${Math.round(lateMs)} ms after it became visible`;
      this.violations.push(`the task of a punctual worker was handed out ${late}`);
    }
    return task ?? (await this.#poll(patienceMs * 4));
  }

  /** When the task becomes visible; undefined: it is not there. */
  async #visibleAt(): Promise<number | undefined> {
    const key = new Keys(this.prefix).hidden({ taskType: punctualType });
    for (const endAt = this.scheduler.now + patienceMs; this.scheduler.now < endAt;) {
      const [, score] = texts(this.redis().call('ZRANGE', key, 0, 0, 'WITHSCORES'));
      if (score !== undefined) return Math.floor(Number(score) / perMs);
      await this.requests.pause(stepMs);
    }
    this.violations.push('the task of a punctual worker is in no queue');
    return undefined;
  }

  async #poll(timeoutMs: number): Promise<WireTask | undefined> {
    const queue = { taskType: punctualType };
    const texts = await this.requests.ask((node) =>
      node.hub.poll({ queue, workerId: 'p', count: 1, timeoutMs, onAbort: () => undefined }),
    );
    const [text] = texts ?? [];
    return text === undefined ? undefined : (JSON.parse(text) as WireTask);
  }

  async #report(task: WireTask, round: number): Promise<void> {
    const result = resultOf(round);
    await this.requests.ask((node) =>
      node.executions.command(
        task.workflowInstanceId,
        {
          kind: 'update-task',
          task: { taskNumber: parseTaskId(task.taskId)?.taskNumber ?? 0 },
          result: { ...result, output: Payload.empty, extendLease: false },
          mergeOutput: false,
        },
        bySystem,
      ),
    );
  }
}

/** Given back for a second, and failed with a delay before the retry, in turn. */
function resultOf(round: number): Pick<TaskResult, 'status' | 'callbackAfterSeconds'> {
  if (round === rounds) return { status: 'COMPLETED', callbackAfterSeconds: 0 };
  if (round % 2 === 0) return { status: 'FAILED', callbackAfterSeconds: 0 };
  return { status: 'IN_PROGRESS', callbackAfterSeconds: 1 };
}
