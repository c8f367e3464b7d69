// UPDATE_TASK (semantics 4.23): reports the result of another task, named by its id or by execution
// and reference, if who started this execution may report it. A task that has ended ignores the
// report, so a repeated run does nothing more.
import { bySystem } from '../shard/executions.js';
import { parseExecutionId, parseTaskId, taskIdOf, type ExecutionId } from '../std/ids.js';
import { isMap, type JsonMap } from '../model/json.js';
import { textFrom } from '../model/json-text.js';
import { Payload } from '../model/payload.js';
import { requireReportRight, type ReportedTask } from '../operation/access.js';
import { requireStarter } from './starter.js';
import { failed, runningTask, type SystemTaskType } from './system-task.js';

type Reported = 'COMPLETED' | 'FAILED' | 'FAILED_WITH_TERMINAL_ERROR';

const statuses: readonly Reported[] = ['COMPLETED', 'FAILED', 'FAILED_WITH_TERMINAL_ERROR'];

export const updateTaskTask: SystemTaskType = runningTask({
  name: 'UPDATE_TASK',
  reaches: [
    { right: 'EXECUTE', target: 'WORKFLOW_DEF', named: '`workflowId`, by its execution' },
    { right: 'EXECUTE', target: 'TASK_DEF', named: 'or by the type of the task' },
  ],
  needs: ['executions', 'access', 'starter'],
  async run(context, { input, storedInput, startedBy }) {
    const status = statuses.find((each) => each === input['taskStatus']);
    if (status === undefined) return failed(`taskStatus must be one of ${statuses.join(', ')}`);
    const target = targetOf(input);
    if (target === undefined) {
      return failed('Missing or unknown taskId, or workflowId and taskRefName');
    }
    const caller = requireStarter(context.starter, { startedBy });
    await requireReportRight(context, caller, target.executionId, target.task);
    // With the names of secrets: it is stored with the other task.
    const given = storedInput['taskOutput'];
    const taskOutput = isMap(given) ? given : {};
    const reply = await context.executions.command(
      target.executionId,
      {
        kind: 'update-task',
        task: target.task,
        result: {
          status,
          output: Payload.of(taskOutput),
          callbackAfterSeconds: 0,
          extendLease: false,
        },
        mergeOutput: input['mergeOutput'] === true || input['mergeOutput'] === 'true',
      },
      bySystem,
    );
    if (reply.kind !== 'updated' || reply.task === undefined) {
      return failed(`No open task ${textFrom(input['taskRefName'])} of ${target.executionId}`);
    }
    const updatedTaskId = taskIdOf(target.executionId, reply.task.number);
    return { status: 'COMPLETED', output: { updatedTaskId, taskOutput } };
  },
});

function targetOf(input: JsonMap): { executionId: ExecutionId; task: ReportedTask } | undefined {
  const taskId = input['taskId'];
  if (typeof taskId === 'string' && taskId !== '') {
    const parsed = parseTaskId(taskId);
    if (parsed === undefined || parsed.taskNumber === 0) return undefined;
    return { executionId: parsed.executionId, task: { taskNumber: parsed.taskNumber } };
  }
  const { workflowId, taskRefName } = input;
  if (typeof workflowId !== 'string' || typeof taskRefName !== 'string') return undefined;
  const executionId = parseExecutionId(workflowId);
  return executionId && { executionId, task: { ref: taskRefName } };
}
