// Removes executions. Earlier decisions are made durable first; then the actor is dropped, its
// callers learn that the execution is gone, and one commit takes the execution out of the store.
// Until that commit has landed nobody may load the execution again: a second actor would write to
// something that is about to vanish, and be refused.
import assert from 'node:assert/strict';
import { durable } from '../std/durable.js';
import { isWorkerTask } from '../engine/task-kinds.js';
import { queueOf } from '../engine/worker-queue.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { ActorCache } from './actor-cache.js';
import type { CommitPipeline } from './commit-pipeline.js';
import type { ExecutionActor } from './execution-actor.js';
import { confirmed } from './start-execution.js';
import { changedElsewhere, unavailable } from './refusals.js';
import { noSuchWorkflow } from '../model/errors.js';

export interface RemovalParts {
  readonly store: Pick<ExecutionStore, 'commit'>;
  readonly cache: ActorCache;
  readonly pipeline: CommitPipeline;
}

export class Removal {
  constructor(private readonly parts: RemovalParts) {}

  /**
   * One try; false when other commands came in between. Throws AppError 'not-found', 'unavailable',
   * and 'unknown-outcome' when another writer was there.
   */
  async remove(actor: ExecutionActor): Promise<boolean> {
    if (!this.#isLive(actor)) return false;
    await confirmed(actor);
    // Meanwhile it may have been removed, given something to do, or have left memory and been
    // loaded anew.
    if (!this.#isLive(actor) || actor.isInFlight) return false;
    const removing = this.#carryOut(actor);
    this.parts.cache.block(
      actor.id,
      removing.catch(() => undefined),
    );
    await removing;
    return true;
  }

  /** It is the one in memory, the only one that may write. */
  #isLive(actor: ExecutionActor): boolean {
    return !actor.isDropped && this.parts.cache.live(actor.id) === actor;
  }

  async #carryOut(actor: ExecutionActor): Promise<void> {
    const commit = this.parts.pipeline.plan(actor, true);
    if (commit === undefined) throw unavailable();
    const waiting = [...actor.open.openTasks].filter(isWorkerTask);
    actor.drop(noSuchWorkflow(actor.id));
    this.parts.cache.remove(actor);
    const [result] = (await this.parts.store.commit([commit])).commits;
    // It writes no values.
    assert(typeof result !== 'object', 'A removal could not be written');
    if (result !== 'committed' && result !== 'already-applied') {
      this.parts.pipeline.refuse(actor, result ?? 'wrong-head');
      throw changedElsewhere();
    }
    this.parts.pipeline.removed(actor);
    const outputs = waiting.map((task) => {
      const { reopenCount } = task;
      const kind = 'unschedule' as const;
      return durable({ kind, task, reopenCount, queue: queueOf(task) });
    });
    this.parts.pipeline.release(actor, [{ outputs, trace: undefined }]);
  }
}
