// Outgoing webhooks: addresses that are told of changes of executions and tasks, and what is kept
// of each delivery. Operations of this server; no counterpart in the field's API.
import type { Json } from '../../model/json.js';
import type { ChangeEvent } from '../../model/status-event.js';
import type { Tag } from '../../model/tag.js';
import type { TraceContext } from '../../telemetry/trace-context.js';

export interface OutgoingWebhookFields {
  readonly name: string;
  readonly url: string;
  /** What it is told of; at least one. */
  readonly events: readonly ChangeEvent[];
  /** Names of workflow definitions; empty: all. */
  readonly workflowNames: readonly string[];
  /** Tags of which the workflow definition carries at least one; empty: any definition. */
  readonly workflowTags: readonly Pick<Tag, 'key' | 'value'>[];
  /** Names of task definitions that events of tasks are about; empty: all. */
  readonly taskNames: readonly string[];
  /** False: nothing is told any more; what waits is still sent. */
  readonly active: boolean;
  readonly attemptsMax: number;
  /** Before the second attempt; doubled before each further one. */
  readonly retryDelayMs: number;
  /** Sent with each delivery; values rest encrypted and are shown masked. */
  readonly headers: { readonly [name: string]: string };
  /** Key of the signatures; undefined: drawn by the server. */
  readonly secretValue: string | undefined;
}

/** As it is stored: what is secret is sealed. */
export interface OutgoingWebhook extends Omit<OutgoingWebhookFields, 'headers' | 'secretValue'> {
  readonly id: string;
  readonly createdBy: string;
  /** Owner of record, where it is not the creator (model/owner-of-record.ts). */
  readonly actsAs?: string;
  readonly createdAt: number;
  readonly headerNames: readonly string[];
  readonly sealed: string;
}

/** One event on its way to one webhook. */
export interface Delivery {
  /** The same for each attempt. */
  readonly id: string;
  readonly webhookId: string;
  readonly eventType: string;
  /** Exactly what is sent. */
  readonly body: string;
  readonly createdAt: number;
  /** Attempts that have failed. */
  readonly attempts: number;
  /** Why the last one failed; '' before. */
  readonly lastError: string;
  /** Of the execution that it tells of, if that is traced; sent as headers. */
  readonly trace?: TraceContext;
}

export type AttemptOutcome = 'DELIVERED' | 'RETRY' | 'DEAD';

/** One attempt, as the log keeps it. */
export interface DeliveryAttempt {
  readonly deliveryId: string;
  readonly eventType: string;
  /** 1 for the first; 0: none was made. */
  readonly attempt: number;
  readonly time: number;
  readonly durationMs: number;
  /** HTTP status; 0: there was no answer. */
  readonly status: number;
  readonly outcome: AttemptOutcome;
  readonly error: string;
}

/** A delivery that was given up. */
export interface DeadLetter extends Delivery {
  readonly diedAt: number;
}

/** The body of a delivery. `content` is what listeners are told. */
export function bodyOf(type: string, timestamp: number, content: Json): Json {
  return { type, timestamp: new Date(timestamp).toISOString(), data: content };
}
