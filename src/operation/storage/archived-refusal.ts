// The refusal of a control for an execution that is not there: one in the archive is read only, and
// an answer that says so tells a person more than that it is unknown.
import { mayOnExecution } from '../../access/execution-rights.js';
import type { Caller } from '../../model/caller.js';
import { AppError, noSuchWorkflow } from '../../model/errors.js';
import type { OperationContext } from '../context.js';

/** 'conflict' for an archived execution that the caller may read, else 'not-found'. */
export async function missingWorkflow(
  { archive, access }: Pick<OperationContext, 'archive' | 'access'>,
  caller: Caller,
  id: string,
): Promise<AppError> {
  const archived = await archive?.workflow(id);
  if (archived === undefined) return noSuchWorkflow(id);
  if (!mayOnExecution(access, caller, 'READ', archived.owned)) return noSuchWorkflow(id);
  return new AppError(
    'conflict',
    `Workflow ${id} is archived: it can be read and removed, and not be changed any more`,
  );
}
