// The commands and what carries them out.
import type { Command } from '../command.js';
import { childEnded } from './child-ended.js';
import { childRevived } from './child-revived.js';
import { claimTask, endLease, releaseLease, restoreLease } from './claim-task.js';
import type { Verb } from './contract.js';
import { decide } from './decide.js';
import { dutyDone } from './duty-done.js';
import { jump } from './jump.js';
import { pause, resume } from './pause-resume.js';
import { pushMessage } from './push-message.js';
import { rerun, rerunBelow } from './rerun.js';
import { resetCallbacks } from './reset-callbacks.js';
import { restart } from './restart.js';
import { retry } from './retry.js';
import { signal } from './signal.js';
import { skipTask } from './skip-task.js';
import { systemTaskResult } from './system-task-result.js';
import { terminate } from './terminate.js';
import { updateVariables } from './update-variables.js';
import { start } from './start.js';
import { updateTask } from './update-task.js';
import { upgrade } from './upgrade.js';
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
  'system-task-result': systemTaskResult,
  'duty-done': dutyDone,
  'child-ended': childEnded,
  'child-revived': childRevived,
  pause: pause,
  resume: resume,
  restart: restart,
  retry: retry,
  rerun: rerun,
  'rerun-below': rerunBelow,
  'skip-task': skipTask,
  'reset-callbacks': resetCallbacks,
  upgrade: upgrade,
  jump: jump,
  terminate: terminate,
  decide: decide,
  'update-variables': updateVariables,
  signal: signal,
  'push-message': pushMessage,
};
