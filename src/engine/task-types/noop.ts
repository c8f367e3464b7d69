// NOOP (semantics 4.20): completes.
import { reachesNothing } from '../reaches.js';
import { Payload } from '../../model/payload.js';
import { endTask } from '../records.js';
import type { TaskType } from './contract.js';
import { inlineType } from './constructors.js';
import { createInline } from './inline-run.js';

export const noopTask: TaskType = inlineType({
  names: ['NOOP'],
  reaches: reachesNothing,
  map(t, site) {
    createInline(t, site, Payload.empty);
  },
  execute(t, task) {
    endTask(t, task, { status: 'COMPLETED' });
    return 'done';
  },
});
