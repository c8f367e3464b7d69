// The commands and what carries them out.
import type { Command } from '../command.js';
import { claimTask, endLease, releaseLease, restoreLease } from './claim-task.js';
import type { Verb } from './contract.js';
import { start } from './start.js';
import { updateTask } from './update-task.js';
import { continueTransition, evaluated, wake } from './wake.js';

export const verbs: { readonly [Kind in Command['kind']]?: Verb<Kind> } = {
  start: start,
  'update-task': updateTask,
  'claim-task': claimTask,
  'restore-lease': restoreLease,
  'end-lease': endLease,
  'release-lease': releaseLease,
  wake: wake,
  continue: continueTransition,
  evaluated: evaluated,
};
