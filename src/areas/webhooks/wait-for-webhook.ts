// WAIT_FOR_WEBHOOK (semantics 4.23, contract-admin 12.5): waits until a verified call of a webhook
// brings the values that its `matches` names. The run puts the task into the index of waiting tasks
// and leaves it in progress; the call completes it (resume-waiting.ts). Types of the
// engine may be found in the same way, whatever else may end them (`TaskType.enteredAs`).
import { reachesNothing } from '../../engine/reaches.js';
import { parseTaskId, type TaskId } from '../../std/ids.js';
import { inputOf } from '../../engine/derived-payloads.js';
import { checkMatches } from '../../engine/task-types/checks.js';
import { targetOf, type WaitingTask } from './wait-target.js';
import {
  failed,
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
} from '../../system-task/system-task.js';

export const waitForWebhookTask: SystemTaskType = systemTaskType({
  name: 'WAIT_FOR_WEBHOOK',
  reaches: reachesNothing,
  check: checkMatches,
  needs: ['executions', 'webhookWaits'],
  create: createWaitForWebhookTask,
});

function createWaitForWebhookTask({
  executions,
  webhookWaits,
}: Pick<SystemTaskServices, 'executions' | 'webhookWaits'>): SystemTask {
  /** The task as it is stored; undefined when its execution is gone. */
  const waitingTask = (taskId: TaskId): Promise<WaitingTask | undefined> => {
    const target = parseTaskId(taskId);
    if (target === undefined) return Promise.resolve(undefined);
    return executions.read(target.executionId, (open) => {
      const task = open.byNumber.get(target.taskNumber);
      const { def } = open.execution.snapshot;
      if (task === undefined) return undefined;
      return {
        workflowName: def.name,
        workflowVersion: def.version,
        ref: task.ref,
        input: inputOf(open, task).value,
        parameters: task.config.inputParameters,
      };
    });
  };
  return systemTask({
    // A client that sees IN_PROGRESS may send the event at once: the index knows the task by then.
    isShownRunning: false,
    async run(run) {
      const target = targetOf({ ...run, input: run.storedInput });
      if ('refused' in target) return failed(target.refused);
      if (!(await webhookWaits.register(target, run.taskId))) {
        return failed('Tasks of this workflow wait for webhooks in too many different ways');
      }
      return { status: 'IN_PROGRESS', output: {} };
    },
    async confirm(run, isOpen) {
      const target = targetOf({ ...run, input: run.storedInput });
      if ('refused' in target || (await webhookWaits.isRegistered(target, run.taskId))) return;
      // Undone, or taken out by the event that has ended the task.
      if (await isOpen()) await webhookWaits.register(target, run.taskId);
    },
    async cancelled(taskId) {
      const task = await waitingTask(taskId);
      const target = task === undefined ? undefined : targetOf(task);
      if (target !== undefined && !('refused' in target)) {
        await webhookWaits.remove(target, [taskId]);
      }
    },
  });
}
