// HUMAN (semantics 4.15) and YIELD (4.23): in progress until somebody reports, completes by
// reference or signals.
import { plainInput } from '../mapping.js';
import type { TaskType } from './contract.js';
import { beginRunning, createRunning } from './inline-run.js';

export const humanTask: TaskType = {
  types: ['HUMAN', 'YIELD'],
  map(t, site) {
    createRunning(t, site, plainInput(t, site, true));
  },
  begin: beginRunning,
};
