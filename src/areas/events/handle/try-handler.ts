// Tries an event handler, stored or not, with an example message: what its condition answers, and
// what its actions would be carried out with. Nothing is carried out, changed or recorded. The
// caller stands for the creator, in whose name the actions of a stored handler run.
import type { Caller } from '../../../model/caller.js';
import type { ActionKind, EventAction, EventHandlerFields } from '../event-handler.js';
import type { Json, JsonMap } from '../../../model/json.js';
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
  type Judgement,
} from './judge-message.js';
import { startRequestOf } from './run-action.js';

export interface TrialParts extends JudgeParts {
  readonly operations: OperationContext;
  readonly handlers: Pick<EventHandlers, 'requireSavable'>;
}

export interface TriedAction {
  readonly action: ActionKind;
  /** Its object, resolved. */
  readonly payload: JsonMap;
  /** With what it would be refused; whether executions and tasks are there is not asked. */
  readonly error: string | undefined;
}

export interface HandlerTrial {
  readonly condition: Judgement;
  /** Also when the condition does not hold, and none would be carried out. */
  readonly actions: readonly TriedAction[];
}

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
  return { condition, actions };
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
  if (action.action !== 'start_workflow') return { ...tried, error: undefined };
  try {
    await checkStart(parts.operations, caller, startRequestOf({ fields, message }));
    return { ...tried, error: undefined };
  } catch (error) {
    return { ...tried, error: lastingRefusal(error).message };
  }
}
