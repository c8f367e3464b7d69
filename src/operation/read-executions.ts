// Reads many executions, a bounded number at the same time.
import type { ExecutionId } from '../std/ids.js';
import { Limiter } from '../std/limiter.js';
import type { OpenExecution } from '../engine/open-execution.js';
import type { OperationContext } from './context.js';

/**
 * Views in the order of the ids; undefined for those that are gone. `before` is awaited before each
 * read. Rejects with what the first view or `before` throws; nothing more is read then.
 */
export async function readExecutions<T>(
  context: Pick<OperationContext, 'executions' | 'limits'>,
  ids: readonly ExecutionId[],
  view: (open: OpenExecution) => T,
  before?: () => Promise<void> | undefined,
): Promise<(T | undefined)[]> {
  const limiter = new Limiter(context.limits.readsAtOnceMax);
  let hasFailed = false;
  const read = async (id: ExecutionId): Promise<T | undefined> => {
    if (hasFailed) return undefined;
    try {
      await before?.();
      return await context.executions.read(id, view);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  return Promise.all(ids.map((id) => limiter.run(() => read(id))));
}
