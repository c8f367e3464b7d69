// One line of what needs attention: the cause, how many it concerns, and what leads to them.
import * as form from '../../api/form.js';

const attentionKinds = [
  'timer', 'queue', 'wait', 'human-due', 'human', 'failures', 'paused',
] as const; // prettier-ignore

export const attentionForm = form.object(
  'Attention',
  {
    kind: form.oneOf(attentionKinds),
    count: form.integer('Tasks of a queue, tasks for people, timers, or executions'),
    sentence: form.text('The cause in one sentence'),
    taskType: form.text('Task type of the queue'),
    domain: form.text('Domain of the queue; empty for none'),
    taskId: form.text('Id of the task for a person'),
    workflowId: form.text('Id of the execution, where it is one'),
    query: form.text('Search that finds the executions'),
  },
  ['kind', 'count', 'sentence'],
);
export type Attention = form.ValueOf<typeof attentionForm>;
