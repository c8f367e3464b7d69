// HUMAN (semantics 4.15): in progress until somebody reports, completes it by reference or signals.
import { plainInput } from '../mapping.js';
import { reason, shown, untilTimeout } from '../wait-reason.js';
import type { TaskType } from './contract.js';
import { waitingType } from './defaults.js';
import { createRunning } from './inline-run.js';

export const humanTask: TaskType = {
  ...waitingType,
  names: ['HUMAN'],
  map(t, site) {
    createRunning(t, site, plainInput(t, site, true));
  },
  hasResponseTimeout: true,
  takesSignals: true,
  waitsForOutside: () => true,
  whyWaits(open, task) {
    return reason(open, task, 'person', {
      sentence: `${shown(task)} waits for a person.`,
      moves: 'completing the human task',
      ...untilTimeout(open, task),
      data: {},
    });
  },
};
