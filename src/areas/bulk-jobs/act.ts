// The action of a bulk job on one of its executions. An action may have to be repeated: the node
// died before it stored the outcome, or the store did not confirm it. Whether it took place the
// first time shows in the execution itself: its status, or how often it was set going. An action
// whose answer was lost may still be under way; so each is carried out only if the execution was
// not set going since the slice began. So none is retried or restarted twice by one job.
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

/** How often an execution has been set going; undefined when it is not there. */
export async function generationOf(
  { executions }: Pick<OperationContext, 'executions'>,
  id: string,
): Promise<number | undefined> {
  return await executions.read(id, ({ execution }) => execution.state.generation);
}

/** The execution before the action: `since`, epoch ms, in this generation where it is known. */
export interface Before {
  readonly since: number;
  readonly generation: number | undefined;
}

/** Whether the action has taken place since then. */
export async function hasTakenPlace(
  { executions }: Pick<OperationContext, 'executions'>,
  action: BulkAction,
  id: string,
  before: Before,
): Promise<boolean> {
  const seen = await executions.read(id, ({ execution: { state } }) => ({
    status: state.status,
    generation: state.generation,
    setGoingAt: Math.max(state.createTime, state.lastRetriedTime),
  }));
  if (seen === undefined) return action === 'remove';
  const shown = shows[action];
  if (shown !== undefined) return seen.status === shown;
  if (before.generation !== undefined) return seen.generation !== before.generation;
  return seen.setGoingAt >= before.since;
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
