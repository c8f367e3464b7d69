// Tells listeners of changes of status (semantics 2.14.1 to 2.14.3): workflow and task status
// listeners, change data capture, outgoing webhooks. Each listener gets a message in the commit
// that changes the status, so that it hears of it at least once, in order, and of nothing that was
// not stored. The listeners are known without waiting; while there are none, a change costs the
// test of a flag.
import { taskIdOf } from '../std/ids.js';
import type { Task } from '../model/execution.js';
import { shownEntry, type HumanTaskEntry } from '../model/human/human-entry.js';
import { asJson, type Json, type JsonMap } from '../model/json.js';
import type { ChangeEvent, TaskEvent, WorkflowEvent } from '../model/status-event.js';
import { toTaskSummary, toWorkflowSummary } from '../model/summaries.js';
import type { EngineContext, Receiver } from './context.js';
import { inputOf, outputOf } from './derived-payloads.js';
import type { OpenExecution } from './open-execution.js';
import { addMessage } from './outbox-messages.js';
import type { Transition } from './transition.js';

/** Longer input and output are left out of what is told, characters of JSON. */
const payloadCharsMax = 65_536;

/** The status of the execution has changed. */
export function tellWorkflow(t: Transition, event: WorkflowEvent): void {
  const { execution, context } = t;
  const { def } = execution.snapshot;
  const { listeners } = context;
  if (!def.workflowStatusListenerEnabled && (listeners?.isEmpty ?? true)) return;
  const type = `WORKFLOW_${event}` as const;
  const receivers = [...(listeners?.of(type, execution, undefined) ?? [])];
  const { workflowStatusListenerSink: own = '' } = def;
  if (def.workflowStatusListenerEnabled && own !== '') receivers.push({ sink: own });
  if (receivers.length === 0) return;
  const summary = toWorkflowSummary(execution);
  send(t, { receivers, event: type, id: execution.id, content: withoutLarge(summary) });
}

/** The status of a task has changed. */
export function tellTask(t: Transition, task: Task, event: TaskEvent): void {
  const { execution, context, open } = t;
  const { listeners } = context;
  if (listeners === undefined || listeners.isEmpty) return;
  const type = `TASK_${event}` as const;
  const receivers = listeners.of(type, execution, task);
  if (receivers.length === 0) return;
  const payloads = { input: inputOf(open, task), output: outputOf(open, task) };
  const summary = toTaskSummary(execution, task, payloads, t.now);
  const id = taskIdOf(execution.id, task.number);
  send(t, { receivers, event: type, id, content: withoutLarge(summary) });
}

/** A human task has another state, assignee or claimant than before. */
export function tellHumanTask(t: Transition, task: Task, entry: HumanTaskEntry | undefined): void {
  const { listeners } = t.context;
  if (entry === undefined || listeners === undefined || listeners.isEmpty) return;
  const event = `HUMAN_TASK_${entry.state}` as const;
  const receivers = listeners.of(event, t.execution, task);
  if (receivers.length === 0) return;
  const { input: _input, output: _output, humanTaskDef: _def, ...content } = shownEntry(entry);
  send(t, { receivers, event, id: entry.taskId, content: asJson(content) });
}

/** Whether somebody is told when the task is handed out, which then takes a step. */
export function tellsOfStart(context: EngineContext, open: OpenExecution, task: Task): boolean {
  const { listeners } = context;
  if (listeners === undefined || listeners.isEmpty) return false;
  return listeners.of('TASK_IN_PROGRESS', open.execution, task).length > 0;
}

interface Told {
  readonly receivers: readonly Receiver[];
  readonly event: ChangeEvent;
  /** Of the execution or the task. */
  readonly id: string;
  readonly content: JsonMap;
}

function send(t: Transition, { receivers, event, id, content }: Told): void {
  const payload = { eventType: event, eventTime: t.now, ...content };
  for (const receiver of receivers) {
    addMessage(t, { kind: 'publish-event', ...receiver, taskId: id, at: t.now, payload });
  }
}

function withoutLarge(summary: { input: string; output: string }): JsonMap {
  const content = { ...summary } as Record<string, Json>;
  const omitted = (['input', 'output'] as const).filter(
    (name) => summary[name].length > payloadCharsMax,
  );
  for (const name of omitted) content[name] = '{}';
  return omitted.length === 0 ? content : { ...content, omitted: [...omitted] };
}
