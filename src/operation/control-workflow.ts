// The controls that are one command to the execution's single writer and nothing else
// (contract-core 10, semantics 1.5). Every one throws AppError 'not-found' for an unknown id and
// the engine's refusals ('conflict' mostly) for a status that does not allow it.
import type { Command } from '../engine/command.js';
import type { Reply } from '../engine/decision.js';
import { isAdministrator, type Control } from '../model/caller.js';
import type { JsonMap } from '../model/json.js';
import type { SkipTaskRequest } from '../model/control-requests.js';
import { present } from '../model/record-reader.js';
import type { CommandOptions } from '../shard/executions.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';
import { requireGivenContent } from './given-content.js';
import { missingWorkflow } from './archived-refusal.js';
import { isNotFound } from '../model/errors.js';

/** Controls need no more than this. */
export type CommandContext = Pick<OperationContext, 'executions' | 'access' | 'archive'>;

/** A control that is one command without anything to say. */
function commanding(
  command: Command,
): (context: CommandContext, control: Control, id: string) => Promise<void> {
  return async (context, control, id) =>
    void (await controlWorkflow(context, control, id, command));
}

/** Pauses; a paused execution stays as it is (semantics 1.5.2). */
export const pauseWorkflow = commanding({ kind: 'pause' });

/** Semantics 1.5.3. */
export const resumeWorkflow = commanding({ kind: 'resume' });

/** Makes delayed tasks visible at once (semantics 1.5.4). */
export const resetCallbacks = commanding({ kind: 'reset-callbacks' });

/** Runs one decide (semantics 1.5.12). */
export const decideWorkflow = commanding({ kind: 'decide' });

/**
 * Ends it and its children as TERMINATED; resolves when the children have been told (semantics
 * 1.5.8).
 */
export async function terminateWorkflow(
  context: CommandContext,
  control: Control,
  { id, triggerFailureWorkflow }: { id: string; triggerFailureWorkflow: boolean },
): Promise<void> {
  const command: Command = {
    kind: 'terminate',
    triggerFailureWorkflow,
    byParent: false,
    ...present({ reason: control.reason }),
  };
  await controlWorkflow(context, control, id, command, { awaitDelivery: true });
}

/**
 * Records a task as SKIPPED that is not scheduled yet; with `evenIfOpen` also one that is open
 * (semantics 1.5.10).
 */
export async function skipTask(
  context: CommandContext,
  control: Control,
  { id, ...skip }: SkipTaskRequest & { id: string; ref: string; evenIfOpen?: boolean },
): Promise<void> {
  const { reason } = control;
  const command: Command = { kind: 'skip-task', ...skip, ...present({ reason }) };
  await controlWorkflow(context, control, id, command);
}

/** Goes on at another task of the definition (contract-core 10). */
export async function jumpToTask(
  context: CommandContext,
  control: Control,
  { id, ref, taskInput }: { id: string; ref: string; taskInput: JsonMap },
): Promise<void> {
  await controlWorkflow(context, control, id, { kind: 'jump', ref, taskInput });
}

/** Merges into the variables of a running execution (semantics 1.5.13). */
export async function updateVariables(
  context: CommandContext,
  control: Control,
  { id, variables }: { id: string; variables: JsonMap },
): Promise<void> {
  await controlWorkflow(context, control, id, { kind: 'update-variables', variables });
}

/**
 * Sends a control to an execution, once the caller may, with who sends it and why. Throws AppError
 * 'forbidden' and what the command is refused with.
 */
export async function controlWorkflow(
  context: CommandContext,
  control: Control,
  id: string,
  command: Command,
  options: Pick<CommandOptions, 'awaitDelivery' | 'awaitStarts'> = {},
): Promise<Reply> {
  const { caller, reason, generation } = control;
  if (!isAdministrator(caller)) {
    await requireExecutionRight(context, caller, 'EXECUTE', id);
    await requireGivenContent(context, caller, id, command);
  }
  try {
    const sent = { ...command, ...present({ generation }) };
    return await context.executions.command(id, sent, { ...options, caller, reason });
  } catch (error) {
    if (context.archive === undefined || !isNotFound(error)) throw error;
    const isHere = await context.executions.read(id, () => true);
    throw isHere === true ? error : await missingWorkflow(context, caller, id);
  }
}
