// The commands and what carries each out. A command without an entry does not compile.
import type { Command } from '../command.js';
import { abandon } from './abandon.js';
import { askPlace } from './ask-place.js';
import { childEnded } from './child-ended.js';
import { childReopened } from './child-reopened.js';
import { claimTask, endLease, releaseLease, restoreLease } from './claim-task.js';
import type { CommandHandler } from './contract.js';
import { decide } from './decide.js';
import { messageDelivered } from './message-delivered.js';
import { importEnded } from './import-ended.js';
import { humanAction } from './human-action.js';
import { jump } from './jump.js';
import { pause, resume } from './pause-resume.js';
import { placeGiven } from './place-given.js';
import { pushMessage } from './push-message.js';
import { reportEndAgain } from './report-end-again.js';
import { rerun, rerunBelow } from './rerun.js';
import { resetCallbacks } from './reset-callbacks.js';
import { restart } from './restart.js';
import { retry } from './retry.js';
import { signal } from './signal.js';
import { skipTask } from './skip-task.js';
import { systemTaskResult, systemTaskStarted } from './system-task-run.js';
import { terminate } from './terminate.js';
import { updateVariables } from './update-variables.js';
import { start } from './start.js';
import { updateTask } from './update-task.js';
import { upgrade } from './upgrade.js';
import { continueTransition, evaluated, wake } from './wake.js';

export const commandHandlers: { readonly [Kind in Command['kind']]: CommandHandler<Kind> } = {
  start: start,
  import: importEnded,
  'update-task': updateTask,
  'claim-task': claimTask,
  'restore-lease': restoreLease,
  'end-lease': endLease,
  'release-lease': releaseLease,
  wake: wake,
  continue: continueTransition,
  evaluated: evaluated,
  'system-task-started': systemTaskStarted,
  'system-task-result': systemTaskResult,
  'place-given': placeGiven,
  'ask-place': askPlace,
  'message-delivered': messageDelivered,
  'child-ended': childEnded,
  'child-reopened': childReopened,
  'report-end-again': reportEndAgain,
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
  abandon: abandon,
  decide: decide,
  'update-variables': updateVariables,
  signal: signal,
  'push-message': pushMessage,
  'human-action': humanAction,
};
