// A copy of an execution kept only by applying what decisions call their changes, as a store does;
// and copies of whole executions to compare with. Every part is text, so that a difference shows as
// text.
import type { Changes } from '../../../src/engine/decision.js';
import { taskPart } from '../../../src/engine/decision.js';
import type { Execution, Task } from '../../../src/model/execution.js';

export type Parts = Map<string, string>;

/** All parts of an execution. */
export function partsOf(execution: Execution): Parts {
  const parts: Parts = new Map();
  parts.set('attributes', text(execution.attributes));
  parts.set('snapshot', execution.snapshot.hash);
  parts.set('state', text(execution.state));
  parts.set('input', execution.input.text);
  parts.set('output', execution.output.text);
  parts.set('variables', execution.variables.text);
  parts.set('messages', text(execution.messages));
  if (execution.history !== undefined) parts.set('history', text(execution.history));
  for (const task of execution.tasks) putTask(parts, task, all);
  for (const [id, message] of execution.outbox) parts.set(`message ${id}`, text(message));
  return parts;
}

const all = taskPart.record | taskPart.input | taskPart.output;

/** Takes over the named parts, and only those. */
export function applyChanges(parts: Parts, execution: Execution, changes: Changes): void {
  const whole = changes.created;
  if (whole || changes.attributes || changes.snapshot) {
    parts.set('attributes', text(execution.attributes));
    parts.set('snapshot', execution.snapshot.hash);
  }
  if (whole || changes.state) parts.set('state', text(execution.state));
  if (whole || changes.input) parts.set('input', execution.input.text);
  if (whole || changes.output) parts.set('output', execution.output.text);
  if (whole || changes.variables) parts.set('variables', execution.variables.text);
  if (whole || changes.messages) parts.set('messages', text(execution.messages));
  if (changes.history) parts.set('history', text(execution.history));
  for (const [task, changed] of changes.tasks) putTask(parts, task, changed);
  for (const number of changes.removedTasks) {
    for (const part of ['record', 'input', 'output']) parts.delete(`task ${number} ${part}`);
  }
  for (const id of changes.outboxAdded) {
    const message = execution.outbox.get(id);
    if (message !== undefined) parts.set(`message ${id}`, text(message));
  }
  for (const id of changes.outboxRemoved) parts.delete(`message ${id}`);
}

/** Takes over parts of one task record. */
export function putTask(parts: Parts, task: Task, changed: number): void {
  const { input, output, config, ...record } = task;
  if (changed & taskPart.record) {
    parts.set(`task ${task.number} record`, text({ ...record, config: config.taskReferenceName }));
  }
  if (changed & taskPart.input) parts.set(`task ${task.number} input`, input.text);
  if (changed & taskPart.output) parts.set(`task ${task.number} output`, output.text);
}

/**
 * A value as JSON, objects with their keys in order, so that only values count. JSON texts that are
 * kept as text are written as that text.
 */
function text(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(text).join()}]`;
  if ('isEmpty' in value && 'text' in value) return JSON.stringify(value.text);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${text(item)}`).join()}}`;
}

/** A copy that shares nothing that the engine changes in place. */
export function copyExecution(execution: Execution): Execution {
  return {
    ...execution,
    state: {
      ...execution.state,
      failedReferenceTaskNames: [...execution.state.failedReferenceTaskNames],
      failedTaskNames: [...execution.state.failedTaskNames],
    },
    tasks: execution.tasks.map((task) => ({ ...task })),
    outbox: new Map(execution.outbox),
    messages: [...execution.messages],
  };
}
