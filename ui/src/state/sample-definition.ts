// A workflow that runs without a worker: a choice, a wait and a person's decision.
import type { WorkflowDef, Written } from '../api/types';

export const sampleDefinition = {
  name: 'sample_approval',
  version: 1,
  schemaVersion: 2,
  description: 'Approves small amounts at once and asks a person about large ones.',
  ownerEmail: 'sample@example.com',
  inputParameters: ['amount'],
  tasks: [
    {
      name: 'size',
      taskReferenceName: 'size',
      type: 'SWITCH',
      evaluatorType: 'javascript',
      expression: "$.amount > 100 ? 'large' : 'small'",
      inputParameters: { amount: '${workflow.input.amount}' },
      decisionCases: {
        large: [
          {
            name: 'approve',
            taskReferenceName: 'approve',
            type: 'HUMAN',
            inputParameters: { amount: '${workflow.input.amount}' },
          },
        ],
      },
      defaultCase: [
        {
          name: 'pause',
          taskReferenceName: 'pause',
          type: 'WAIT',
          inputParameters: { duration: '5 seconds' },
        },
      ],
    },
    {
      name: 'note',
      taskReferenceName: 'note',
      type: 'SET_VARIABLE',
      inputParameters: { approved: true },
    },
  ],
  outputParameters: { approved: '${workflow.variables.approved}' },
} satisfies Written<WorkflowDef>;
