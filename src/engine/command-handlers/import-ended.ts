// import: an execution that has ended at another server is stored as it ended there. Nothing
// follows from it: no task is scheduled, nobody is told, and every later command is refused or has
// no effect.
import { AppError } from '../../model/errors.js';
import type { Execution, Task } from '../../model/execution.js';
import type { Command } from '../command.js';
import { taskPart, type Reply } from '../decision.js';
import { ok, type CommandHandler } from './contract.js';

const allParts = taskPart.record | taskPart.input | taskPart.output;

export const importEnded: CommandHandler<'import'> = (
  t,
  { snapshot, attributes, input, ended },
) => {
  const { execution, changes, open } = t;
  if (execution.state.createTime > 0) return taken(execution);
  execution.snapshot = snapshot;
  execution.attributes = attributes;
  execution.input = input;
  execution.output = ended.output;
  execution.variables = ended.variables;
  Object.assign(execution.state, ended.state);
  execution.tasks.push(...(ended.tasks as Task[]));
  open.rebuild();
  changes.created = true;
  changes.snapshot = true;
  for (const task of execution.tasks) changes.touch(task, allParts);
  return ok;
};

/** Commands that the server itself sends: they find nothing to do. */
const withoutEffect: ReadonlySet<Command['kind']> = new Set([
  ...(['import', 'start', 'continue', 'evaluated', 'wake', 'report-end-again'] as const),
  ...(['child-ended', 'child-reopened', 'message-delivered', 'restore-lease'] as const),
]);

/** They change nothing of any execution that has ended: their own handlers say so. */
const asEnded: ReadonlySet<Command['kind']> = new Set(['update-task', 'signal', 'claim-task']);

/**
 * The reply to a command for an imported execution; undefined: it was not imported, or its handler
 * replies.
 */
export function replyOfImported(
  { id, attributes }: Execution,
  { kind }: Command,
): Reply | undefined {
  const { imported } = attributes;
  if (imported === undefined || asEnded.has(kind)) return undefined;
  if (withoutEffect.has(kind)) return ok;
  const message = `Workflow ${id} is history imported from ${imported.from}: it can be read and removed, and not be changed`;
  return { kind: 'refused', error: new AppError('conflict', message) };
}

function taken({ id }: Execution): Reply {
  const message = `An execution of this server has the id ${id}: it is not replaced`;
  return { kind: 'refused', error: new AppError('conflict', message) };
}
