// Records of the messages that event handlers were given (contract-core 18.3, contract-admin 17).
import type { JsonMap } from '../../model/json.js';
import type { ActionKind } from './event-handler.js';

export type EventExecutionStatus = 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'SKIPPED';

/** The outcome of one action of a handler for one message. */
export interface EventExecution {
  /** Message id, `_`, position of the action. */
  readonly id: string;
  readonly messageId: string;
  /** Of the handler. */
  readonly name: string;
  readonly event: string;
  /** Epoch ms. */
  readonly created: number;
  readonly status: EventExecutionStatus;
  readonly statusDescription?: string;
  /** Absent in the record of a condition that did not hold or failed. */
  readonly action?: ActionKind;
  readonly output: JsonMap;
  /** The parameters of the action as resolved for this message. */
  readonly payload?: JsonMap;
}

/** A message that came for an event. */
export interface EventMessageRecord {
  readonly id: string;
  readonly eventTarget: string;
  readonly eventType: 'MESSAGE';
  readonly status: 'HANDLED' | 'REJECTED';
  readonly statusDescription?: string;
  /** Epoch ms. */
  readonly createdAt: number;
  /** JSON text; cut when it is long. */
  readonly payload: string;
  readonly eventExecutions: readonly EventExecution[];
}
