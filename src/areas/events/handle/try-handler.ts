// Tries an event handler, stored or not, with an example message: what its condition answers, and
// what its actions would be carried out with. Nothing is carried out, changed or recorded. The
// caller stands for the creator, in whose name the actions of a stored handler run.
import type { Caller } from '../../../model/caller.js';
import type { EventAction, EventHandlerFields } from '../event-handler.js';
import type { Json } from '../../../model/json.js';
import type { OperationContext } from '../../../operation/context.js';
import { lastingRefusal } from '../../../operation/refusals.js';
import { checkStart } from '../../../operation/start-workflow.js';
import type { EventHandlers } from '../event-handlers.js';
import {
  contentOf,
  fieldsOf,
  judgeCondition,
  messageFor,
  type JudgeParts,
} from './judge-message.js';
import { startRequestOf } from './run-action.js';
import type { ValueOf } from '../../../model/schema.js';
import type { trialSchema } from '../endpoints/schemas.js';

export interface TrialParts extends JudgeParts {
  readonly operations: OperationContext;
  readonly handlers: Pick<EventHandlers, 'requireSavable'>;
}

export type HandlerTrial = ValueOf<typeof trialSchema>;
type TriedAction = HandlerTrial['actions'][number];

/**
 * `payload` is the message as it is published. Throws AppError as saving the handler would, but for
 * a name that is taken.
 */
export async function tryHandler(
  parts: TrialParts,
  caller: Caller,
  handler: EventHandlerFields,
  payload: string,
): Promise<HandlerTrial> {
  parts.handlers.requireSavable(caller, handler);
  const content = contentOf(payload);
  const condition = await judgeCondition(parts, handler, content);
  const actions: TriedAction[] = [];
  for (const action of handler.actions) {
    actions.push(await tryAction(parts, caller, action, content));
  }
  if (condition.kind === 'failed') {
    return { conditionHolds: false, conditionError: condition.reason, actions };
  }
  const { kind, value } = condition;
  return {
    conditionHolds: kind === 'holds',
    ...(value !== undefined && { conditionValue: value }),
    actions,
  };
}

async function tryAction(
  parts: TrialParts,
  caller: Caller,
  action: EventAction,
  content: Json,
): Promise<TriedAction> {
  const message = messageFor(action, content);
  const { fields } = fieldsOf(parts, action, message);
  const tried = { action: action.action, payload: fields };
  if (action.action !== 'start_workflow') return tried;
  try {
    await checkStart(parts.operations, caller, startRequestOf({ fields, message }));
    return tried;
  } catch (error) {
    return { ...tried, error: lastingRefusal(error).message };
  }
}
