// Brings executions into memory that have something to do by themselves: after a takeover, and when
// a wake-up of theirs is due. A load that fails is tried again until it succeeds or the shard is
// lost; taking the shard again finds all that is due. One in quarantine waits for its release,
// which loads it.
import type { Clock } from '../std/clock.js';
import { shardOf, type ExecutionId } from '../std/ids.js';
import { CannotBeWritten } from './abandoned.js';
import type { ActorCache } from './actor-cache.js';
import type { CommitPipeline } from './commit-pipeline.js';
import type { ExecutionTimers } from './execution-timers.js';
import type { ShardMonitor } from './executions.js';
import type { OwnedShards } from './owned-shards.js';
import type { RecoverExecution } from './recover-execution.js';
import { Quarantined } from './refusals.js';

/** After a load or a wake-up that failed. */
const retryMs = 1000;

export interface ActivationParts {
  readonly clock: Clock;
  readonly shards: number;
  readonly owned: OwnedShards;
  readonly cache: ActorCache;
  readonly recovery: RecoverExecution;
  readonly pipeline: CommitPipeline;
  readonly timers: ExecutionTimers;
  readonly monitor: ShardMonitor;
}

export class Activation {
  constructor(private readonly parts: ActivationParts) {}

  /** Loads an execution; its recovery goes on with what was left to do. */
  load(id: ExecutionId): void {
    const { owned, recovery, monitor, clock } = this.parts;
    const fence = owned.fenceOf(this.#shardOf(id));
    const isCurrent = (): boolean => owned.fenceOf(this.#shardOf(id)) === fence;
    recovery.actorOf(id).catch((error: unknown) => {
      if (fence === undefined || !isCurrent() || isFinal(error)) return;
      monitor.failed(error);
      clock.after(retryMs, () => {
        if (isCurrent()) this.load(id);
      });
    });
  }

  /** A wake-up is due. One that could not be carried out comes again. Does not reject. */
  async wake(id: ExecutionId): Promise<void> {
    try {
      await this.#carryOutWake(id);
    } catch (error) {
      const { owned, monitor, timers, clock } = this.parts;
      if (!owned.has(this.#shardOf(id)) || isFinal(error)) return;
      monitor.failed(error);
      timers.arm(id, clock.now() + retryMs);
    }
  }

  async #carryOutWake(id: ExecutionId): Promise<void> {
    const { recovery, cache, pipeline, clock } = this.parts;
    const found = await recovery.actorOf(id);
    if (found === undefined) return;
    const actor = cache.rejoin(found);
    await pipeline.submit(actor, { kind: 'wake' });
    const { wakeAt } = actor.stored;
    if (wakeAt === 0 || wakeAt > clock.now() || actor.isDropped) return;
    // The stored moment has passed: store the next one, or none.
    actor.collecting().isForced = true;
    pipeline.conclude(actor);
  }

  #shardOf(id: ExecutionId): number {
    return shardOf(id, this.parts.shards);
  }
}

/** Trying it again by itself would change nothing. */
function isFinal(error: unknown): boolean {
  return error instanceof Quarantined || error instanceof CannotBeWritten;
}
