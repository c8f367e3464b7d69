// Stores an execution that has ended at another server (docs/moving). Its id is derived from the
// one that it has there, so an import that broke off is simply run again.
import { openExecution } from '../engine/load-execution.js';
import { AppError } from '../model/errors.js';
import type { Execution, ImportMark } from '../model/execution.js';
import type { ImportedExecution, ImportRequest } from '../model/parse-imported-execution.js';
import type { Caller } from '../model/caller.js';
import type { ExecutionId } from '../std/ids.js';
import type { OperationContext } from './context.js';
import { workflowText } from './execution-view.js';
import { viewOf, type NamedView } from '../shard/named-views.js';

export type ImportContext = Pick<OperationContext, 'executions' | 'definitions' | 'clock'>;

export interface Imported {
  readonly workflowId: ExecutionId;
  /** False: an earlier call has imported it. */
  readonly isNew: boolean;
}

/** Throws AppError 'conflict' when another execution has its id. */
export async function importExecution(
  { executions, definitions, clock }: ImportContext,
  caller: Caller,
  { from, execution }: ImportRequest,
): Promise<Imported> {
  const { id, foreignId, snapshot, input, ended } = execution;
  const known = await executions.read(id, viewOf(importMarkView, {}));
  if (known !== undefined) return metAgain(execution, known);
  const at = clock.now();
  const starter = execution.attributes.createdBy ?? caller.id;
  const attributes = {
    ...execution.attributes,
    nameOwner: definitions.nameOwner(snapshot.def.name, starter, false),
    imported: { id: foreignId, from, at },
  };
  requireReadable({ ...execution, attributes }, at);
  await executions.startAs(id, { snapshot, attributes, input, ended });
  const stored = await executions.read(id, viewOf(importMarkView, {}));
  // Another call may have been first.
  return stored?.mark?.at === at
    ? { workflowId: id, isNew: true }
    : metAgain(execution, stored ?? { mark: undefined });
}

/** The mark of an import, where an execution was brought by one. */
export const importMarkView: NamedView<object, { readonly mark: ImportMark | undefined }> = {
  name: 'import-mark',
  view: ({ execution }) => ({ mark: execution.attributes.imported }),
};

function metAgain(
  { id, foreignId }: ImportedExecution,
  { mark }: { readonly mark: ImportMark | undefined },
): Imported {
  if (mark?.id === foreignId) return { workflowId: id, isNew: false };
  throw new AppError(
    'conflict',
    `execution.workflowId: an execution of this server has the id ${id}, and is not replaced`,
  );
}

/** Nothing is stored that nobody could read again. Throws AppError 'bad-request'. */
function requireReadable(
  { id, snapshot, attributes, input, ended }: ImportedExecution,
  now: number,
): void {
  const { output, variables } = ended;
  const execution: Execution = {
    ...{ id, snapshot, attributes, input, output, variables },
    ...{ state: { ...ended.state }, tasks: [...ended.tasks], outbox: new Map(), messages: [] },
  };
  try {
    workflowText(openExecution(execution), true, now);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError('bad-request', `execution: cannot be read as an execution: ${why}`);
  }
}
