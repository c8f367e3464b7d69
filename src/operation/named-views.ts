// The views and waits that can be asked of an execution's owner by name. A new one is one line
// here.
import type { NamedView, NamedWait } from '../shard/named-views.js';
import { reportedTaskView } from './access.js';
import { blockedWait } from './blocked-wait.js';
import { taskView } from './get-task.js';
import { taskPageView, workflowStatusView, workflowView } from './get-workflow.js';
import { importMarkView } from './import-execution.js';
import { mayHaveReadyView, taskQueueView } from './update-task-and-poll.js';
import { endedWait } from './ended-wait.js';
import { handedSecretsView } from './task-logs.js';

export const namedViews: readonly NamedView<never, unknown>[] = [
  workflowView,
  workflowStatusView,
  taskPageView,
  taskView,
  taskQueueView,
  mayHaveReadyView,
  reportedTaskView,
  importMarkView,
  handedSecretsView,
];

export const namedWaits: readonly NamedWait<never, unknown>[] = [blockedWait, endedWait];
