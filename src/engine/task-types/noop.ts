// NOOP (semantics 4.20): completes.
import { Payload } from '../../model/payload.js';
import { endTask } from '../records.js';
import type { TaskType } from './contract.js';
import { beginInline, createInline } from './inline-run.js';

export const noopTask: TaskType = {
  types: ['NOOP'],
  map(t, site) {
    createInline(t, site, Payload.empty);
  },
  begin: beginInline,
  execute(t, task) {
    endTask(t, task, { status: 'COMPLETED' });
    return 'done';
  },
};
