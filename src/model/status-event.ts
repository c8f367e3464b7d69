// Events that listeners are told of (semantics 2.14.1, 2.14.2): their names, as outgoing webhooks
// list them and as every published event carries them in `eventType`.
import { humanStates } from './human/human-entry.js';

export const workflowEvents = [
  'STARTED',
  'RERAN',
  'RETRIED',
  'PAUSED',
  'RESUMED',
  'RESTARTED',
  'COMPLETED',
  'TERMINATED',
  'FINALIZED',
] as const;
export type WorkflowEvent = (typeof workflowEvents)[number];

export const taskEvents = [
  'SCHEDULED',
  'IN_PROGRESS',
  'COMPLETED',
  'CANCELED',
  'FAILED',
  'FAILED_WITH_TERMINAL_ERROR',
  'TIMED_OUT',
] as const;
export type TaskEvent = (typeof taskEvents)[number];

export type ChangeEvent =
  `WORKFLOW_${WorkflowEvent}` | `TASK_${TaskEvent}` | `HUMAN_TASK_${(typeof humanStates)[number]}`;

export const changeEvents: readonly ChangeEvent[] = [
  ...workflowEvents.map((event) => `WORKFLOW_${event}` as const),
  ...taskEvents.map((event) => `TASK_${event}` as const),
  ...humanStates.map((state) => `HUMAN_TASK_${state}` as const),
];

/** The event of a task that has ended this way; undefined: none is told. */
export function taskEventOf(status: string): TaskEvent | undefined {
  return taskEvents.find((event) => event === status);
}
