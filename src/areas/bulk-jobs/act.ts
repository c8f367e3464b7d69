// The action of a bulk job on one of its executions. An action may have to be repeated: the node
// died before it stored the outcome, or the store did not confirm it. Whether it took place the
// first time shows in the execution itself: its status, or the moment it was last set going. So no
// execution is retried or restarted twice by one job.
import type { Control } from '../../model/caller.js';
import type { BulkAction, BulkJob } from './bulk-job.js';
import type { WorkflowStatus } from '../../model/status.js';
import type { OperationContext } from '../../operation/context.js';
import {
  pauseWorkflow,
  resumeWorkflow,
  terminateWorkflow,
} from '../../operation/control-workflow.js';
import { removeWorkflow } from '../../operation/remove-workflow.js';
import { rerunWorkflow } from '../../operation/rerun-workflow.js';
import { restartWorkflow } from '../../operation/restart-workflow.js';
import { retryWorkflow } from '../../operation/retry-workflow.js';

/** Carries the action out. Rejects with what refuses it. */
export async function actOn(
  context: OperationContext,
  control: Control,
  { action, options }: Pick<BulkJob, 'action' | 'options'>,
  id: string,
): Promise<void> {
  switch (action) {
    case 'retry':
      return await retryWorkflow(context, control, {
        id,
        resumeSubworkflowTasks: false,
        retryIfRetriedByParent: true,
      });
    case 'restart': {
      const { useLatestDefinitions } = options;
      return await restartWorkflow(context, control, { id, useLatestDefinitions });
    }
    case 'rerun':
      return await rerunWorkflow(context, control, { id });
    case 'pause':
      return await pauseWorkflow(context, control, id);
    case 'resume':
      return await resumeWorkflow(context, control, id);
    case 'terminate': {
      const { triggerFailureWorkflow } = options;
      return await terminateWorkflow(context, control, { id, triggerFailureWorkflow });
    }
    case 'remove':
      return await removeWorkflow(context, control, { id, archiveWorkflow: true });
  }
}

/** Whether the action has taken place at or after `since`, epoch ms. */
export async function hasTakenPlace(
  { executions }: Pick<OperationContext, 'executions'>,
  action: BulkAction,
  id: string,
  since: number,
): Promise<boolean> {
  const seen = await executions.read(id, ({ execution: { state } }) => ({
    status: state.status,
    setGoingAt: Math.max(state.createTime, state.lastRetriedTime),
  }));
  if (seen === undefined) return action === 'remove';
  const shown = shows[action];
  return shown === undefined ? seen.setGoingAt >= since : seen.status === shown;
}

/** The status that an action leaves; undefined: the execution goes on, under a new moment. */
const shows: Readonly<Record<BulkAction, WorkflowStatus | undefined>> = {
  retry: undefined,
  restart: undefined,
  rerun: undefined,
  resume: undefined,
  pause: 'PAUSED',
  terminate: 'TERMINATED',
  remove: undefined,
};
