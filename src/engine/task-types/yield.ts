// YIELD (semantics 4.23): in progress until somebody signals; synchronous callers get their answer.
import { plainInput } from '../mapping.js';
import type { TaskType } from './contract.js';
import { waitingType } from './defaults.js';
import { createRunning } from './inline-run.js';

export const yieldTask: TaskType = {
  ...waitingType,
  names: ['YIELD'],
  map(t, site) {
    createRunning(t, site, plainInput(t, site, true));
  },
  takesSignals: true,
  blocksCallers: () => true,
  waitsForOutside: () => true,
};
