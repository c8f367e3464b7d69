// Types of the field that this server does not carry out (contract-core 3): a definition may name
// them, and a task of one fails with a reason that names the type. Without this it would wait for a
// worker that cannot exist.
import { reachesNothing } from '../reaches.js';
import type { Task } from '../../model/execution.js';
import { inputWithTemplate } from '../mapping.js';
import { endTask } from '../records.js';
import type { Transition } from '../transition.js';
import type { Site, TaskType } from './contract.js';
import { inlineType, retriedByHand } from './constructors.js';
import { createInline } from './inline-run.js';

export const taskTypeNotRunHere: TaskType = inlineType({
  names: [],
  reaches: reachesNothing,
  inputOf: inputWithTemplate,
  map(t: Transition, site: Site) {
    createInline(t, site, inputWithTemplate(t, site));
  },
  execute(t: Transition, task: Task) {
    endTask(t, task, {
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reason: `This server does not carry out tasks of type ${task.taskType}`,
    });
    return 'done';
  },
  retry: retriedByHand,
});
