// Starts an execution and waits until it ends or blocks (contract-core 16.1, semantics 1.7); other
// synchronous calls use the waiting half. Running out of time is no error: the answer then shows
// the state as it is.
import type { ExecutionId } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import type { StartWorkflowRequest } from '../model/parse-start-request.js';
import type { OperationContext } from './context.js';
import { waitUntilBlocked } from './blocked-wait.js';
import {
  readBlockedResponse,
  readSignalResponse,
  type ReturnStrategy,
  type SignalAnswer,
} from './signal-response.js';
import { startWorkflow } from './start-workflow.js';
import { checkPriority } from './start-workflow-by-name.js';

export interface SynchronousCall {
  readonly caller: Caller;
  readonly strategy: ReturnStrategy;
  /** Absent or empty: drawn. */
  readonly requestId: string | undefined;
  /** Reference names; one of them being terminal ends the wait. */
  readonly waitUntilTaskRefs: readonly string[];
  readonly timeoutMs: number;
  readonly onAbort: (listener: () => void) => void;
}

/** Contract-core 21.1. */
const waitSecondsDefault = 10;

/** `waitForSeconds` of a caller in ms: absent and 0 mean 10 s, and a limit bounds it. */
export function waitMsOf(context: OperationContext, waitForSeconds: number | undefined): number {
  const seconds = waitForSeconds || waitSecondsDefault;
  return Math.min(Math.max(1, seconds), context.limits.waitSecondsMax) * 1000;
}

/** Names separated by commas. */
export function parseTaskRefs(text: string | undefined): string[] {
  if (text === undefined) return [];
  return text
    .split(',')
    .map((ref) => ref.trim())
    .filter((ref) => ref !== '');
}

/** Resolves with the JSON text of the SignalResponse. Throws as `startWorkflow`. */
export async function executeWorkflow(
  context: OperationContext,
  request: StartWorkflowRequest,
  call: SynchronousCall,
): Promise<string> {
  const id = await startWorkflow(context, call.caller, marked(request));
  return waitAndRespond(context, id, call);
}

/**
 * Waits until the execution blocks or ends, and answers in the form the caller asked for. Throws
 * AppError 'not-found'.
 */
export async function waitAndRespond(
  context: OperationContext,
  targetId: string,
  call: SynchronousCall,
): Promise<string> {
  return readSignalResponse(context, await answerAfterWait(context, targetId, call));
}

/** As `waitAndRespond`; undefined when a task form is wanted and nothing blocks any more. */
export async function waitAndRespondIfBlocked(
  context: OperationContext,
  targetId: string,
  call: SynchronousCall,
): Promise<string | undefined> {
  return readBlockedResponse(context, await answerAfterWait(context, targetId, call));
}

async function answerAfterWait(
  context: OperationContext,
  targetId: string,
  call: SynchronousCall,
): Promise<SignalAnswer> {
  const inTime = await waitUntilBlocked(context, {
    id: targetId,
    caller: call.caller,
    refs: call.waitUntilTaskRefs,
    timeoutMs: call.timeoutMs,
    onAbort: call.onAbort,
  });
  return {
    targetId,
    strategy: call.strategy,
    requestId: call.requestId || context.randomId(),
    timedOut: !inTime,
  };
}

/**
 * Starts, waits, and resolves with the JSON text of the execution's output (contract-core 8.2, the
 * deprecated form). Throws AppError as `startWorkflow`, and 'validation' for a priority out of
 * bounds.
 */
export async function executeForOutput(
  context: OperationContext,
  request: StartWorkflowRequest,
  call: Omit<SynchronousCall, 'strategy' | 'requestId'>,
): Promise<string> {
  checkPriority(request);
  const id: ExecutionId = await startWorkflow(context, call.caller, request);
  const { caller, waitUntilTaskRefs: refs, timeoutMs, onAbort } = call;
  await waitUntilBlocked(context, { id, caller, refs, timeoutMs, onAbort });
  const output = await context.executions.read(id, (open) => open.execution.output.text);
  return output ?? '{}';
}

/** The input says when the definition came with the call. */
function marked(request: StartWorkflowRequest): StartWorkflowRequest {
  if (request.workflowDef === undefined || request.workflowDef.tasks.length === 0) return request;
  return { ...request, input: { ...request.input, _systemMetadata: { dynamic: true } } };
}
