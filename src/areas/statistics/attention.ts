// One line of what needs attention: the cause, how many it concerns, and what leads to them.
import * as schema from '../../model/schema.js';

const attentionKinds = [
  'timer', 'queue', 'wait', 'human-due', 'human', 'failures', 'paused',
] as const; // prettier-ignore

export const attentionSchema = schema.object(
  'Attention',
  {
    kind: schema.oneOf(attentionKinds),
    count: schema.integer('Tasks of a queue, tasks for people, timers, or executions'),
    sentence: schema.text('The cause in one sentence'),
    taskType: schema.text('Task type of the queue'),
    domain: schema.text('Domain of the queue; empty for none'),
    taskId: schema.text('Id of the task for a person'),
    workflowId: schema.text('Id of the execution, where it is one'),
    query: schema.text('Search that finds the executions'),
  },
  ['kind', 'count', 'sentence'],
);
export type Attention = schema.ValueOf<typeof attentionSchema>;
