// One line of what needs attention: the cause, how many it concerns, and what leads to them.
export const attentionKinds = [
  'timer', 'queue', 'wait', 'human-due', 'human', 'failures', 'paused',
] as const; // prettier-ignore

export interface Attention {
  readonly kind: (typeof attentionKinds)[number];
  /** Tasks that wait, timers, or executions. */
  readonly count: number;
  readonly sentence: string;
  /** Task type of a queue. */
  readonly taskType?: string;
  readonly domain?: string;
  /** Id of a task for a person. */
  readonly taskId?: string;
  /** The execution, where it is one. */
  readonly workflowId?: string;
  /** Search that finds the executions. */
  readonly query?: string;
}
