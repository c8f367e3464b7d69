// The answer of synchronous calls (contract-core 16.3): the target execution, the execution that
// holds the first blocking task, or that task itself. The search for the blocking task goes depth
// first, own tasks before children.
import type { ExecutionId } from '../std/ids.js';
import { AppError, noSuchWorkflow } from '../model/errors.js';
import type { Task } from '../model/execution.js';
import {
  returnStrategies,
  toSignalTaskJson,
  toSignalWorkflowJson,
  type ReturnStrategy,
  type SignalHeader,
} from '../model/signal-response-json.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { inputOf, outputOf } from '../engine/derived-payloads.js';
import type { OperationContext } from './context.js';
import { blockingTaskOf, openChildrenOf } from './blocked-wait.js';
import { taskTexts } from './execution-view.js';

export type { ReturnStrategy };

/** Empty or absent: TARGET_WORKFLOW. Throws AppError 'bad-request' for another word. */
export function parseReturnStrategy(text: string | undefined): ReturnStrategy {
  if (text === undefined || text === '') return 'TARGET_WORKFLOW';
  const strategy = returnStrategies.find((each) => each === text);
  if (strategy === undefined) {
    throw new AppError(
      'bad-request',
      `The return strategy must be one of ${returnStrategies.join(', ')}`,
    );
  }
  return strategy;
}

export interface SignalAnswer {
  /** The started or signalled execution. */
  readonly targetId: string;
  readonly strategy: ReturnStrategy;
  readonly requestId: string;
  readonly timedOut: boolean;
}

/**
 * JSON text of the SignalResponse. Where nothing blocks it shows the target itself. Throws AppError
 * 'not-found'.
 */
export async function readSignalResponse(
  context: OperationContext,
  answer: SignalAnswer,
): Promise<string> {
  const { header, text } = await findResponse(context, answer);
  return text ?? (await targetResponse(context, header));
}

/** As `readSignalResponse`; undefined when a task form is wanted and nothing blocks. */
export async function readBlockedResponse(
  context: OperationContext,
  answer: SignalAnswer,
): Promise<string | undefined> {
  const { header, text } = await findResponse(context, answer);
  if (text !== undefined || answer.strategy !== 'BLOCKING_WORKFLOW') return text;
  return targetResponse(context, header);
}

/** `text` is undefined when a blocking task is wanted and there is none. */
async function findResponse(
  context: OperationContext,
  answer: SignalAnswer,
): Promise<{ header: SignalHeader; text: string | undefined }> {
  const now = context.clock.now();
  const { targetId, strategy } = answer;
  const target = await context.executions.read(targetId, (open) => {
    const header: SignalHeader = {
      responseType: strategy,
      targetWorkflowId: targetId,
      targetWorkflowStatus: open.execution.state.status,
      requestId: answer.requestId,
      signalTimeout: answer.timedOut,
    };
    const children = openChildrenOf(open);
    return { header, children, text: responseFrom(open, header, now) };
  });
  if (target === undefined) throw noSuchWorkflow(targetId);
  const { header, children, text } = target;
  return { header, text: text ?? (await responseBelow(context, children, header, now, 1)) };
}

/**
 * Where nothing blocks the answer is the target itself. The task forms then say so,
 * BLOCKING_WORKFLOW keeps its name (recorded).
 */
async function targetResponse(context: OperationContext, header: SignalHeader): Promise<string> {
  const now = context.clock.now();
  const keepsName = header.responseType === 'BLOCKING_WORKFLOW';
  const shown: SignalHeader = keepsName ? header : { ...header, responseType: 'TARGET_WORKFLOW' };
  const text = await context.executions.read(header.targetWorkflowId, (open) =>
    toSignalWorkflowJson(shown, open.execution, taskTexts(open, now)),
  );
  if (text === undefined) throw noSuchWorkflow(header.targetWorkflowId);
  return text;
}

async function responseBelow(
  context: OperationContext,
  children: readonly ExecutionId[],
  header: SignalHeader,
  now: number,
  depth: number,
): Promise<string | undefined> {
  if (depth > context.limits.childDepthMax) return undefined;
  for (const child of children) {
    const seen = await context.executions.read(child, (open) => ({
      text: responseFrom(open, header, now),
      children: openChildrenOf(open),
    }));
    if (seen === undefined) continue;
    const text = seen.text ?? (await responseBelow(context, seen.children, header, now, depth + 1));
    if (text !== undefined) return text;
  }
  return undefined;
}

/**
 * The answer when this execution decides it; undefined when a blocking task is wanted and it holds
 * none.
 */
function responseFrom(open: OpenExecution, header: SignalHeader, now: number): string | undefined {
  const { execution } = open;
  if (header.responseType === 'TARGET_WORKFLOW') {
    return toSignalWorkflowJson(header, execution, taskTexts(open, now));
  }
  const task: Task | undefined = blockingTaskOf(open);
  if (task === undefined) return undefined;
  if (header.responseType === 'BLOCKING_WORKFLOW') {
    return toSignalWorkflowJson(header, execution, taskTexts(open, now));
  }
  const payloads = { input: inputOf(open, task), output: outputOf(open, task) };
  return toSignalTaskJson(header, execution, task, payloads);
}
