// Waiting tasks of webhooks in Redis: a set of shapes per workflow version, and a set of task ids
// for each combination of values that somebody waits for.
import type { TaskId } from '../../std/ids.js';
import type { WaitShape, WaitTarget, WebhookWaitStore } from './wait-store.js';
import { WebhookKeys } from './keys.js';
import type { RedisClient } from '../../redis/client.js';
import { allMembers } from '../../redis/scans.js';
import { partsOf } from '../../std/parts.js';

/** Tasks that one command removes. */
const removedPerCallMax = 500;
const limitsDefault: WebhookWaitLimits = { shapesMax: 1000, lifeMs: 366 * 86_400_000 };

export interface WebhookWaitLimits {
  /** Shapes of one workflow version. */
  readonly shapesMax: number;
  /** Tasks that ended without a word leave the index after this time, ms. */
  readonly lifeMs: number;
}

export class RedisWebhookWaitStore implements WebhookWaitStore {
  readonly #keys: WebhookKeys;

  constructor(
    private readonly redis: RedisClient,
    private readonly limits = limitsDefault,
  ) {
    this.#keys = new WebhookKeys(redis.keys.prefix);
  }

  async register(target: WaitTarget, taskId: TaskId): Promise<boolean> {
    const shapes = this.#keys.shapes(target.workflowName, target.workflowVersion);
    const shape = writeShape(target.shape);
    const [isKnown, count] = (await this.redis.reads.callAll([
      ['SISMEMBER', shapes, shape],
      ['SCARD', shapes],
    ])) as [number, number];
    if (isKnown === 0 && count >= this.limits.shapesMax) return false;
    const waiting = this.#keys.waiting(writeTarget(target));
    await this.redis.commits.callAll([
      ['SADD', shapes, shape],
      ['SADD', waiting, taskId],
      ['PEXPIRE', waiting, this.limits.lifeMs],
    ]);
    return true;
  }

  async isRegistered(target: WaitTarget, taskId: TaskId): Promise<boolean> {
    const waiting = this.#keys.waiting(writeTarget(target));
    return (await this.redis.reads.call('SISMEMBER', waiting, taskId)) === 1;
  }

  async remove(target: WaitTarget, taskIds: readonly TaskId[]): Promise<void> {
    if (taskIds.length === 0) return;
    const waiting = this.#keys.waiting(writeTarget(target));
    for (const some of partsOf(taskIds, removedPerCallMax)) {
      await this.redis.commits.call('SREM', waiting, ...some);
    }
  }

  async shapes(workflowName: string, workflowVersion: number): Promise<WaitShape[]> {
    const { reads } = this.redis;
    const key = this.#keys.shapes(workflowName, workflowVersion);
    return (await allMembers(reads, key)).map(readShape);
  }

  async waiting(targets: readonly WaitTarget[]): Promise<TaskId[][]> {
    const { reads } = this.redis;
    const found = targets.map((target) =>
      allMembers(reads, this.#keys.waiting(writeTarget(target))),
    );
    return (await Promise.all(found)) as TaskId[][];
  }
}

function writeShape({ ref, paths, isFixed }: WaitShape): string {
  return JSON.stringify([ref, paths, isFixed]);
}

function readShape(text: string): WaitShape {
  const [ref, paths, isFixed] = JSON.parse(text) as [string, string[], boolean[]];
  return { ref, paths, isFixed };
}

function writeTarget({ workflowName, workflowVersion, shape, values }: WaitTarget): string {
  return JSON.stringify([workflowName, workflowVersion, writeShape(shape), values]);
}
