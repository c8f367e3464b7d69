// Tells whether an event reaches its queue (contract-admin 17.2): starts an execution with one
// EVENT task and says how it ends.
import type { Caller } from '../../../model/caller.js';
import { AppError } from '../../../model/errors.js';
import type { JsonMap } from '../../../model/json.js';
import { parseStartWorkflowRequest } from '../../../model/parse-start-request.js';
import { RecordReader } from '../../../model/record-reader.js';
import type { OperationContext } from '../../../operation/context.js';
import { endedWait } from '../../../operation/ended-wait.js';
import { startWorkflow } from '../../../operation/start-workflow.js';

const timeoutMs = 10_000;

/** Throws AppError 'bad-request' without a sink. */
export async function testConnectivity(
  context: OperationContext,
  caller: Caller,
  body: JsonMap,
): Promise<{ successful: boolean; reason: string; workflowId: string }> {
  const reader = new RecordReader(body, '');
  const sink = reader.text('sink') ?? '';
  if (sink.trim() === '') throw new AppError('bad-request', 'sink is required');
  const name = 'event_connectivity_test';
  const task = { name: 'event', taskReferenceName: 'event', type: 'EVENT', sink };
  const tasks = [{ ...task, inputParameters: reader.map('input') }];
  const request = parseStartWorkflowRequest({ name, workflowDef: { name, tasks } }, '');
  const workflowId = await startWorkflow(context, caller, request);
  const watched = { id: workflowId, wait: endedWait, args: null, timeoutMs };
  const { isDone, why } = await context.executions.watch(watched);
  const reason = isDone ? '' : (why ?? `The task did not end within ${timeoutMs} ms`);
  return { successful: isDone, reason, workflowId };
}
