// Puts a message into the queue of a running execution (contract-core 14.1, semantics 1.8). Its
// refusals are plain text.
import type { Caller } from '../model/caller.js';
import { AppError, isNotFound } from '../model/errors.js';
import type { JsonMap } from '../model/json.js';
import { requireExecutionRight } from './access.js';
import type { OperationContext } from './context.js';

/**
 * Resolves with the message's id. Throws AppError 'not-found', 'conflict' (not RUNNING) or
 * 'too-many' (full).
 */
export async function pushMessage(
  context: OperationContext,
  caller: Caller,
  { id, payload }: { id: string; payload: JsonMap },
): Promise<string> {
  await requireExecutionRight(context, caller, 'EXECUTE', id);
  const messageId = context.randomId();
  try {
    const command = { kind: 'push-message', id: messageId, payload } as const;
    await context.executions.command(id, command, { caller });
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    const message = isNotFound(cause) ? `Workflow not found: ${id}` : cause.message;
    throw new AppError(cause.kind, message, { ...cause.details, plainText: true, cause });
  }
  return messageId;
}
