// Log lines of a task (contract-core 15.4). An unknown task is no error: lines for it are dropped.
import { handedSecrets } from '../engine/secret-rules.js';
import { parseTaskId, type TaskId } from '../std/ids.js';
import type { Caller } from '../model/caller.js';
import { redactText } from '../model/redact.js';
import { viewOf, type NamedView } from '../shard/named-views.js';
import type { TaskLogEntry } from '../store/task-log-store.js';
import { AnswerSize } from './answer-size.js';
import { taskShown } from '../access/execution-rights.js';
import { requireExecutionRight, requireReportRight } from './access.js';
import type { OperationContext } from './context.js';

/**
 * Characters kept of a line: with all the lines that a task may have, a log can still be read in
 * one answer.
 */
export const logLineCharsMax = 100_000;

/**
 * Appends lines without the values of secrets that the task was given, each cut to what is kept of
 * one. Values of other secrets stay: else lines would tell who writes them what he may not read.
 */
export async function appendTaskLog(
  context: Pick<OperationContext, 'taskLogs' | 'executions' | 'secrets'>,
  taskId: TaskId,
  entries: readonly TaskLogEntry[],
): Promise<void> {
  const secrets = await secretTexts(context, taskId);
  await context.taskLogs.append(
    taskId,
    entries.map((entry) => ({ ...entry, log: cut(redactText(entry.log, secrets)) })),
  );
}

async function secretTexts(
  { executions, secrets }: Pick<OperationContext, 'executions' | 'secrets'>,
  taskId: TaskId,
): Promise<readonly string[]> {
  const target = secrets.any ? parseTaskId(taskId) : undefined;
  if (target === undefined) return [];
  const { executionId, taskNumber } = target;
  const names = await executions.read(executionId, viewOf(handedSecretsView, { taskNumber }));
  return secrets.textsOf(names ?? []);
}

/** Names of the secrets that a task was given. */
export const handedSecretsView: NamedView<{ readonly taskNumber: number }, string[]> = {
  name: 'handed-secrets',
  view: (open, { taskNumber }) => {
    const task = open.byNumber.get(taskNumber);
    return task === undefined ? [] : handedSecrets(open, task);
  },
};

function cut(line: string): string {
  if (line.length <= logLineCharsMax) return line;
  return `${line.slice(0, logLineCharsMax)}... (${line.length} characters)`;
}

/** Appends one line, stamped with the current time. */
export async function addTaskLog(
  context: OperationContext,
  caller: Caller,
  { taskId, log }: { taskId: string; log: string },
): Promise<void> {
  const target = parseTaskId(taskId);
  if (target === undefined) return;
  const { executionId, taskNumber } = target;
  const shown = taskShown(taskId);
  await requireReportRight(context, caller, executionId, { taskNumber }, shown);
  const known = await context.executions.read(executionId, (open) => open.byNumber.has(taskNumber));
  if (known !== true) return;
  const createdTime = context.clock.now();
  await appendTaskLog(context, taskId as TaskId, [{ log, taskId, createdTime }]);
}

/**
 * JSON texts of the lines of a task by their time, which workers may give; none for an unknown one.
 * Of a very long log only the end.
 */
export async function listTaskLogs(
  context: OperationContext,
  caller: Caller,
  taskId: string,
): Promise<string[]> {
  const target = parseTaskId(taskId);
  if (target === undefined) return [];
  await requireExecutionRight(context, caller, 'READ', target.executionId, taskShown(taskId));
  const logs = await context.taskLogs.list(taskId as TaskId);
  const size = new AnswerSize();
  const texts: string[] = [];
  for (const entry of [...logs].reverse().sort((a, b) => b.createdTime - a.createdTime)) {
    const text = JSON.stringify(entry);
    size.note(text);
    if (size.isPassed) break;
    texts.push(text);
  }
  return texts.reverse();
}
