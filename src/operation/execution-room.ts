// The limit on how many executions of a workflow run at the same time (contract-admin 9.7,
// semantics 2.12): a start beyond it is refused with 429, which client libraries repeat. Running
// executions are counted in their index; starts of this node that are under way count too, so only
// starts at different nodes in the same moment can pass together.
import { AppError } from '../model/errors.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import type { ExecutionStore } from '../store/execution-store.js';

export class ExecutionRoom {
  readonly #starting = new Map<string, number>();

  constructor(
    private readonly index: Pick<ExecutionStore, 'running'>,
    /** Limit that was set for a workflow; undefined: none. */
    private readonly limitOf: (name: string) => number | undefined,
  ) {}

  /** Runs `start` if there is room. Rejects with AppError 'too-many', or as `start` does. */
  async admit<T>(def: WorkflowDef, start: () => Promise<T>): Promise<T> {
    const limit = this.limitOf(def.name) ?? ownLimit(def);
    if (limit === undefined) return await start();
    const starting = (this.#starting.get(def.name) ?? 0) + 1;
    this.#starting.set(def.name, starting);
    try {
      const running = await this.index.running(def.name);
      if (running.length + starting > limit) {
        throw new AppError('too-many', `${limit} executions of ${def.name} are running already`);
      }
      return await start();
    } finally {
      const left = (this.#starting.get(def.name) ?? 1) - 1;
      if (left === 0) this.#starting.delete(def.name);
      else this.#starting.set(def.name, left);
    }
  }
}

/** The limit that a definition brings with the policy to refuse. */
function ownLimit({ rateLimitConfig }: WorkflowDef): number | undefined {
  return rateLimitConfig?.policy === 'REJECT' && rateLimitConfig.concurrentExecLimit > 0
    ? rateLimitConfig.concurrentExecLimit
    : undefined;
}
