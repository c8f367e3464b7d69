// Executions whose second commit cannot be written (invariants M19): a value that the limits of
// values have missed. They end as FAILED with the reason, and nobody else notices.
import type { AppError } from '../../src/model/errors.js';
import type { WireWorkflow } from '../../testkit/wire.js';
import type { Commit, ExecutionStore } from '../../src/store/execution-store.js';

export const unwritableName = 'torture_unwritable';

/** Whether a commit is one that cannot be written. */
export function isUnwritable({ execution, head }: Commit): boolean {
  const { snapshot, state } = execution;
  return snapshot.def.name === unwritableName && head !== '' && state.status === 'RUNNING';
}

/** As an encoder meets a value that is too deep for it. */
const tooDeep = new Proxy({} as Commit['changes'], {
  get: () => {
    throw new RangeError('Maximum call stack size exceeded');
  },
});

/** The store, with such values in the commits of the executions that make them. */
export function withUnwritable<T extends ExecutionStore>(store: T): T {
  const commit = store.commit.bind(store);
  store.commit = (batch, grants) =>
    commit(
      batch.map((one) => (isUnwritable(one) ? { ...one, changes: tooDeep } : one)),
      grants,
    );
  return store;
}

/** What a client is told whose request made an execution end so. */
export function tellsOfUnwritable(error: AppError): boolean {
  return error.kind === 'conflict' && error.message.includes('could not be written');
}

/** A report of what could not be written is nowhere but in the reason. */
export function checkUnwritable(workflow: WireWorkflow): string[] {
  const { workflowId, status, reasonForIncompletion: reason = '' } = workflow;
  const isRight = status === 'FAILED' && reason.includes('could not be written');
  return isRight ? [] : [`${unwritableName} ${workflowId} is ${status} for the reason "${reason}"`];
}
