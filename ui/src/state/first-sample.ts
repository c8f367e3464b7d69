// The sample of the first five minutes: the server does two of its tasks, and one waits for a
// worker of one's own.
import type { TaskDef, WorkflowDef, Written } from '../api/types';

export const firstTaskType = 'first_greet';

export const firstTask = {
  name: firstTaskType,
  description: 'The task of the sample that waits for your first worker',
  ownerEmail: 'sample@example.com',
  retryCount: 3,
  retryDelaySeconds: 2,
  timeoutSeconds: 0,
  responseTimeoutSeconds: 60,
} satisfies Written<TaskDef>;

export const firstSample = {
  name: 'first_steps',
  version: 1,
  schemaVersion: 2,
  description: 'Greets a person: your own worker says the words.',
  ownerEmail: 'sample@example.com',
  inputParameters: ['name'],
  timeoutSeconds: 0,
  tasks: [
    {
      name: 'tidy',
      taskReferenceName: 'tidy',
      type: 'JSON_JQ_TRANSFORM',
      inputParameters: {
        name: '${workflow.input.name}',
        queryExpression: '.name | sub("^\\\\s+"; "") | sub("\\\\s+$"; "")',
      },
    },
    {
      name: firstTaskType,
      taskReferenceName: 'greet',
      type: 'SIMPLE',
      inputParameters: { name: '${tidy.output.result}' },
    },
    {
      name: 'keep',
      taskReferenceName: 'keep',
      type: 'SET_VARIABLE',
      inputParameters: { greeting: '${greet.output.greeting}' },
    },
  ],
  outputParameters: { greeting: '${workflow.variables.greeting}' },
} satisfies Written<WorkflowDef>;
