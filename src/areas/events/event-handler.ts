// An event handler (contract-core 18.1, contract-admin 17.1): when a message of its event comes and
// its condition holds, its actions are carried out.
import type { JsonMap } from '../../model/json.js';

/** The actions there are; each has an object of the same name. */
export const actionKinds = [
  'start_workflow',
  'complete_task',
  'fail_task',
  'terminate_workflow',
  'update_workflow_variables',
] as const;
export type ActionKind = (typeof actionKinds)[number];

export interface EventAction {
  readonly action: ActionKind;
  /** The object named like the action, as it is shown; texts in it may hold expressions. */
  readonly parameters: JsonMap;
  /** Texts of the message that hold JSON are read as such before. */
  readonly expandInlineJSON: boolean;
}

export interface EventHandlerFields {
  /** Unique. */
  readonly name: string;
  /** `provider:queue`, or any text that messages are sent under. */
  readonly event: string;
  /** Script over the message; absent: always. */
  readonly condition?: string;
  readonly evaluatorType?: string;
  readonly actions: readonly EventAction[];
  readonly active: boolean;
  readonly description?: string;
}

export interface EventHandler extends EventHandlerFields {
  /** Subject id of the caller who created it; empty without authentication. */
  readonly createdBy: string;
  /** Owner of record, where it is not the creator (model/owner-of-record.ts). */
  readonly actsAs?: string;
}
