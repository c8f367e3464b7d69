// Removes executions. What was decided before is made durable first; then the actor is dropped, its
// callers learn that the execution is gone, and one commit takes the execution out of the store.
// Until that commit has landed nobody may load the execution again: a second actor would write to
// something that is about to vanish, and be refused.
import type { ExecutionId } from '../std/ids.js';
import { isWorkerTask } from '../engine/task-kinds.js';
import { queueOf } from '../engine/worker-queue.js';
import type { Commit, ExecutionStore } from '../store/execution-store.js';
import type { ExecutionActor } from './execution-actor.js';
import type { HandOut } from './hand-out.js';
import { changedElsewhere, notFound, unavailable } from './refusals.js';

export interface RemovalParts {
  readonly store: Pick<ExecutionStore, 'commit'>;
  readonly handOut: Pick<HandOut, 'withdraw'>;
  /** Rejects with 'not-found' when there is no such execution. */
  readonly existing: (id: string) => Promise<ExecutionActor>;
  /** It is the one in memory, the only one that may write. */
  readonly isLive: (actor: ExecutionActor) => boolean;
  /** The commit that removes; undefined when the shard is not this node's. */
  readonly plan: (actor: ExecutionActor) => Commit | undefined;
  readonly forget: (actor: ExecutionActor) => void;
  readonly refused: (actor: ExecutionActor, result: 'stale-owner' | 'wrong-head') => void;
}

/** How often other commands may come between the wait for what was decided and the removal. */
const attemptsMax = 1000;

export class Removal {
  readonly #underWay = new Map<ExecutionId, Promise<void>>();

  constructor(private readonly parts: RemovalParts) {}

  /** Settles when the removal of the execution has, if one is under way. */
  underWay(id: ExecutionId): Promise<void> | undefined {
    return this.#underWay.get(id);
  }

  /**
   * Throws AppError 'not-found', 'unavailable', and 'unknown-outcome' when another writer was
   * there.
   */
  async remove(id: string): Promise<void> {
    for (let left = attemptsMax; left > 0; left--) {
      const actor = await this.parts.existing(id);
      if (!this.parts.isLive(actor)) continue;
      await new Promise<void>((resolve, reject) => actor.gate(resolve, reject));
      // Meanwhile it may have been removed, given something to do, or have left memory and been
      // loaded anew.
      if (this.parts.isLive(actor) && actor.inFlight === undefined) return this.#track(actor);
    }
    throw unavailable();
  }

  async #track(actor: ExecutionActor): Promise<void> {
    const removing = this.#carryOut(actor);
    const settled = removing.catch(() => undefined);
    this.#underWay.set(actor.id, settled);
    try {
      await removing;
    } finally {
      this.#underWay.delete(actor.id);
    }
  }

  async #carryOut(actor: ExecutionActor): Promise<void> {
    const commit = this.parts.plan(actor);
    if (commit === undefined) throw unavailable();
    const waiting = [...actor.open.openTasks].filter(isWorkerTask);
    actor.drop(notFound(actor.id));
    this.parts.forget(actor);
    const [result] = (await this.parts.store.commit([commit])).commits;
    if (result === 'stale-owner' || result === 'wrong-head') {
      this.parts.refused(actor, result);
      throw changedElsewhere();
    }
    for (const task of waiting) {
      this.parts.handOut.withdraw(actor, task, task.reopenCount, queueOf(task));
    }
  }
}
