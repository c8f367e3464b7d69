// YIELD (semantics 4.23): in progress until somebody signals; synchronous callers get their answer.
import { reachesNothing } from '../reaches.js';
import { plainInput } from '../mapping.js';
import { refuseInvalidInput } from '../schema-checks.js';
import { signalReason } from '../wait-reason.js';
import type { TaskType } from './contract.js';
import { outsideType } from './constructors.js';
import { beginRunning, createRunning } from './inline-run.js';

export const yieldTask: TaskType = outsideType({
  names: ['YIELD'],
  reaches: reachesNothing,
  map(t, site) {
    refuseInvalidInput(t, createRunning(t, site, plainInput(t, site, true)));
  },
  begin(t, task) {
    if (!refuseInvalidInput(t, task)) beginRunning(t, task);
  },
  hasSchemas: true,
  takesSignals: true,
  blocksCallers: () => true,
  waitsForOutside: () => true,
  whyWaits: signalReason,
});
