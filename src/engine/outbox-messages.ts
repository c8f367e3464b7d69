// Messages to other executions (invariants M5): recorded in the commit that decides them, delivered
// until confirmed.
import type { ExecutionId } from '../std/ids.js';
import type { OutboxMessage, Task } from '../model/execution.js';
import { derivedId } from './derived-id.js';
import type { Transition } from './transition.js';

type WithoutId<D> = D extends unknown ? Omit<D, 'id'> : never;

/** Records a message and releases it. */
export function addMessage(t: Transition, fields: WithoutId<OutboxMessage>): OutboxMessage {
  const { state, outbox } = t.execution;
  const message = { ...fields, id: ++state.outboxCounter } as OutboxMessage;
  outbox.set(message.id, message);
  t.changes.outboxAdded.add(message.id);
  t.emit({ kind: 'send', message });
  return message;
}

export function removeMessage(t: Transition, id: number): void {
  if (!t.execution.outbox.delete(id)) return;
  if (!t.changes.outboxAdded.delete(id)) t.changes.outboxRemoved.add(id);
}

/**
 * Id of what an attempt starts: derived from the attempt, so that a repeated start meets the same
 * execution (invariants M6). The shard bits come from the digest as well.
 */
export function startedIdOf(t: Transition, task: Task): ExecutionId {
  return derivedId(
    `${t.execution.id}|${task.ref}|${task.number}|${task.reopenCount}|${task.retryCount}`,
  );
}

/** Id of the failure workflow of this run of the execution. */
export function failureWorkflowIdOf(t: Transition): ExecutionId {
  const { generation, outboxCounter } = t.execution.state;
  return derivedId(`${t.execution.id}|failure|${generation}|${outboxCounter}`);
}
