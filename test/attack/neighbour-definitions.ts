// What the neighbour of floods starts: an execution with one task for a worker, and one that is
// over at once but for a script that needs a process.
import type { WireWorkflowDef } from '../../testkit/wire.js';

export const neighbourStart = 'neighbour';
export const neighbourScript = 'neighbour_script';
export const neighbourTask = 'neighbour_task';

const common = { version: 1, schemaVersion: 2, ownerEmail: 'neighbour@example.org' };

export const neighbourDefinitions: readonly WireWorkflowDef[] = [
  {
    ...{ name: neighbourStart, ...common },
    tasks: [{ name: neighbourTask, taskReferenceName: 't', type: 'SIMPLE' }],
  },
  {
    ...{ name: neighbourScript, ...common },
    tasks: [
      {
        ...{ name: 'script', taskReferenceName: 's', type: 'INLINE' },
        inputParameters: {
          evaluatorType: 'javascript',
          // A loop is not tried in place.
          expression: '(function () { let n = 0; while (n < 100) n += 1; return n; })()',
        },
      },
    ],
  },
];
